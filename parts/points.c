#include "parts/points.h"

#include <stdlib.h>
#include <string.h>

#include "node/dispatch.h"
#include "node/sleep.h"
#include "parts/array.h"
#include "parts/early.h"
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

static struct stn_points *
points_pack(const struct stn_part *part)
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
end_journey(struct journey *journey)
{
	journey->array->service->under_way--;
	free(journey->points);
	free(journey);
}

static void
points_must_arrive(const struct journey *journey, enum stn_err err)
{
	stn_node_must_arrive(journey->array->service->node,
			     "the points of a part", err);
}

static void
journey_done(void *arg, enum stn_err err)
{
	points_must_arrive(arg, err);
	end_journey(arg);
}

static struct journey *
begin_journey(struct stn_parts *array, struct stn_points *points,
	      const struct stn_parts_points *header, bool collected)
{
	struct journey *journey = malloc(sizeof(*journey));

	if (!journey)
		stn_array_no_memory(array);
	*journey = (struct journey){ array, points, *header, collected };
	array->service->under_way++;
	return journey;
}

static void
send_points(struct stn_parts *array, struct stn_points *points,
	    const struct stn_parts_points *header, uint32_t to, uint8_t kind)
{
	struct journey *journey = begin_journey(
		array, points, header, kind == STN_PARTS_KIND_COLLECTED);
	struct iovec data = { points->data, points->bytes };

	stn_node_send(array->service->node, to, kind, &journey->header,
		      sizeof(journey->header), &data, 1, journey_done, journey);
}

/* Points have come to the node that has asked for them. */
static void
collect_points(struct stn_parts *array, struct stn_points *points,
	       const struct stn_parts_points *header)
{
	struct stn_fetching *fetching = &array->fetching;
	struct stn_points **place =
		&fetching->points[points->part - fetching->range.first];

	/* An answer to an earlier question. */
	if (header->serial != fetching->serial || !fetching->missing ||
	    points->part < fetching->range.first ||
	    points->part >= fetching->range.end || *place) {
		free(points);
		return;
	}
	*place = points;
	if (--fetching->missing)
		return;
	fetching->over = true;
	stn_node_wake(array->service->node);
}

bool
stn_points_ready(const struct stn_parts *array, uint32_t number)
{
	const struct stn_part *part = stn_array_known(array, number);

	if (stn_array_home(array, number) != array->service->node->rank)
		return true; /* to be passed on */
	return part && part->here && !part->running &&
	       array->operation.order.number == array->history.count &&
	       part->finished == array->operation.order.number;
}

enum stn_err
stn_points_wanted(struct stn_parts *array,
		  const struct stn_parts_points *header)
{
	struct stn_node *node = array->service->node;
	uint32_t home;
	struct stn_points *points;

	if (header->part >= array->count || header->to >= node->topology->nodes)
		return STN_MALFORMED;
	home = stn_array_home(array, header->part);
	if (home != node->rank) {
		stn_node_say(node, home, STN_PARTS_KIND_FETCH, header,
			     sizeof(*header));
		return STN_OK;
	}
	points = points_pack(stn_array_known(array, header->part));
	if (header->to == node->rank)
		collect_points(array, points, header);
	else
		send_points(array, points, header, header->to,
			    STN_PARTS_KIND_COLLECTED);
	return STN_OK;
}

void
stn_points_ask(struct stn_parts *array)
{
	struct stn_parts_service *service = array->service;
	struct stn_fetching *fetching = &array->fetching;
	struct stn_parts_points wanted = { array->id, 0, service->node->rank,
					   ++fetching->serial };
	struct stn_message message = { .kind = STN_PARTS_KIND_FETCH,
				       .from = service->node->rank,
				       .header_bytes = sizeof(wanted) };

	fetching->over = false;
	for (uint32_t i = fetching->range.first; i < fetching->range.end; i++) {
		if (fetching->points[i - fetching->range.first])
			continue;
		wanted.part = i;
		message.header = &wanted;
		if (service->handle(service, &message))
			stn_node_fail(service->node,
				      "this node has refused its own question "
				      "for points; please report that");
	}
}

void
stn_points_again(struct stn_parts *array)
{
	if (!array->fetching.missing)
		return;
	array->fetching.serial++; /* answers under way are void */
	array->fetching.over = true;
	stn_node_wake(array->service->node);
}

void
stn_points_deal(struct stn_parts *array, struct stn_points *points)
{
	uint32_t rank = array->service->node->rank;
	uint32_t home = stn_array_home(array, points->part);
	const struct stn_parts_points header = { array->id, points->part, rank,
						 0 };
	struct stn_part *part;

	if (home != rank) {
		send_points(array, points, &header, home, STN_PARTS_KIND_DEALT);
		return;
	}
	/* The part may not have come yet: see stn_halo_pass. */
	part = stn_array_part(array, points->part);
	if (!part)
		stn_array_no_memory(array);
	free(part->dealt);
	part->dealt = points;
	stn_part_consider(part);
}

static void
journey_ends(void *arg, enum stn_err err)
{
	struct journey *journey = arg;
	struct stn_parts *array = journey->array;

	points_must_arrive(journey, err);
	/* All parts have returned to an earlier version meanwhile, or so. */
	if (err || array->freed ||
	    journey->header.array.generation != array->id.generation) {
		end_journey(journey);
		return;
	}
	if (journey->collected)
		collect_points(array, journey->points, &journey->header);
	else
		stn_points_deal(array, journey->points);
	journey->points = NULL;
	end_journey(journey);
}

enum stn_err
stn_points_take(struct stn_parts *array, const struct stn_message *message,
		const struct stn_parts_points *header)
{
	bool collected = message->kind == STN_PARTS_KIND_COLLECTED;
	struct journey *journey;
	struct iovec data;

	if (header->part >= array->count)
		return STN_MALFORMED;
	journey = begin_journey(array, stn_points_create(array, header->part),
				header, collected);
	data = (struct iovec){ journey->points->data, journey->points->bytes };
	if (message->payload_bytes != data.iov_len) {
		end_journey(journey);
		return STN_MALFORMED;
	}
	stn_early_take(array->service, message, &data, 1, journey_ends,
		       journey);
	return STN_OK;
}
