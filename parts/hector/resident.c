#include "parts/hector/resident.h"

#include <stdlib.h>
#include <string.h>

#include "node/dispatch.h"
#include "node/sleep.h"
#include "parts/array.h"
#include "parts/cells/block.h"
#include "parts/hector/master.h"
#include "parts/scheduler.h"
#include "parts/seats.h"

#define LOOK_NS 1000000ull /* between looks at a set that leaves */

/* A scheduler's state on its way. */
struct set_state {
	struct stn_hector *hector;
	struct stn_hector_state header;
	void *bytes;
	size_t count;
};

static bool
is_alive(const struct stn_parts *array)
{
	return array->scheduling && !array->freed && !array->restoring;
}

/* The block of a part that is being swept may be replaced meanwhile. */
static void
add_block(struct stn_part *part, void *bytes)
{
	const struct stn_block *block =
		part->running ? NULL : part->memory.block;

	if (block)
		*(uint64_t *)bytes +=
			block->bytes +
			(block->summary_apart ? block->head->summary_bytes : 0);
}

static uint64_t
bytes_here(struct stn_parts *array)
{
	uint64_t bytes = 0;

	if (!array->cells)
		return array->here * stn_memory_bytes(&array->shape) *
		       array->shape.colours;
	stn_array_each(array, add_block, &bytes);
	return bytes;
}

uint64_t
stn_resident_bytes(const struct stn_parts_service *parts, uint32_t *parts_p)
{
	struct stn_parts *array;
	uint64_t bytes = 0;

	*parts_p = 0;
	SLIST_FOREACH(array, &parts->arrays, link)
	if (is_alive(array)) {
		*parts_p += array->here;
		bytes += bytes_here(array);
	}
	return bytes;
}

static void
state_must_arrive(const struct set_state *state, enum stn_err err)
{
	stn_node_must_arrive(state->hector->node, "the state of a resident set",
			     err);
}

static void
state_sent(void *arg, enum stn_err err)
{
	struct set_state *state = arg;

	state_must_arrive(state, err);
	free(state->bytes);
	free(state);
}

static void
send_state(struct stn_hector *hector, struct stn_parts *array, uint32_t to)
{
	struct set_state *state = calloc(1, sizeof(*state));
	struct iovec piece;

	if (!state)
		stn_array_no_memory(array);
	state->hector = hector;
	state->header.array = array->id;
	state->bytes = hector->parts->scheduler->pack(array, &state->count);
	piece = (struct iovec){ state->bytes, state->count };
	stn_node_send(hector->node, to, STN_HECTOR_STATE, &state->header,
		      sizeof(state->header), &piece, 1, state_sent, state);
}

/* Arrays whose state moves with a set. */
static uint32_t
count_states(const struct stn_parts_service *parts)
{
	const struct stn_parts *array;
	uint32_t count = 0;

	if (parts->scheduler->pack)
		SLIST_FOREACH(array, &parts->arrays, link)
	count += is_alive(array);
	return count;
}

static bool
can_leave(const struct stn_hector *hector)
{
	const struct stn_hector_migrate *order = &hector->ordered;
	const struct stn_node *node = hector->node;

	return hector->parts->seat == order->set &&
	       hector->leaving.set == STN_NOBODY && !hector->expected &&
	       !node->leaving && order->to != node->rank &&
	       stn_members_stays(&node->members, order->to);
}

static void
begin_to_leave(struct stn_hector *hector, uint64_t now)
{
	struct stn_parts_service *parts = hector->parts;
	const struct stn_hector_migrate news = {
		.set = hector->ordered.set,
		.to = hector->ordered.to,
		.states = count_states(parts),
	};
	struct stn_parts *array;
	uint32_t count;

	hector->ordered.set = STN_NOBODY;
	hector->leaving =
		(struct stn_leaving_set){ news.set, news.to, now,
					  stn_resident_bytes(parts, &count) };
	hector->registered = false;
	hector->counts.sets_left++;
	parts->heir = news.to;
	stn_seat_move(parts, news.set, news.to);
	stn_node_say(hector->node, news.to, STN_HECTOR_SET, &news,
		     sizeof(news));
	if (news.states)
		SLIST_FOREACH(array, &parts->arrays, link)
	if (is_alive(array))
		send_state(hector, array, news.to);
}

/* If the state of a set that has just come is still on its way, it waits. */
void
stn_resident_leave(struct stn_hector *hector,
		   const struct stn_hector_migrate *order)
{
	hector->ordered = *order;
	stn_resident_look(hector, stn_node_now(hector->node));
}

/* Passes all parts on that can move. */
static void
pass_parts(struct stn_parts *array)
{
	struct stn_part **list;
	uint32_t count = array->here;

	if (!count)
		return;
	list = malloc(count * sizeof(list[0]));
	if (!list)
		stn_array_no_memory(array);
	stn_array_list(array, list);
	for (uint32_t i = 0; i < count; i++)
		stn_seat_pass(list[i]);
	free(list);
}

static void
tell_moved(struct stn_hector *hector, uint64_t now)
{
	struct stn_leaving_set *leaving = &hector->leaving;
	const struct stn_hector_moved moved = { leaving->set, leaving->to,
						leaving->bytes,
						now - leaving->begin_ns };

	leaving->set = STN_NOBODY;
	hector->counts.set_bytes += moved.bytes;
	hector->counts.set_ns += moved.ns;
	stn_master_tell(hector, STN_HECTOR_MOVED, &moved, sizeof(moved));
}

uint64_t
stn_resident_look(struct stn_hector *hector, uint64_t now)
{
	struct stn_parts *array;
	uint32_t parts;

	if (hector->ordered.set != STN_NOBODY && can_leave(hector))
		begin_to_leave(hector, now);
	if (hector->leaving.set == STN_NOBODY)
		return STN_FOREVER; /* or until a state has come */
	SLIST_FOREACH(array, &hector->parts->arrays, link)
	if (is_alive(array))
		pass_parts(array);
	stn_resident_bytes(hector->parts, &parts);
	if (parts)
		return now + LOOK_NS;
	tell_moved(hector, now);
	return STN_FOREVER;
}

void
stn_resident_register(struct stn_hector *hector)
{
	const struct stn_hector_migrate news = { .set = 0,
						 .to = hector->node->rank };

	if (!hector->through || hector->inside || hector->registered ||
	    hector->parts->seat || hector->expected)
		return;
	hector->registered = true;
	stn_master_tell(hector, STN_HECTOR_REGISTER, &news, sizeof(news));
}

/* All states have come: other arrays are new to the set. */
static void
begin_set_here(struct stn_hector *hector)
{
	const struct stn_scheduler *scheduler = hector->parts->scheduler;
	struct stn_parts *array;

	if (hector->expected)
		return;
	if (scheduler->unpack)
		SLIST_FOREACH(array, &hector->parts->arrays, link)
	if (is_alive(array) && scheduler->unpack(array, NULL, 0))
		stn_array_no_memory(array);
	stn_resident_register(hector);
	stn_resident_look(hector, stn_node_now(hector->node));
}

void
stn_resident_come(struct stn_hector *hector,
		  const struct stn_hector_migrate *news)
{
	struct stn_parts_service *parts = hector->parts;
	struct stn_parts *array;

	stn_seat_move(parts, news->set, hector->node->rank);
	parts->heir = STN_NOBODY;
	hector->leaving.set = STN_NOBODY;
	hector->expected = news->states;
	hector->counts.sets_come++;
	if (parts->scheduler->expect)
		SLIST_FOREACH(array, &parts->arrays, link)
	if (is_alive(array))
		parts->scheduler->expect(array);
	begin_set_here(hector);
	stn_node_wake(hector->node);
}

static void
state_came(struct set_state *state)
{
	struct stn_hector *hector = state->hector;
	struct stn_parts *array =
		stn_array_find(hector->parts, state->header.array);

	hector->expected -= hector->expected > 0;
	if (array && is_alive(array) &&
	    array->id.generation == state->header.array.generation &&
	    hector->parts->scheduler->unpack(array, state->bytes, state->count))
		stn_node_fail(hector->node,
			      "a node has sent a malformed state of an array");
	begin_set_here(hector);
}

static void
state_landed(void *arg, enum stn_err err)
{
	struct set_state *state = arg;

	state_must_arrive(state, err);
	if (!err)
		state_came(state);
	free(state->bytes);
	free(state);
}

enum stn_err
stn_resident_state(struct stn_hector *hector, const struct stn_message *message,
		   const struct stn_hector_state *header)
{
	struct set_state *state;
	struct iovec piece;

	if (!hector->parts->scheduler->unpack || !message->payload_bytes)
		return STN_MALFORMED;
	state = calloc(1, sizeof(*state));
	if (state)
		state->bytes = malloc(message->payload_bytes);
	if (!state || !state->bytes)
		stn_node_fail(hector->node, "out of memory");
	state->hector = hector;
	state->header = *header;
	state->count = message->payload_bytes;
	piece = (struct iovec){ state->bytes, state->count };
	stn_transport_take(hector->node->transport, message, &piece, 1,
			   state_landed, state);
	return STN_OK;
}
