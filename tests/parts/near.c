/*
 * near.c: when a part of cells may be swept that needs parts of other nodes.
 */
#include "parts/cells/cells.h"
#include "tests/tap.h"

#define SWEEP 7 /* the number of the operation */

static const struct stn_task reach = { .name = "reach" };
static struct stn_block block;
static struct stn_cells cells = { .reach = &reach };
static struct stn_parts array = {
	.cells = &cells,
	.operation.order = { .what = STN_PARTS_SWEEPS, .number = SWEEP },
};
static struct stn_part part = { .array = &array, .memory.block = &block };

int
main(void)
{
	static struct stn_cells_part known;

	tap_begin();
	tap_ok(!stn_cells_ready(&part),
	       "a part has arrived whose lists of others are not made");
	part.cells = &known;
	known.listed = SWEEP - 1;
	tap_ok(!stn_cells_ready(&part), "nor if it has lists of another sweep");
	known.listed = SWEEP;
	known.missing = 1;
	tap_ok(!stn_cells_ready(&part), "another part is missing");
	known.missing = 0;
	tap_ok(stn_cells_ready(&part), "all are here");
	block.sending = 1;
	tap_ok(!stn_cells_ready(&part), "it is being sent to another node");
	block.sending = 0;
	cells.reach = NULL;
	known.listed = 0;
	tap_ok(stn_cells_ready(&part), "a sweep without a reach needs no lists");
	cells.tree_due = 1;
	tap_ok(!stn_cells_ready(&part), "this node lacks the tree");
	return tap_end();
}
