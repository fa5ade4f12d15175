#include "parts/moves/shares.h"

#include <stdlib.h>

#include "parts/array.h"

/*
 * Until a view of the membership has changed that, the nodes have the ranks
 * from 0 up. The number of node @rank among the shares, or STN_NOBODY.
 */
uint32_t
stn_share_of(const struct stn_recut *recut, uint32_t rank)
{
	uint32_t low = 0, high = recut->nodes;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (recut->shares[middle].rank < rank)
			low = middle + 1;
		else
			high = middle;
	}
	return low < recut->nodes && recut->shares[low].rank == rank
		       ? low
		       : STN_NOBODY;
}

uint32_t
stn_share_end(const struct stn_parts *array, uint32_t share)
{
	const struct stn_recut *recut = array->scheduling;

	return share + 1 < recut->nodes ? recut->shares[share + 1].first
					: array->count;
}

/* The node whose range has the part. */
uint32_t
stn_share_owner(const struct stn_parts *array, uint32_t number)
{
	const struct stn_recut *recut = array->scheduling;
	uint32_t low = 0, high = recut->nodes;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (recut->shares[middle].first <= number)
			low = middle;
		else
			high = middle;
	}
	return recut->shares[low].rank;
}

/* In proportion to the speeds, but at least a part for each node. */
void
stn_shares_cut(const struct stn_parts *array, uint32_t *firsts)
{
	const struct stn_recut *recut = array->scheduling;
	uint32_t nodes = recut->nodes, least = 0;
	double sum = 0, before = 0;
	bool known = true;

	for (uint32_t i = 0; i < nodes; i++) {
		sum += recut->shares[i].speed;
		known &= recut->shares[i].speed > 0;
	}
	for (uint32_t i = 0; i < nodes; i++) {
		uint32_t most = array->count - (nodes - i);
		double first = before / sum * array->count + 0.5;

		firsts[i] = !known	    ? recut->shares[i].first
			    : first < least ? least
			    : first > most  ? most
					    : (uint32_t)first;
		before += recut->shares[i].speed;
		least = firsts[i] + 1;
	}
}

/* By how many sweeps' time the next round becomes shorter with these ranges. */
static double
expected_gain(const struct stn_parts *array, const uint32_t *firsts)
{
	const struct stn_recut *recut = array->scheduling;
	double now = 0, then = 0;

	for (uint32_t i = 0; i < recut->nodes; i++) {
		double speed = recut->shares[i].speed;
		uint32_t next =
			i + 1 < recut->nodes ? firsts[i + 1] : array->count;
		double before =
			(stn_share_end(array, i) - recut->shares[i].first) /
			speed;
		double after = (next - firsts[i]) / speed;

		now = before > now ? before : now;
		then = after > then ? after : then;
	}
	return (double)recut->blocks * (now - then) / now;
}

/* Keeps the ranges if other ones do not pay. */
void
stn_shares_keep(const struct stn_parts *array, uint32_t *firsts)
{
	const struct stn_recut *recut = array->scheduling;

	if (!(recut->pays > 0) ||
	    expected_gain(array, firsts) * 100 >= recut->pays)
		return;
	for (uint32_t i = 0; i < recut->nodes; i++)
		firsts[i] = recut->shares[i].first;
}

bool
stn_shares_valid(const struct stn_parts *array, const uint32_t *firsts)
{
	const struct stn_recut *recut = array->scheduling;

	if (firsts[0])
		return false;
	for (uint32_t i = 1; i < recut->nodes; i++)
		if (firsts[i] <= firsts[i - 1] || firsts[i] >= array->count)
			return false;
	return true;
}

/* The nodes that stay are those of the array from now on. */
void
stn_shares_list(struct stn_parts *array)
{
	const struct stn_node *node = array->service->node;
	struct stn_recut *recut = array->scheduling;
	uint32_t nodes = 0;

	for (uint32_t i = 0; i < node->topology->nodes; i++)
		nodes += stn_members_stays(&node->members, i);
	recut = realloc(recut,
			sizeof(*recut) + nodes * sizeof(recut->shares[0]));
	if (!recut)
		stn_array_no_memory(array);
	array->scheduling = recut;
	recut->nodes = 0;
	for (uint32_t i = 0; i < node->topology->nodes; i++)
		if (stn_members_stays(&node->members, i))
			recut->shares[recut->nodes++] =
				(struct stn_recut_share){ .rank = i };
}

/*
 * Notes where the neighbours of a part are, or will be: they have moved at the
 * same time as the part itself, so that their MOVEDs have missed this node. The
 * pieces for them would go by way of their former homes in each sweep.
 */
void
stn_shares_expect(const struct stn_part *part)
{
	struct stn_parts *array = part->array;
	uint32_t places = stn_shape_places(&array->shape);

	for (uint32_t place = 0; place < places; place++) {
		struct stn_part *neighbour;
		struct stn_piece piece;
		uint32_t owner;

		if (!stn_shape_needs(&array->shape, part->number, place,
				     &piece))
			continue;
		owner = stn_share_owner(array, piece.from);
		if (owner == array->service->node->rank)
			continue;
		neighbour = stn_array_part(array, piece.from);
		if (!neighbour)
			stn_node_fail(array->service->node, "out of memory");
		if (!neighbour->here && !neighbour->arriving)
			neighbour->expected = owner;
	}
}
