/*
 * views.c: nodes apply a view of the membership, and replace parts of cells, at
 * different times. A message or a part of a node that is ahead or behind is
 * neither handled at the wrong time, nor counted twice.
 */
#include "parts/cells/cells.h"
#include "parts/fate.h"
#include "parts/gather.h"
#include "parts/wire.h"
#include "tests/tap.h"

#define VIEW 5

/* Node 1; node 0 is the root. */
static struct stn_node node = { .rank = 1 };
static struct stn_parts_service service = { .node = &node, .view = VIEW };
static struct stn_cells cells;
static struct stn_parts array = { .service = &service,
				  .cells = &cells,
				  .scheduling = &service };

static uint32_t
cut(uint32_t generation, int times)
{
	while (times--)
		generation = stn_generation_cut(generation);
	return generation;
}

/* Of an operation that the root has begun in @generation, in this view. */
static enum stn_fate
fate_of(uint8_t what, uint32_t generation)
{
	const struct stn_parts_wire wire = {
		.kind = STN_PARTS_KIND_OPERATE,
		.array.generation = generation,
		.operate = { .view = VIEW, .what = what },
	};

	return stn_fate_of(&service, &array, &wire);
}

static void
test_operations(void)
{
	array.id.generation = cut(VIEW, 1);
	tap_ok(fate_of(STN_PARTS_SWEEPS, cut(VIEW, 1)) == STN_NOW &&
		       fate_of(STN_CELLS_JOIN, cut(VIEW, 1)) == STN_NOW,
	       "an operation on the parts as they are begins");
	tap_ok(fate_of(STN_PARTS_SWEEPS, cut(VIEW, 2)) == STN_LATER,
	       "one on the parts of the next cut waits for them");
	tap_ok(fate_of(STN_CELLS_JOIN, cut(VIEW, 2)) == STN_NOW,
	       "but not the one that makes them");
	tap_ok(fate_of(STN_PARTS_SWEEPS, cut(VIEW, 0)) == STN_NEVER &&
		       fate_of(STN_CELLS_JOIN, cut(VIEW, 0)) == STN_NEVER,
	       "one on parts that have been cut is void");
	/* It has waited for its plan, and the parts have returned meanwhile. */
	tap_ok(fate_of(STN_PARTS_SWEEPS, cut(VIEW - 1, 7)) == STN_NEVER &&
		       fate_of(STN_CELLS_JOIN, cut(VIEW - 1, 7)) == STN_NEVER,
	       "so is one on parts that have returned to an earlier version");
	array.id.generation = cut(VIEW - 1, 7);
	tap_ok(fate_of(STN_PARTS_SWEEPS, VIEW) == STN_LATER &&
		       fate_of(STN_CELLS_JOIN, VIEW) == STN_LATER,
	       "one on parts that are to return waits for that");
}

/* A part that has finished the operation comes from another node. */
static void
test_counts(void)
{
	struct stn_part part = { .array = &array, .finished = 3 };

	array.cells = NULL;
	array.operation.order.number = 3;
	part.counted = VIEW;
	stn_gather_again(&part);
	tap_ok(array.gather.parts == 1,
	       "a part that was counted in the last view is counted again");
	stn_gather_again(&part);
	tap_ok(array.gather.parts == 1, "once");
	array.gather.parts = 0;
	part.counted = VIEW + 2;
	stn_gather_again(&part);
	service.view = VIEW + 1;
	stn_gather_again(&part);
	tap_ok(array.gather.parts == 0,
	       "a node that is a view ahead has counted it for that view");
	service.view = VIEW + 2;
	stn_gather_again(&part);
	tap_ok(array.gather.parts == 1, "but not for the next one");
}

int
main(void)
{
	tap_begin();
	test_operations();
	test_counts();
	return tap_end();
}
