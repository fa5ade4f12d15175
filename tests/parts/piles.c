/*
 * piles.c: parts that are taken from piles at random, compared with a search of
 * all parts.
 */
#include <stdlib.h>

#include "parts/moves/piles.h"
#include "tests/tap.h"

#define NODES 13
#define PARTS 200

static struct stn_pile of[NODES];
static struct stn_piled each[PARTS];
static struct stn_piles piles = { NODES, PARTS, of, each };
static bool taken[PARTS];

static uint32_t
count_left(uint32_t node)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < PARTS; i++)
		count += !taken[i] && each[i].home == node;
	return count;
}

static uint32_t
search_highest(void)
{
	uint32_t highest = 0;

	for (uint32_t i = 1; i < NODES; i++)
		if (count_left(i) > count_left(highest))
			highest = i;
	return highest;
}

/* The first part that is left of the node, or the last one. */
static uint32_t
search_part(uint32_t node, bool last)
{
	uint32_t found = PARTS;

	for (uint32_t i = 0; i < PARTS; i++)
		if (!taken[i] && each[i].home == node &&
		    (last || found == PARTS))
			found = i;
	return found;
}

/* Takes all parts of a sweep, as nodes with chunks of their own would. */
static bool
sweep(void)
{
	bool right = true;

	stn_piles_fill(&piles);
	for (uint32_t i = 0; i < PARTS; i++)
		taken[i] = false;
	for (uint32_t i = 0; i < PARTS; i++) {
		uint32_t to = (uint32_t)rand() % NODES, from = to;
		bool last = rand() % 2;
		uint32_t part;

		right = right && of[to].count == count_left(to);
		if (!of[to].count) {
			from = stn_piles_highest(&piles);
			right = right && from == search_highest();
		}
		part = search_part(from, last);
		right = right && stn_piles_take(&piles, from, last) == part;
		taken[part] = true;
		each[part].home = to;
	}
	return right;
}

int
main(void)
{
	bool right = true;

	tap_begin();
	for (uint32_t i = 0; i < PARTS; i++)
		each[i].home = i / 20;
	for (int i = 0; i < 20; i++)
		right = sweep() && right;
	tap_ok(right, "the first and last parts, and the highest pile");
	return tap_end();
}
