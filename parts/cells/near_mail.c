/*
 * near_mail.c: the messages of parts that need others: see near.h.
 */
#include <stdlib.h>
#include <string.h>

#include "node/dispatch.h"
#include "parts/array.h"
#include "parts/early.h"
#include "parts/cells/briefs.h"
#include "parts/cells/near.h"
#include "parts/ready.h"

/* A WANT on its way. */
struct want_passage {
	struct stn_node *node;
	struct stn_parts_want header;
	uint32_t parts[];
};

static void
want_left(void *arg, enum stn_err err)
{
	struct want_passage *passage = arg;

	stn_node_must_arrive(passage->node, "a question for cells", err);
	free(passage);
}

void
stn_near_ask(struct stn_parts *array, uint32_t to, uint32_t number,
	     uint32_t home, const uint32_t *parts, uint32_t count)
{
	size_t bytes = count * sizeof(parts[0]);
	struct want_passage *passage = malloc(sizeof(*passage) + bytes);
	struct iovec piece;

	if (!passage)
		stn_array_no_memory(array);
	passage->node = array->service->node;
	passage->header = (struct stn_parts_want){ array->id, number, to };
	memcpy(passage->parts, parts, bytes);
	piece = (struct iovec){ passage->parts, bytes };
	stn_node_send(array->service->node, home, STN_PARTS_KIND_WANT,
		      &passage->header, sizeof(passage->header), &piece, 1,
		      want_left, passage);
}

/* A part that leaves this node as a copy, or arrives. */
struct passage {
	struct stn_parts *array;
	struct stn_parts_block header;
	struct stn_block *block;
};

static struct passage *
begin_near(struct stn_parts *array, const struct stn_parts_block *header,
	   struct stn_block *block)
{
	struct passage *passage = malloc(sizeof(*passage));

	if (!passage)
		stn_array_no_memory(array);
	*passage = (struct passage){ array, *header, block };
	array->service->under_way++;
	return passage;
}

static void
near_done(struct passage *passage)
{
	passage->array->service->under_way--;
	stn_block_release(passage->block);
	free(passage);
}

static void
near_must_arrive(const struct passage *passage, enum stn_err err)
{
	stn_node_must_arrive(passage->array->service->node,
			     "cells that other nodes have asked for", err);
}

static void
near_left(void *arg, enum stn_err err)
{
	struct passage *passage = arg;
	struct stn_part *part;

	near_must_arrive(passage, err);
	passage->block->sending--;
	part = stn_array_known(passage->array, passage->header.part);
	if (part && part->here && part->memory.block == passage->block)
		stn_part_consider(part);
	near_done(passage);
}

/* The bytes of a record in a copy. */
static uint32_t
record_sent(const struct stn_cells *cells)
{
	return cells->summaries ? 0 : cells->record;
}

static void
send_near(struct stn_part *part, const struct stn_asker *asker)
{
	struct stn_parts *array = part->array;
	struct stn_block *block = part->memory.block;
	const struct stn_parts_block header = { array->id, asker->number,
						part->number };
	struct passage *passage = begin_near(array, &header, block);
	struct iovec pieces[2];
	uint32_t count = stn_block_pieces(block, record_sent(array->cells),
					  false, pieces);

	stn_block_use(block);
	block->sending++;
	if (array->service->pieces_to)
		array->service->pieces_to[asker->node]++;
	stn_part_withdraw(part);
	stn_node_send(array->service->node, asker->node, STN_PARTS_KIND_BLOCK,
		      &passage->header, sizeof(passage->header), pieces, count,
		      near_left, passage);
}

void
stn_near_answer(struct stn_part *part)
{
	struct stn_cells_part *known = part->cells;
	uint32_t home = part->home;

	if (!known || !known->asker_count || part->running || part->arriving)
		return;
	for (uint32_t i = 0; i < known->asker_count; i++)
		if (part->here)
			send_near(part, &known->askers[i]);
		else
			stn_near_ask(part->array, known->askers[i].node,
				     known->askers[i].number, home,
				     &part->number, 1);
	known->asker_count = 0;
}

static void
add_asker(struct stn_part *part, const struct stn_parts_want *header)
{
	struct stn_cells_part *known = stn_cells_of(part);

	if (known->asker_count == known->asker_room) {
		known->asker_room = 2 * known->asker_room + 4;
		known->askers = reallocarray(known->askers, known->asker_room,
					     sizeof(known->askers[0]));
		if (!known->askers)
			stn_array_no_memory(part->array);
	}
	known->askers[known->asker_count++] =
		(struct stn_asker){ header->to, header->number };
}

static void
briefs_left(void *arg, enum stn_err err)
{
	near_must_arrive(arg, err);
	near_done(arg);
}

static void
send_briefs(const struct stn_briefs *briefs, const struct stn_parts_want *want)
{
	struct stn_parts *array = briefs->array;
	const struct stn_parts_block header = { array->id, want->number,
						STN_NOBODY };
	struct passage *passage;
	struct iovec piece;

	if (!briefs->store)
		return;
	passage = begin_near(array, &header, briefs->store);
	piece = (struct iovec){ briefs->store->data, briefs->bytes };
	if (array->service->pieces_to)
		array->service->pieces_to[want->to]++;
	stn_node_send(array->service->node, want->to, STN_PARTS_KIND_BLOCK,
		      &passage->header, sizeof(passage->header), &piece, 1,
		      briefs_left, passage);
}

/* A WANT whose numbers are on their way. */
struct landing_want {
	struct stn_parts *array;
	struct stn_parts_want header;
	uint32_t count;
	uint32_t parts[];
};

/*
 * This node is the part's home, but the part has not begun to arrive
 * (stn_halo_pass says why), or its giver died while it arrived. It is sent when
 * it has come. After the death of the giver all askers ask anew.
 */
static void
await_part(struct stn_parts *array, const struct stn_parts_want *header,
	   uint32_t number)
{
	struct stn_part *part = stn_array_part(array, number);

	if (!part)
		stn_array_no_memory(array);
	add_asker(part, header);
}

/* The node at @header wants a part, or its brief summary. */
static enum stn_err
want_one(struct stn_parts *array, const struct stn_parts_want *header,
	 uint32_t wanted, struct stn_briefs *briefs)
{
	uint32_t number = wanted & ~STN_WANT_BRIEF, home;
	struct stn_part *part;

	if (number >= array->count)
		return STN_MALFORMED;
	part = stn_array_known(array, number);
	home = stn_array_home(array, number);
	if (part && part->here && wanted != number) {
		stn_briefs_add(briefs, part);
	} else if (part && (part->here || part->arriving)) {
		add_asker(part, header);
		stn_near_answer(part);
	} else if (home == array->service->node->rank) {
		await_part(array, header, number);
	} else {
		stn_near_ask(array, header->to, header->number, home, &wanted,
			     1);
	}
	return STN_OK;
}

static enum stn_err
want_each(const struct landing_want *want)
{
	struct stn_parts *array = want->array;
	struct stn_briefs briefs = stn_briefs_begin(array, want->count);
	enum stn_err err = STN_OK;

	for (uint32_t i = 0; !err && i < want->count; i++)
		err = want_one(array, &want->header, want->parts[i], &briefs);
	send_briefs(&briefs, &want->header);
	return err;
}

static void
want_landed(void *arg, enum stn_err err)
{
	struct landing_want *want = arg;
	struct stn_parts *array = want->array;

	stn_node_must_arrive(array->service->node, "a question for cells",
			     err);
	if (!err && !array->freed &&
	    want->header.array.generation == array->id.generation &&
	    want_each(want))
		stn_node_fail(array->service->node,
			      "a node has asked for cells in a malformed way");
	free(want);
}

enum stn_err
stn_near_wanted(struct stn_parts *array, const struct stn_message *message,
		const struct stn_parts_want *header)
{
	size_t bytes = message->payload_bytes;
	struct landing_want *want = malloc(sizeof(*want) + bytes);
	struct iovec piece;

	if (!want)
		stn_array_no_memory(array);
	*want = (struct landing_want){ array, *header,
				       (uint32_t)(bytes / sizeof(uint32_t)) };
	if (!bytes || header->to >= array->service->node->topology->nodes) {
		free(want);
		return STN_MALFORMED;
	}
	/* The part has come here, and what this node had asked follows it. */
	if (header->to == array->service->node->rank) {
		free(want);
		stn_early_refuse(array->service, message);
		return STN_OK;
	}
	piece = (struct iovec){ want->parts, bytes };
	stn_early_take(array->service, message, &piece, 1, want_landed, want);
	return STN_OK;
}

static bool
near_awaited(const struct passage *passage)
{
	const struct stn_parts *array = passage->array;

	return !array->freed && array->cells->copied &&
	       passage->header.array.generation == array->id.generation &&
	       passage->header.number == array->operation.order.number;
}

/* Keeps a part that has come, unless it is here already. */
static void
keep_near(struct passage *passage)
{
	const struct stn_parts *array = passage->array;
	struct stn_copied *copied =
		&array->cells->copied[passage->header.part];

	if (copied->block)
		return;
	if (stn_block_landed(passage->block, record_sent(array->cells), false))
		stn_node_fail(array->service->node,
			      "a node has sent malformed cells");
	copied->block = passage->block;
	passage->block = NULL;
}

static void
copy_arrived(void *arg, enum stn_err err)
{
	struct passage *passage = arg;
	struct stn_parts *array = passage->array;

	near_must_arrive(passage, err);
	if (!err && near_awaited(passage)) {
		if (passage->header.part == STN_NOBODY)
			stn_briefs_note(array, passage->block);
		else
			keep_near(passage);
		stn_near_came(array);
	}
	near_done(passage);
}

enum stn_err
stn_near_take(struct stn_parts *array, const struct stn_message *message,
	      const struct stn_parts_block *header)
{
	struct stn_block *block;
	struct iovec piece;

	if ((header->part >= array->count && header->part != STN_NOBODY) ||
	    !message->payload_bytes)
		return STN_MALFORMED;
	block = stn_block_landing(message->payload_bytes);
	if (!block)
		stn_array_no_memory(array);
	piece = (struct iovec){ block->data, block->bytes };
	stn_early_take(array->service, message, &piece, 1, copy_arrived,
		       begin_near(array, header, block));
	return STN_OK;
}
