/*
 * transfers.c: STN_WRITE, STN_READ and STN_GET. Each moves the points of a
 * window of parts at a time, so that the caller's node needs memory for one
 * window.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "node/progress.h"
#include "parts/array.h"
#include "parts/calls.h"
#include "parts/files/grid_file.h"
#include "parts/points.h"

#define WINDOW_BYTES (UINT64_C(64) << 20) /* at least one part */

/* A call, on its way through the parts of a grid. */
struct copying {
	struct stn_frame *frame;
	struct stn_owner *owner;
	struct stn_parts *array;
	struct stn_points **window; /* the points of the parts in the window */

	/* Does one part. STN_INVALID, STN_MISSING. */
	enum stn_err (*copy)(struct copying *copying, const struct stn_box *box,
			     struct stn_points *points, struct stn_why *why);
	struct stn_grid_file file;
	uint64_t plane; /* of STN_GET, and where its points go */
	unsigned char *to;
	bool repeated; /* STN_READ, which a former run of main has called */
};

static struct copying
begin_copying(struct stn_frame *frame, struct stn_parts *array)
{
	struct stn_owner *owner = stn_owner_of(frame->deque);

	stn_calls_check(frame, array);
	stn_array_check_grid(array);
	if (array->shape.hollow)
		stn_node_fail(owner->node,
			      "a grid has no data to read, write or copy in a "
			      "simulation with --cost hollow");
	return (struct copying){ .frame = frame,
				 .owner = owner,
				 .array = array };
}

/* Parts in a window: their points fit into its bytes. */
static uint32_t
window_parts(const struct stn_parts *array)
{
	const struct stn_shape *shape = &array->shape;
	uint64_t bytes = shape->element, parts;

	for (int d = 0; d < STN_DIRECTIONS; d++)
		bytes *= shape->part[d];
	parts = WINDOW_BYTES / bytes;
	parts = parts < array->count ? parts : array->count;
	return (uint32_t)(parts + !parts);
}

/* Calls copy for each part in the window, in their order. */
static void
copy_window(struct copying *copying, struct stn_parts_range range)
{
	struct stn_why why;

	for (uint32_t i = range.first; i < range.end; i++) {
		struct stn_box box = stn_shape_box(&copying->array->shape, i);

		if (copying->copy(copying, &box,
				  copying->window[i - range.first], &why))
			stn_node_fail(copying->owner->node, "%s", why.text);
	}
}

/* Brings the points of the window's parts to this node. */
static void
collect_window(struct copying *copying, struct stn_parts_range range)
{
	memset(copying->window, 0,
	       (range.end - range.first) * sizeof(copying->window[0]));
	stn_calls_collect(copying->frame, copying->array, range,
			  copying->window);
	copy_window(copying, range);
	for (uint32_t i = 0; i < range.end - range.first; i++)
		free(copying->window[i]);
}

/* Reads the points of the window's parts, and gives them to the parts. */
static void
deal_window(struct copying *copying, struct stn_parts_range range)
{
	struct stn_parts *array = copying->array;

	if (copying->repeated) {
		stn_calls_operate(copying->frame, array, STN_PARTS_DEAL,
				  &range);
		return;
	}
	for (uint32_t i = range.first; i < range.end; i++)
		copying->window[i - range.first] = stn_points_create(array, i);
	copy_window(copying, range);
	stn_node_enter(copying->owner->node);
	if (copying->owner->node->stopping)
		stn_node_fail(copying->owner->node,
			      "the run has ended while a task read a grid");
	array->dealt_generation = array->id.generation;
	for (uint32_t i = 0; i < range.end - range.first; i++)
		stn_points_deal(array, copying->window[i]);
	stn_node_leave(copying->owner->node);
	stn_calls_operate(copying->frame, array, STN_PARTS_DEAL, &range);
}

/* Goes through the parts of @range, a window at a time. */
static void
copy_range(struct copying *copying, struct stn_parts_range range,
	   void (*do_window)(struct copying *, struct stn_parts_range))
{
	uint32_t parts = window_parts(copying->array);
	struct stn_parts_range window = range;

	copying->window = calloc(parts, sizeof(copying->window[0]));
	if (!copying->window)
		stn_array_no_memory(copying->array);
	while (window.first < range.end) {
		uint32_t left = range.end - window.first;

		window.end = window.first + (left < parts ? left : parts);
		do_window(copying, window);
		window.first = window.end;
	}
	free(copying->window);
}

static enum stn_err
write_part(struct copying *copying, const struct stn_box *box,
	   struct stn_points *points, struct stn_why *why)
{
	return stn_grid_file_put(&copying->file, box, points->data, why);
}

void
stn_parts_write(struct stn_frame *frame, struct stn_parts *array,
		const char *file, const char *variable)
{
	struct copying copying = begin_copying(frame, array);
	struct stn_why why;

	/* The file was written before node 0 died. */
	if (stn_calls_repeated(frame, array, 1))
		return;
	copying.copy = write_part;
	if (stn_grid_file_create(&copying.file, file, variable, &array->shape,
				 &why))
		stn_node_fail(copying.owner->node, "%s", why.text);
	copy_range(&copying, (struct stn_parts_range){ 0, array->count },
		   collect_window);
	if (stn_grid_file_close(&copying.file, &why))
		stn_node_fail(copying.owner->node, "%s", why.text);
}

static enum stn_err
read_part(struct copying *copying, const struct stn_box *box,
	  struct stn_points *points, struct stn_why *why)
{
	return stn_grid_file_get(&copying->file, box, points->data, why);
}

/* Whether main runs again, and has read the grid before. */
static bool
was_read(const struct copying *copying)
{
	struct stn_parts *array = copying->array;
	uint32_t parts = window_parts(array);
	uint32_t windows = array->count / parts + !!(array->count % parts);

	if (stn_calls_repeated(copying->frame, array, windows + 1))
		return true;
	if (stn_calls_repeated(copying->frame, array, 1))
		stn_node_fail(copying->owner->node,
			      "the body of STN_MAIN runs again because a node "
			      "is gone, and can't read the rest of a grid "
			      "(STN_READ)");
	return false;
}

void
stn_parts_read(struct stn_frame *frame, struct stn_parts *array,
	       const char *file, const char *variable)
{
	struct copying copying = begin_copying(frame, array);
	struct stn_why why;

	copying.repeated = was_read(&copying);
	copying.copy = read_part;
	if (!copying.repeated &&
	    stn_grid_file_open(&copying.file, file, variable, &array->shape,
			       &why))
		stn_node_fail(copying.owner->node, "%s", why.text);
	copy_range(&copying, (struct stn_parts_range){ 0, array->count },
		   deal_window);
	if (!copying.repeated && stn_grid_file_close(&copying.file, &why))
		stn_node_fail(copying.owner->node, "%s", why.text);
	stn_calls_operate(frame, array, STN_PARTS_REFRESH, NULL);
}

/* Copies the points of the box that are in the plane. */
static enum stn_err
get_part(struct copying *copying, const struct stn_box *box,
	 struct stn_points *points, struct stn_why *why)
{
	const struct stn_shape *shape = &copying->array->shape;
	uint64_t columns = (uint64_t)(box->high[2] - box->low[2]);
	uint64_t rows = (uint64_t)(box->high[1] - box->low[1]);
	uint64_t plane = copying->plane - (uint64_t)box->low[0];
	uint64_t bytes = columns * shape->element;
	const unsigned char *from = points->data + plane * rows * bytes;
	uint64_t stride = shape->size[2] * shape->element;
	unsigned char *to = copying->to + (uint64_t)box->low[1] * stride +
			    (uint64_t)box->low[2] * shape->element;

	(void)why;
	for (uint64_t i = 0; i < rows; i++)
		memcpy(to + i * stride, from + i * bytes, bytes);
	return STN_OK;
}

void
stn_parts_get(struct stn_frame *frame, struct stn_parts *array, uint64_t plane,
	      uint32_t element, void *to)
{
	struct copying copying = begin_copying(frame, array);
	const struct stn_shape *shape = &array->shape;
	uint32_t layer = shape->count[1] * shape->count[2], first;

	if (plane >= shape->size[0])
		stn_node_fail(copying.owner->node,
			      "a grid has no plane %" PRIu64, plane);
	if (element != shape->element)
		stn_node_fail(copying.owner->node,
			      "elements of %" PRIu32 " bytes are to be copied, "
			      "but the grid's have %" PRIu32,
			      element, shape->element);
	if (stn_calls_repeated(frame, array, 1))
		stn_node_fail(copying.owner->node,
			      "the body of STN_MAIN, which runs again because "
			      "a node is gone, needs the points of a grid "
			      "(STN_GET) as they were before later operations");
	array->got |= stn_calls_by_main(frame);
	copying.copy = get_part;
	copying.plane = plane;
	copying.to = to;
	first = (uint32_t)(plane / shape->part[0]) * layer;
	copy_range(&copying, (struct stn_parts_range){ first, first + layer },
		   collect_window);
}
