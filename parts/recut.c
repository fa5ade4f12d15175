#include "parts/recut.h"

#include <stdlib.h>

#include "node/dispatch.h"
#include "parts/array.h"
#include "parts/early.h"
#include "parts/move.h"
#include "parts/ready.h"

/* A RECUT under way: its header, and the first part of each node. */
struct recut_news {
	struct stn_parts *array;
	struct stn_parts_recut header;
	uint32_t firsts[];
};

static uint32_t
own_rank(const struct stn_parts *array)
{
	return array->service->node->rank;
}

static uint32_t
range_end(const struct stn_parts *array, uint32_t rank)
{
	const struct stn_recut *recut = array->scheduling;

	return rank + 1 < array->nodes ? recut->shares[rank + 1].first
				       : array->count;
}

/* The node whose range has the part. */
static uint32_t
owner_of_part(const struct stn_parts *array, uint32_t number)
{
	const struct stn_recut *recut = array->scheduling;
	uint32_t low = 0, high = array->nodes;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (recut->shares[middle].first <= number)
			low = middle;
		else
			high = middle;
	}
	return low;
}

void
stn_recut_create(struct stn_parts *array, uint64_t sweeps,
		 const struct stn_forecast *forecast)
{
	struct stn_recut *recut = array->scheduling;
	uint32_t block = array->shape.block;

	recut->blocks = (sweeps + block - 1) / block;
	recut->forecast = forecast;
	if (array->homes.count)
		return;
	for (uint32_t i = 0; i < array->nodes; i++)
		recut->shares[i].first = stn_array_first_part(array, i);
	recut->unpaused = own_rank(array) < array->nodes
				  ? recut->shares[own_rank(array)].first
				  : 0;
}

void
stn_recut_begins(struct stn_parts *array)
{
	struct stn_recut *recut = array->scheduling;

	if (recut->begun || array->regrouped || array->homes.count ||
	    array->operation.order.what != STN_PARTS_SWEEPS ||
	    array->nodes < 2 || array->nodes > array->count ||
	    own_rank(array) >= array->nodes)
		return;
	recut->begun = true;
	array->pause = array->operation.base + recut->blocks;
}

/* Points that this node sweeps in a ns; 0 if that is not known. */
static double
predict_speed(struct stn_parts *array)
{
	struct stn_recut *recut = array->scheduling;
	const struct stn_pace *pace = &array->pace;
	uint64_t ns = pace->swept_ns - recut->marked_ns;
	uint64_t points = pace->swept_points - recut->marked_points;
	double speed = ns ? (double)points / (double)ns *
				       array->service->node->worker_count
			  : 0;

	if (!recut->forecast)
		return speed;
	recut->marked_ns += ns;
	recut->marked_points += points;
	if (speed > 0)
		recut->forecast->put(recut->forecasting, speed);
	return recut->forecast->get(recut->forecasting);
}

/* Whether all parts of this node's range are here and have paused. */
static bool
has_paused(struct stn_parts *array)
{
	struct stn_recut *recut = array->scheduling;
	uint32_t end = range_end(array, own_rank(array));

	while (recut->unpaused < end) {
		const struct stn_part *part =
			stn_array_known(array, recut->unpaused);

		if (!part || !part->here || part->version < array->pause)
			return false;
		recut->unpaused++;
	}
	return true;
}

static void hear_speed(struct stn_parts *array, uint32_t from, double speed);

static void
tell_speed(struct stn_parts *array)
{
	struct stn_recut *recut = array->scheduling;
	struct stn_parts_speed speed;

	if (!recut->begun || recut->told || array->pause == UINT64_MAX ||
	    !has_paused(array))
		return;
	recut->told = true;
	speed = (struct stn_parts_speed){ array->id, recut->round,
					  predict_speed(array) };
	if (own_rank(array))
		stn_node_say(array->service->node, 0, STN_PARTS_KIND_SPEED,
			     &speed, sizeof(speed));
	else
		hear_speed(array, 0, speed.speed);
}

/*
 * Notes where the neighbours of a part are, or will be: they have moved at the
 * same time as the part itself, so that their MOVEDs have missed this node. The
 * pieces for them would go by way of their former homes in each sweep.
 */
static void
know_neighbours(const struct stn_part *part)
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
		owner = owner_of_part(array, piece.from);
		if (owner == own_rank(array))
			continue;
		neighbour = stn_array_part(array, piece.from);
		if (!neighbour)
			stn_node_fail(array->service->node, "out of memory");
		if (!neighbour->here && !neighbour->arriving)
			neighbour->expected = owner;
	}
}

static void
give_away(struct stn_part *part)
{
	part->leaves = !stn_part_can_move(part);
	if (!part->leaves)
		stn_part_give(part, owner_of_part(part->array, part->number));
}

/* Takes a new range, and gives away the parts of the former one. */
static void
apply_cuts(struct stn_parts *array, const uint32_t *firsts)
{
	struct stn_recut *recut = array->scheduling;
	uint32_t rank = own_rank(array);
	uint32_t first = recut->shares[rank].first,
		 end = range_end(array, rank);

	for (uint32_t i = 0; i < array->nodes; i++)
		recut->shares[i].first = firsts[i];
	recut->round++;
	recut->told = false;
	recut->unpaused = firsts[rank];
	array->pause =
		recut->forecast ? array->pause + recut->blocks : UINT64_MAX;
	for (uint32_t i = first; i < end; i++)
		if (owner_of_part(array, i) != rank)
			give_away(stn_array_known(array, i));
	for (uint32_t i = firsts[rank]; i < range_end(array, rank); i++) {
		struct stn_part *part = stn_array_known(array, i);

		if (!part || !part->here)
			continue;
		know_neighbours(part);
		stn_part_consider(part);
	}
	tell_speed(array);
}

/* In proportion to the speeds, but at least a part for each node. */
static void
cut_ranges(const struct stn_parts *array, uint32_t *firsts)
{
	const struct stn_recut *recut = array->scheduling;
	uint32_t nodes = array->nodes, least = 0;
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

	for (uint32_t i = 0; i < array->nodes; i++) {
		double speed = recut->shares[i].speed;
		uint32_t next =
			i + 1 < array->nodes ? firsts[i + 1] : array->count;
		double before =
			(range_end(array, i) - recut->shares[i].first) / speed;
		double after = (next - firsts[i]) / speed;

		now = before > now ? before : now;
		then = after > then ? after : then;
	}
	return (double)recut->blocks * (now - then) / now;
}

/* Keeps the ranges if other ones do not pay. */
static void
keep_ranges(const struct stn_parts *array, uint32_t *firsts)
{
	const struct stn_recut *recut = array->scheduling;

	if (!(recut->pays > 0) ||
	    expected_gain(array, firsts) * 100 >= recut->pays)
		return;
	for (uint32_t i = 0; i < array->nodes; i++)
		firsts[i] = recut->shares[i].first;
}

static void
news_done(void *arg, enum stn_err err)
{
	(void)err; /* a receiver that has died is told of by a view */
	free(arg);
}

static struct recut_news *
create_news(struct stn_parts *array)
{
	const struct stn_recut *recut = array->scheduling;
	struct recut_news *news =
		malloc(sizeof(*news) + array->nodes * sizeof(news->firsts[0]));

	if (!news)
		stn_node_fail(array->service->node, "out of memory");
	news->array = array;
	news->header = (struct stn_parts_recut){ array->id, recut->round };
	return news;
}

static void
send_cuts(struct stn_parts *array, const uint32_t *firsts, uint32_t to)
{
	struct recut_news *news = create_news(array);
	struct iovec piece = { news->firsts,
			       array->nodes * sizeof(news->firsts[0]) };

	for (uint32_t i = 0; i < array->nodes; i++)
		news->firsts[i] = firsts[i];
	stn_node_send(array->service->node, to, STN_PARTS_KIND_RECUT,
		      &news->header, sizeof(news->header), &piece, 1, news_done,
		      news);
}

/* On node 0. */
static void
hear_speed(struct stn_parts *array, uint32_t from, double speed)
{
	struct stn_recut *recut = array->scheduling;
	struct recut_news *news;

	recut->shares[from].speed = speed;
	if (++recut->heard < array->nodes)
		return;
	recut->heard = 0;
	news = create_news(array);
	cut_ranges(array, news->firsts);
	keep_ranges(array, news->firsts);
	for (uint32_t i = 1; i < array->nodes; i++)
		send_cuts(array, news->firsts, i);
	apply_cuts(array, news->firsts);
	free(news);
}

enum stn_err
stn_recut_told(struct stn_parts *array, uint32_t from,
	       const struct stn_parts_speed *told)
{
	const struct stn_recut *recut = array->scheduling;

	if (array->regrouped)
		return STN_OK;
	if (own_rank(array) || from >= array->nodes ||
	    told->round != recut->round ||
	    !(told->speed >= 0 && told->speed < 1e100))
		return STN_MALFORMED;
	hear_speed(array, from, told->speed);
	return STN_OK;
}

static bool
are_cuts(const struct stn_parts *array, const uint32_t *firsts)
{
	if (firsts[0])
		return false;
	for (uint32_t i = 1; i < array->nodes; i++)
		if (firsts[i] <= firsts[i - 1] || firsts[i] >= array->count)
			return false;
	return true;
}

static void
news_landed(void *arg, enum stn_err err)
{
	struct recut_news *news = arg;
	struct stn_parts *array = news->array;
	const struct stn_recut *recut = array->scheduling;

	if (!err && !array->freed && !array->regrouped &&
	    news->header.array.generation == array->id.generation) {
		if (!are_cuts(array, news->firsts) || !recut->told ||
		    news->header.round != recut->round)
			stn_node_fail(array->service->node,
				      "node 0 has sent malformed cuts of an "
				      "array");
		apply_cuts(array, news->firsts);
	}
	free(news);
}

enum stn_err
stn_recut_take(struct stn_parts *array, const struct stn_message *message,
	       const struct stn_parts_recut *header)
{
	const struct stn_recut *recut = array->scheduling;
	struct recut_news *news;
	struct iovec piece;

	if (array->regrouped) {
		stn_early_refuse(array->service, message);
		return STN_OK;
	}
	if (message->from || !recut->told ||
	    message->payload_bytes != array->nodes * sizeof(news->firsts[0]))
		return STN_MALFORMED;
	news = create_news(array);
	news->header = *header;
	piece = (struct iovec){ news->firsts, message->payload_bytes };
	stn_early_take(array->service, message, &piece, 1, news_landed, news);
	return STN_OK;
}

static void
continue_part(struct stn_part *part, void *arg)
{
	(void)arg;
	part->leaves = false;
	stn_part_consider(part);
}

/*
 * Some nodes may have got the cuts of this round and others not. From now on
 * the array isn't cut anew, and parts may be anywhere.
 */
void
stn_recut_regrouped(struct stn_parts *array)
{
	array->pause = UINT64_MAX;
	stn_array_expect_nothing(array);
	stn_array_each(array, continue_part, NULL);
}

void
stn_recut_swept(struct stn_part *part)
{
	if (part->array->regrouped)
		return;
	if (part->leaves)
		give_away(part);
	tell_speed(part->array);
}

void
stn_recut_arrived(struct stn_part *part)
{
	if (part->array->regrouped)
		return;
	know_neighbours(part);
	tell_speed(part->array);
}
