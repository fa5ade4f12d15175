/*
 * piles.c: the highest pile is at the top of a heap. A count only falls between
 * two fills, so a pile is not as high as the heap knows it, or as high. So only
 * the top is looked at, and put lower if its count has fallen.
 */
#include "parts/moves/piles.h"

static bool
is_higher(const struct stn_piles *piles, uint32_t a, uint32_t b)
{
	uint32_t known_a = piles->of[a].known, known_b = piles->of[b].known;

	return known_a > known_b || (known_a == known_b && a < b);
}

static void
sift_down(struct stn_piles *piles, uint32_t place)
{
	struct stn_pile *of = piles->of;
	uint32_t node = of[place].heap;
	uint64_t child;

	while ((child = 2 * (uint64_t)place + 1) < piles->nodes) {
		if (child + 1 < piles->nodes &&
		    is_higher(piles, of[child + 1].heap, of[child].heap))
			child++;
		if (!is_higher(piles, of[child].heap, node))
			break;
		of[place].heap = of[child].heap;
		place = (uint32_t)child;
	}
	of[place].heap = node;
}

static void
put_last(struct stn_piles *piles, uint32_t part)
{
	struct stn_pile *pile = &piles->of[piles->each[part].home];

	if (pile->count++) {
		piles->each[pile->last].after = part;
		piles->each[part].before = pile->last;
	} else {
		pile->first = part;
	}
	pile->last = part;
}

void
stn_piles_fill(struct stn_piles *piles)
{
	for (uint32_t i = 0; i < piles->nodes; i++)
		piles->of[i].count = 0;
	for (uint32_t i = 0; i < piles->parts; i++)
		put_last(piles, i);
	for (uint32_t i = 0; i < piles->nodes; i++) {
		piles->of[i].known = piles->of[i].count;
		piles->of[i].heap = i;
	}
	for (uint32_t i = piles->nodes / 2; i-- > 0;)
		sift_down(piles, i);
}

uint32_t
stn_piles_take(struct stn_piles *piles, uint32_t node, bool last)
{
	struct stn_pile *pile = &piles->of[node];
	uint32_t part = last ? pile->last : pile->first;

	pile->count--;
	if (last)
		pile->last = piles->each[part].before;
	else
		pile->first = piles->each[part].after;
	return part;
}

uint32_t
stn_piles_highest(struct stn_piles *piles)
{
	for (;;) {
		uint32_t node = piles->of[0].heap;

		if (piles->of[node].known == piles->of[node].count)
			return node;
		piles->of[node].known = piles->of[node].count;
		sift_down(piles, 0);
	}
}
