/*
 * gifts.c: each gift is the part with the most neighbours at the receiver and
 * the fewest here. So a part that lies between parts of the receiver goes
 * first, then parts at its edge; and a border that is straight stays straight.
 *
 * The candidates are in a heap. A gift changes the scores of its neighbours,
 * which are put into the heap again. Scores only rise, so a part's older
 * entries come out of the heap when the part has left.
 */
#include "parts/moves/gifts.h"

#include <stdlib.h>

#include "parts/array.h"
#include "parts/moves/move.h"

struct candidate {
	struct stn_part *part;
	int32_t score;
};

struct candidates {
	struct stn_parts *array;
	uint32_t to, rank;
	struct candidate *heap;
	size_t count, room;
};

/* A neighbour at the receiver counts twice, one on this node against it. */
static int32_t
score_of(const struct candidates *all, const struct stn_part *part)
{
	const struct stn_shape *shape = &all->array->shape;
	uint32_t places = stn_shape_places(shape);
	int32_t score = 0;

	for (uint32_t place = 0; place < places; place++) {
		struct stn_piece piece;
		uint32_t home;

		if (!stn_shape_needs(shape, part->number, place, &piece))
			continue;
		home = stn_array_home(all->array, piece.from);
		score += 2 * (home == all->to) - (home == all->rank);
	}
	return score;
}

/* Of equal scores, the part whose number is nearer to the receiver's range. */
static bool
is_better(const struct candidates *all, const struct candidate *a,
	  const struct candidate *b)
{
	if (a->score != b->score)
		return a->score > b->score;
	return a->part->number != b->part->number &&
	       (a->part->number > b->part->number) == (all->to > all->rank);
}

static void
put_candidate(struct candidates *all, struct stn_part *part)
{
	struct candidate candidate = { part, score_of(all, part) };
	size_t place = all->count++;

	if (all->count > all->room) {
		all->room = 2 * all->room + 16;
		all->heap = reallocarray(all->heap, all->room,
					 sizeof(all->heap[0]));
		if (!all->heap)
			stn_array_no_memory(all->array);
	}
	while (place &&
	       is_better(all, &candidate, &all->heap[(place - 1) / 2])) {
		all->heap[place] = all->heap[(place - 1) / 2];
		place = (place - 1) / 2;
	}
	all->heap[place] = candidate;
}

static struct stn_part *
take_candidate(struct candidates *all)
{
	struct stn_part *best = all->heap[0].part;
	struct candidate last = all->heap[--all->count];
	size_t place = 0, child;

	while ((child = 2 * place + 1) < all->count) {
		if (child + 1 < all->count &&
		    is_better(all, &all->heap[child + 1], &all->heap[child]))
			child++;
		if (!is_better(all, &all->heap[child], &last))
			break;
		all->heap[place] = all->heap[child];
		place = child;
	}
	all->heap[place] = last;
	return best;
}

static void
visit_candidate(struct stn_part *part, void *arg)
{
	if (stn_part_can_move(part))
		put_candidate(arg, part);
}

static void
put_neighbours(struct candidates *all, uint32_t number)
{
	const struct stn_shape *shape = &all->array->shape;
	uint32_t places = stn_shape_places(shape);

	for (uint32_t place = 0; place < places; place++) {
		struct stn_piece piece;
		struct stn_part *part;

		if (!stn_shape_needs(shape, number, place, &piece))
			continue;
		part = stn_array_known(all->array, piece.from);
		if (part && stn_part_can_move(part))
			put_candidate(all, part);
	}
}

uint32_t
stn_gifts_give(struct stn_parts *array, uint32_t to, uint32_t count)
{
	struct candidates all = { array, to, array->service->node->rank,
				  NULL,	 0,  0 };
	uint32_t given = 0;

	if (!count)
		return 0;
	stn_array_each(array, visit_candidate, &all);
	while (given < count && all.count) {
		struct stn_part *part = take_candidate(&all);

		if (!stn_part_can_move(part))
			continue; /* it has been given */
		stn_part_give(part, to);
		given++;
		put_neighbours(&all, part->number);
	}
	free(all.heap);
	return given;
}
