/*
 * freed.c: an array that is freed keeps its history, and that it has been made,
 * but nothing whose size depends on its parts and records.
 */
#include <string.h>

#include "parts/array.h"
#include "parts/cells/cells.h"
#include "parts/cells/given.h"
#include "parts/cells/plans.h"
#include "tests/tap.h"

#define PARTS 5000

static struct stn_node node;
static struct stn_parts_service service = { .node = &node };
static struct stn_parts array = {
	.service = &service,
	.shape = { .number = STN_SHAPE_CELLS, .count = { 1, 1, PARTS } },
	.count = PARTS,
	.nodes = 1,
	.copies.wanted = true,
};

static void *
memory(size_t bytes)
{
	void *made = calloc(1, bytes);

	if (!made)
		abort();
	return made;
}

static void
make_array(void)
{
	const struct stn_parts_create create = { .columns = 2, .element = 100 };
	const struct stn_parts_operate order = { .what = STN_PARTS_FILL };

	array.buckets = memory(STN_BUCKETS_LEAST * sizeof(array.buckets[0]));
	array.bucket_mask = STN_BUCKETS_LEAST - 1;
	array.scheduling = memory(50 * PARTS);
	array.cells = stn_cells_begin(&create);
	SLIST_INSERT_HEAD(&service.arrays, &array, link);
	for (uint32_t i = 0; i < PARTS; i++)
		if (!stn_array_part(&array, i) ||
		    stn_homes_add(&array.homes, i, i % 2, 0))
			abort();
	if (stn_history_add(&array.history, &order, 0, 1, 0))
		abort();
}

static void
fill_cells(void)
{
	static const unsigned char record[100];
	const struct stn_given given = { .count = 1, .records = record };
	const struct stn_parts_plan plan = { .serial = 1 };
	struct stn_cells *cells = array.cells;

	cells->questions = stn_block_landing(100);
	cells->briefs = stn_block_landing(100);
	cells->cut = true;
	cells->tree.leaves = memory(100);
	cells->next.leaves = memory(100);
	if (!stn_plans_add(cells, &plan, cells->briefs) ||
	    stn_given_keep(&array, &given, 1) ||
	    !stn_harvest_grow(&cells->result, 100))
		abort();
}

int
main(void)
{
	const struct stn_cells *cells;

	tap_begin();
	make_array();
	fill_cells();
	cells = array.cells;
	tap_ok(array.bucket_mask > PARTS / 4, "the array has parts");
	stn_array_clear(&array);
	tap_ok(array.freed && array.scheduling && array.history.count == 1,
	       "it is freed, and known to have been made");
	tap_ok(array.bucket_mask == STN_BUCKETS_LEAST - 1 && !array.known &&
		       !array.homes.list,
	       "nothing is left of its parts");
	tap_ok(!cells->questions && !cells->briefs && !cells->tree.leaves &&
		       !cells->next.leaves && !cells->result.bytes &&
		       TAILQ_EMPTY(&cells->plans) && SLIST_EMPTY(&cells->given),
	       "nor of its records");
	tap_ok(cells->cut, "main may call again what it has called");
	tap_ok(stn_array_part(&array, PARTS - 1) != NULL,
	       "it can be made again after a death");
	return tap_end();
}
