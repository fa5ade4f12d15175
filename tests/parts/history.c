/*
 * history.c: which operations on an array are remembered, and which orders.
 */
#include "parts/history.h"

#include <stdlib.h>

#include "tests/tap.h"

#define MANY 5000 /* operations: more than the orders that are kept */

#define CALLER 7 /* the node whose task makes the first call */

/* Adds the operation behind the last one; a sweep raises the version. */
static void
add(struct stn_history *history, uint8_t what)
{
	const struct stn_parts_operate order = {
		.number = history->count + 1,
		.what = what,
		.caller = history->count ? STN_OF_MAIN : 1 + CALLER,
	};
	uint64_t base = history->count;

	if (stn_history_add(history, &order, base,
			    base + (what == STN_PARTS_SWEEPS), 0))
		abort();
}

/* STN_BOUNDARY, and so many sweeps that its order is forgotten. */
static struct stn_history
begin_long(void)
{
	struct stn_history history = { 0 };

	add(&history, STN_PARTS_BOUNDARY);
	for (int i = 1; i < MANY; i++)
		add(&history, STN_PARTS_SWEEPS);
	stn_history_drop(&history, MANY - 10);
	return history;
}

static void
test_drop(void)
{
	struct stn_history history = begin_long();
	const struct stn_parts_operate *boundary =
		stn_history_boundary(&history, MANY);

	tap_ok(history.count == MANY && !stn_history_order(&history, 1) &&
		       stn_history_order(&history, MANY),
	       "the first of many orders are forgotten");
	tap_ok(boundary && boundary->number == 1,
	       "but the kernel of STN_BOUNDARY is not");
	tap_ok(stn_history_called(&history, CALLER) &&
		       !stn_history_called(&history, CALLER + 1),
	       "nor is their caller");
	stn_history_cut(&history, MANY - 1);
	tap_ok(stn_history_boundary(&history, MANY - 1),
	       "nor is the kernel if the last operation is cut off");
	stn_history_fini(&history);
}

static void
test_cut(void)
{
	struct stn_history history = begin_long();

	stn_history_cut(&history, 0);
	tap_ok(!stn_history_called(&history, CALLER),
	       "an array that is made again has had no callers");
	add(&history, STN_PARTS_FILL);
	tap_ok(!stn_history_boundary(&history, 1),
	       "nor has it a kernel of STN_BOUNDARY");
	stn_history_fini(&history);
}

int
main(void)
{
	tap_begin();
	test_drop();
	test_cut();
	return tap_end();
}
