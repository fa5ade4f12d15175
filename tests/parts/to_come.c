/*
 * to_come.c: a node has joined, and is the home of a part that was sent to it
 * before it knew the array. Other nodes need the part before it has begun to
 * arrive.
 */
#include <string.h>

#include "parts/array.h"
#include "parts/cells/cells.h"
#include "parts/cells/near.h"
#include "parts/points.h"
#include "tests/tap.h"
#include "transport/ops.h"

#define PART 1

static struct stn_transport transport;
static struct stn_topology topology = { .nodes = 3 };
static struct stn_node node = { .transport = &transport,
				.topology = &topology };
static struct stn_parts_service service = { .node = &node };
static struct stn_bucket buckets[STN_BUCKETS_LEAST];
static struct stn_cells cells;
static struct stn_parts array = { .service = &service,
				  .buckets = buckets,
				  .bucket_mask = STN_BUCKETS_LEAST - 1,
				  .count = 4,
				  .nodes = 1 };

static void
make_shape(void)
{
	const struct stn_grid grid = { .rows = 64,
				       .columns = 64,
				       .part_rows = 16,
				       .part_columns = 64,
				       .element = sizeof(double),
				       .halo = 1 };
	struct stn_why why;

	if (stn_shape_init(&array.shape, &grid, &why))
		abort();
}

/* STN_READ of another node sends the points of the part. */
static void
test_points(void)
{
	struct stn_points *points = stn_points_create(&array, PART);
	const struct stn_part *part;

	stn_points_deal(&array, points);
	part = stn_array_known(&array, PART);
	tap_ok(part && part->dealt == points, "points wait for the part");
}

/* Node 2 wants the part for its sweep. */
static void
test_want(void)
{
	const struct stn_parts_want want = { array.id, 7, 2 };
	const uint32_t wanted = PART;
	const struct stn_arrival arrival = {
		.message = { .from = 2,
			     .header = &want,
			     .header_bytes = sizeof(want),
			     .payload_bytes = sizeof(wanted) },
		.payload = &wanted,
	};
	const struct stn_part *part;

	array.cells = &cells;
	if (stn_near_wanted(&array, &arrival.message, &want))
		abort();
	part = stn_array_known(&array, PART);
	tap_ok(part && part->cells && part->cells->asker_count == 1 &&
		       part->cells->askers[0].node == 2 &&
		       part->cells->askers[0].number == 7,
	       "a node that wants the part waits for it");
}

int
main(void)
{
	tap_begin();
	make_shape();
	test_points();
	test_want();
	return tap_end();
}
