/*
 * fold.c: a sum over the parts of an array has the same bits, however the parts
 * are divided among nodes, and in whichever order the nodes report.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parts/fold.h"
#include "tests/tap.h"

#define NODES 5

static double values[1000];

static void
add(struct stn_folds *to, struct stn_fold fold)
{
	if (stn_folds_add(to, fold))
		abort();
}

/* The sum that @nodes nodes get, each with the parts that @owner gives it. */
static double
sum(uint32_t parts, uint32_t nodes, const uint32_t *owner, bool backwards)
{
	struct stn_folds all = { 0 };
	double value;

	for (uint32_t n = 0; n < nodes; n++) {
		uint32_t node = backwards ? nodes - 1 - n : n;
		struct stn_folds mine = { 0 };

		for (uint32_t i = 0; i < parts; i++)
			if (owner[i] == node)
				add(&mine,
				    (struct stn_fold){ 0, i, values[i] });
		stn_folds_join(&mine, parts, false);
		for (size_t i = 0; i < mine.count; i++)
			add(&all, mine.folds[i]);
		stn_folds_fini(&mine);
		stn_folds_join(&all, parts, false);
	}
	value = all.count == 1 ? all.folds[0].value : NAN;
	stn_folds_fini(&all);
	return value;
}

/* Whether all ways of dividing @parts parts give the same bits. */
static bool
agree(uint32_t parts)
{
	uint32_t owner[1000] = { 0 };
	double right = sum(parts, 1, owner, false);

	for (int try = 0; try < 20; try++) {
		double other;

		for (uint32_t i = 0; i < parts; i++)
			owner[i] = try % 2 ? (uint32_t)random() % NODES
					   : i * NODES / parts;
		other = sum(parts, NODES, owner, try % 3);
		if (memcmp(&right, &other, sizeof(right)))
			return false;
	}
	return true;
}

/* How many folds a node needs to report @parts parts that lie together. */
static size_t
folds_of_run(uint32_t first, uint32_t parts, uint32_t all)
{
	struct stn_folds folds = { 0 };
	size_t count;

	for (uint32_t i = 0; i < parts; i++)
		add(&folds, (struct stn_fold){ 0, first + i, 1 });
	stn_folds_join(&folds, all, true);
	count = folds.count;
	stn_folds_fini(&folds);
	return count;
}

int
main(void)
{
	bool same = true;

	tap_begin();
	for (int i = 0; i < 1000; i++)
		values[i] = ldexp((double)random(), -(int)(random() % 60));
	for (uint32_t parts = 1; parts <= 70; parts++)
		same &= agree(parts);
	tap_ok(same && agree(1000),
	       "a sum has the same bits for all divisions of the parts");
	tap_ok(folds_of_run(0, 999, 999) == 1, "all parts are one fold");
	tap_ok(folds_of_run(100, 700, 1000) <= 18,
	       "the parts of a run of numbers are few folds");
	return tap_end();
}
