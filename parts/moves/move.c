#include "parts/moves/move.h"

#include <stdlib.h>

#include "node/dispatch.h"
#include "parts/array.h"
#include "parts/cells/block.h"
#include "parts/cells/near.h"
#include "parts/early.h"
#include "parts/gather.h"
#include "parts/halo.h"
#include "parts/points.h"
#include "parts/ready.h"
#include "parts/scheduler.h"
#include "parts/seats.h"
#include "parts/survive/copies.h"
#include "parts/survive/store.h"
#include "parts/traced.h"

/* A part that leaves this node, or arrives. */
struct passage {
	struct stn_parts *array;
	struct stn_parts_give header;
	struct stn_memory memory;
	uint32_t from;	   /* of a part that arrives: its giver, */
	uint64_t began_ns; /* and when it began to arrive */
};

static void
end_passage(struct passage *passage)
{
	passage->array->service->under_way--;
	stn_memory_fini(&passage->memory);
	free(passage);
}

static void
gift_must_arrive(const struct passage *passage, enum stn_err err)
{
	stn_node_must_arrive(passage->array->service->node,
			     "a part of an array", err);
}

static void
gift_left(void *arg, enum stn_err err)
{
	gift_must_arrive(arg, err);
	end_passage(arg);
}

static void
gift_send(struct stn_part *part, uint32_t to)
{
	struct stn_parts *array = part->array;
	struct passage *passage = malloc(sizeof(*passage));
	struct iovec pieces[2];

	if (!passage)
		stn_array_no_memory(array);
	*passage = (struct passage){
		.array = array,
		.header = { array->id, part->number, part->epoch, part->counted,
			    part->version, part->fresh, part->finished,
			    part->restored | part->stored << 1, part->value,
			    part->copied },
		.memory = part->memory,
	};
	part->memory = (struct stn_memory){ 0 };
	array->service->under_way++;
	stn_node_send(
		array->service->node, to, STN_PARTS_KIND_GIVE, &passage->header,
		sizeof(passage->header), pieces,
		stn_memory_layers(&passage->memory, &array->shape, pieces),
		gift_left, passage);
}

/* Sends pieces and points that have landed for the part to its new home. */
static void
pass_landings(struct stn_part *part)
{
	struct stn_points *dealt = part->dealt;

	part->dealt = NULL;
	if (dealt)
		stn_points_deal(part->array, dealt);
	for (int i = 0; i < 2; i++) {
		while (!SLIST_EMPTY(&part->landings[i])) {
			struct stn_landing *landing =
				SLIST_FIRST(&part->landings[i]);

			SLIST_REMOVE_HEAD(&part->landings[i], link);
			stn_halo_pass(part->array, landing);
		}
		part->landed[i] = 0;
	}
}

/* Tells the nodes that have neighbours of the part where it is. */
static void
tell_neighbours(struct stn_part *part)
{
	struct stn_parts *array = part->array;
	const struct stn_parts_moved moved = { array->id, part->number,
					       part->home, part->epoch };
	uint32_t places = stn_shape_places(&array->shape);
	uint32_t last = part->home;

	for (uint32_t place = 0; place < places; place++) {
		struct stn_piece piece;
		uint32_t home;

		if (!stn_shape_needs(&array->shape, part->number, place,
				     &piece))
			continue;
		home = stn_array_home(array, piece.from);
		if (home == last || home == array->service->node->rank)
			continue;
		last = home;
		stn_node_say(array->service->node, home, STN_PARTS_KIND_MOVED,
			     &moved, sizeof(moved));
	}
}

void
stn_part_give(struct stn_part *part, uint32_t to)
{
	struct stn_parts *array = part->array;

	if (array->restoring ||
	    !stn_members_stays(&array->service->node->members, to))
		return;
	stn_part_withdraw(part);
	part->here = false;
	array->here--;
	if (array->operation.active &&
	    part->finished < array->operation.order.number)
		array->unfinished--;
	part->home = to;
	part->expected = STN_NOBODY;
	part->epoch++;
	array->service->counts.given++;
	if (array->cells)
		stn_near_leave(part);
	gift_send(part, to);
	pass_landings(part);
	tell_neighbours(part);
	if (array->cells)
		stn_near_answer(part);
	stn_gather_flush(array);
}

/* The part goes on here. */
static void
part_arrives(struct stn_part *part)
{
	struct stn_parts *array = part->array;

	part->arriving = false;
	stn_part_settle(part);
	if (array->freed) {
		stn_array_clear(array);
		return;
	}
	/* Its giver may not have begun the operation. */
	stn_part_skip(part);
	if (array->operation.active &&
	    part->finished < array->operation.order.number)
		array->unfinished++;
	else
		stn_gather_again(part);
	array->service->departure.told = false;
	if (array->cells)
		stn_near_arrive(part);
	stn_copies_check(part);
	stn_store_check(part);
	/* It has moved after it was restored, before the operation began. */
	if (part->restored && array->operation.active)
		stn_halo_again(part);
	stn_part_consider(part);
	if (array->service->scheduler->arrived)
		array->service->scheduler->arrived(part);
	stn_seat_pass(part);
	stn_gather_flush(array);
}

static void
trace_arrival(const struct passage *passage)
{
	stn_trace_net(passage->array->service->node, STN_TRACE_MOVED,
		      passage->began_ns, passage->header.part, passage->from,
		      0);
}

static void
gift_landed(void *arg, enum stn_err err)
{
	struct passage *passage = arg;
	struct stn_parts *array = passage->array;
	struct stn_part *part;

	gift_must_arrive(passage, err);
	/* All parts have returned to an earlier version meanwhile. */
	if (passage->header.array.generation != array->id.generation) {
		end_passage(passage);
		return;
	}
	part = stn_array_part(array, passage->header.part);
	if (err) { /* its giver has died, or the run ends */
		part->arriving = false;
		end_passage(passage);
		return;
	}
	if (array->cells &&
	    stn_block_landed(passage->memory.block, array->shape.element, true))
		stn_node_fail(array->service->node,
			      "a node has sent a malformed part of cells");
	part->memory = passage->memory;
	array->service->under_way--;
	trace_arrival(passage);
	free(passage);
	part_arrives(part);
	stn_early_retry(array->service); /* points may be wanted of the part */
}

static void
note_arrival(struct stn_part *part, const struct stn_parts_give *header)
{
	part->arriving = true;
	part->home = part->array->service->node->rank;
	part->expected = STN_NOBODY;
	part->epoch = header->epoch;
	part->counted = header->counted;
	part->version = header->version;
	part->fresh = header->fresh;
	part->finished = header->finished;
	part->value = header->value;
	part->copied = header->copied;
	part->restored = header->restored & 1;
	part->stored = header->restored >> 1;
}

/* Memory for a payload of @bytes bytes. */
static enum stn_err
passage_memory(const struct stn_parts *array, uint32_t number, size_t bytes,
	       struct stn_memory *memory)
{
	if (!array->cells)
		return stn_memory_init(memory, &array->shape, number);
	memory->block = stn_block_landing(bytes);
	return memory->block ? STN_OK : STN_NO_MEMORY;
}

static size_t
passage_pieces(const struct passage *passage, struct iovec pieces[2])
{
	struct stn_block *block = passage->memory.block;

	if (!block)
		return stn_memory_layers(&passage->memory,
					 &passage->array->shape, pieces);
	pieces[0] = (struct iovec){ block->data, block->bytes };
	return 1;
}

static size_t
bytes_of(const struct iovec *pieces, size_t count)
{
	size_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		bytes += pieces[i].iov_len;
	return bytes;
}

enum stn_err
stn_move_take(struct stn_parts *array, const struct stn_message *message,
	      const struct stn_parts_give *header)
{
	struct passage *passage;
	struct stn_part *part;
	struct iovec pieces[2];
	size_t count;

	if (header->part >= array->count)
		return STN_MALFORMED;
	part = stn_array_part(array, header->part);
	passage = calloc(1, sizeof(*passage));
	if (!part || !passage ||
	    passage_memory(array, part->number, message->payload_bytes,
			   &passage->memory))
		stn_array_no_memory(array);
	passage->array = array;
	passage->header = *header;
	passage->from = message->from;
	passage->began_ns = stn_node_now(array->service->node);
	array->service->under_way++;
	count = passage_pieces(passage, pieces);
	if (part->here || part->arriving ||
	    bytes_of(pieces, count) != message->payload_bytes) {
		end_passage(passage);
		return STN_MALFORMED;
	}
	array->service->counts.taken++;
	note_arrival(part, header);
	stn_early_take(array->service, message, pieces, count, gift_landed,
		       passage);
	return STN_OK;
}

enum stn_err
stn_move_told(struct stn_parts *array, const struct stn_parts_moved *moved)
{
	struct stn_part *part;

	if (moved->part >= array->count ||
	    moved->home >= array->service->node->topology->nodes)
		return STN_MALFORMED;
	part = stn_array_part(array, moved->part);
	if (!part)
		stn_array_no_memory(array);
	if (moved->epoch > part->epoch &&
	    moved->home != array->service->node->rank) {
		part->epoch = moved->epoch;
		part->home = moved->home;
		part->expected = STN_NOBODY;
	}
	return STN_OK;
}
