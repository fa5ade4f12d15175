#include "parts/points.h"

#include <stdlib.h>
#include <string.h>

#include "node/dispatch.h"
#include "parts/array.h"
#include "parts/gather.h"
#include "parts/ready.h"

/* Points that leave this node, or arrive. */
struct journey {
	struct stn_parts *array;
	struct stn_points *points;
	struct stn_parts_points header;
	bool collected; /* else dealt */
};

struct stn_points *
stn_points_create(const struct stn_parts *array, uint32_t part)
{
	struct stn_box box = stn_shape_box(&array->shape, part);
	uint64_t bytes = stn_box_points(&box) * array->shape.element;
	size_t all = (sizeof(struct stn_points) + bytes + 63) / 64 * 64;
	struct stn_points *points = aligned_alloc(64, all);

	if (!points)
		stn_array_no_memory(array);
	points->part = part;
	points->bytes = bytes;
	return points;
}

struct stn_points *
stn_points_pack(const struct stn_part *part)
{
	struct stn_points *points =
		stn_points_create(part->array, part->number);

	stn_memory_copy_out(&part->memory, &part->array->shape, part->number,
			    points->data);
	return points;
}

void
stn_points_unpack(struct stn_part *part, const struct stn_points *points)
{
	stn_memory_copy_in(&part->memory, &part->array->shape, part->number,
			   points->data);
}

static void
journey_done(void *arg, enum stn_err err)
{
	struct journey *journey = arg;

	(void)err; /* a receiver that has died is told of by a view */
	free(journey->points);
	free(journey);
}

static struct journey *
begin_journey(struct stn_parts *array, struct stn_points *points,
	      bool collected)
{
	struct journey *journey = malloc(sizeof(*journey));

	if (!journey)
		stn_array_no_memory(array);
	*journey = (struct journey){
		array, points, { array->id, points->part, 0 }, collected
	};
	return journey;
}

static void
send_points(struct stn_parts *array, struct stn_points *points, uint32_t to,
	    bool collected)
{
	struct journey *journey = begin_journey(array, points, collected);
	struct iovec data = { points->data, points->bytes };

	stn_node_send(array->service->node, to,
		      collected ? STN_PARTS_KIND_COLLECTED
				: STN_PARTS_KIND_DEALT,
		      &journey->header, sizeof(journey->header), &data, 1,
		      journey_done, journey);
}

void
stn_points_collect(struct stn_parts *array, struct stn_points *points)
{
	uint32_t caller = array->operation.order.caller;

	if (caller == array->service->node->rank)
		stn_gather_points(array, points);
	else
		send_points(array, points, caller, true);
}

void
stn_points_deal(struct stn_parts *array, struct stn_points *points)
{
	uint32_t home = stn_array_home(array, points->part);
	struct stn_part *part;

	if (home != array->service->node->rank) {
		send_points(array, points, home, false);
		return;
	}
	part = stn_array_known(array, points->part);
	free(part->dealt);
	part->dealt = points;
	stn_part_consider(part);
}

static void
journey_ends(void *arg, enum stn_err err)
{
	struct journey *journey = arg;

	if (err || journey->array->freed) {
		journey_done(journey, err);
		return;
	}
	if (journey->collected)
		stn_points_collect(journey->array, journey->points);
	else
		stn_points_deal(journey->array, journey->points);
	free(journey);
}

enum stn_err
stn_points_take(struct stn_parts *array, const struct stn_message *message,
		const struct stn_parts_points *header)
{
	bool collected = message->kind == STN_PARTS_KIND_COLLECTED;
	struct journey *journey;
	struct iovec data;

	if (header->part >= array->count ||
	    (collected && !stn_gather_awaits(array, header->part)))
		return STN_MALFORMED;
	journey = begin_journey(array, stn_points_create(array, header->part),
				collected);
	data = (struct iovec){ journey->points->data, journey->points->bytes };
	if (message->payload_bytes != data.iov_len) {
		journey_done(journey, STN_MALFORMED);
		return STN_MALFORMED;
	}
	stn_transport_take(array->service->node->transport, message, &data, 1,
			   journey_ends, journey);
	return STN_OK;
}
