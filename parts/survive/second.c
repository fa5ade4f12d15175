#include "parts/survive/second.h"

#include <stdlib.h>
#include <string.h>

#include "node/dispatch.h"
#include "node/progress.h"
#include "parts/array.h"
#include "parts/early.h"
#include "parts/gather.h"
#include "parts/survive/copies.h"
#include "parts/survive/keeper.h"

#define BURST_PIECES 2	  /* sent at a time */
#define MESSAGE_BYTES 256 /* a message takes as long as so many bytes */
#define BEHIND_MOST 4	  /* versions between parts of a node */

/* A piece of a copy on its way to another node. */
struct sending {
	struct stn_parts *array;
	struct stn_parts_copy header;
	uint32_t to;
	size_t bytes;
	unsigned char data[];
};

/* A piece of a copy that arrives here. */
struct landing {
	struct stn_parts *array;
	struct stn_parts_copy header;
	size_t bytes;
	unsigned char data[];
};

/* A copy of the version that is being copied is safe now. */
static void
copy_safe(struct stn_copy *copy)
{
	struct stn_copies *copies = &copy->array->copies;

	copy->sent = true;
	if (copy->header.version != copies->next || !copies->unsent)
		return;
	copies->unsent--;
	copies->safe++;
	if (!copies->unsent)
		copy->array->service->report(copy->array);
}

/* How many nodes send at a time by the link that this node's copies use. */
static uint64_t
link_nodes(const struct stn_node *node)
{
	return node->members.clusters > 1
		       ? stn_members_in(&node->members, node->cluster)
		       : 1;
}

/* Copies take one part of so many of the time; less if nodes share a link. */
static uint64_t
share_of_time(const struct stn_node *node)
{
	return STN_SECOND_SHARE * link_nodes(node);
}

/* How long the link needs for a byte. */
static double
byte_ns(const struct stn_parts_service *service)
{
	if (service->byte_ns > 0)
		return service->byte_ns;
	return service->node->members.clusters > 1 ? STN_SECOND_WAN_NS
						   : STN_SECOND_LAN_NS;
}

/* How long it needs for all pieces that are sent at a time. */
static uint64_t
burst_ns(const struct stn_parts_service *service)
{
	return (uint64_t)(BURST_PIECES * byte_ns(service) *
			  (double)service->piece_bytes);
}

/*
 * All pieces have left. The time from the end of the first to that of the last
 * is the link's alone, unless it is much shorter than the whole: before that
 * the pieces may have waited behind those of halos, and took nothing from them.
 */
static void
note_time(struct stn_parts_service *service, uint64_t now)
{
	uint64_t took = now - service->sending_ns, counted;
	double link = (double)(now - service->left_ns);

	if (service->later_bytes) {
		if (link < (double)took / 16)
			link = (double)took / 16;
		service->byte_ns = link / (double)service->later_bytes;
	}
	counted = took < burst_ns(service) ? took : burst_ns(service);
	service->counts.copy_ns += counted;
	service->copy_ns = now + counted * (share_of_time(service->node) - 1);
}

static void
copy_must_arrive(const struct stn_parts *array, enum stn_err err)
{
	stn_node_must_arrive(array->service->node, "a copy of a part", err);
}

static void
second_left(void *arg, enum stn_err err)
{
	struct sending *sending = arg;
	struct stn_parts *array = sending->array;
	struct stn_parts_service *service = array->service;
	struct stn_copy *copy = stn_copies_any(array, sending->header.part,
					       sending->header.version);
	uint64_t now = stn_node_now(service->node);

	copy_must_arrive(array, err);
	if (!service->left_ns)
		service->left_ns = now;
	else
		service->later_bytes += sending->bytes;
	if (!--service->copying)
		note_time(service, now);
	if (!err && copy && copy->first && !copy->sent &&
	    copy->to == sending->to && copy->moved == sending->header.offset) {
		copy->moved += sending->bytes;
		if (copy->moved == copy->bytes) {
			service->counts.copies++;
			copy_safe(copy);
			stn_gather_flush(array);
		}
	}
	free(sending);
	stn_progress_kick(service->node);
}

/* A copy of what is sent: the copy may be dropped meanwhile. */
static struct sending *
create_sending(const struct stn_copy *copy, uint32_t to, size_t at,
	       size_t bytes)
{
	bool hollow = copy->array->shape.hollow;
	struct sending *sending =
		malloc(sizeof(*sending) + (hollow ? 0 : bytes));

	if (!sending)
		stn_array_no_memory(copy->array);
	sending->array = copy->array;
	sending->header = copy->header;
	sending->header.offset = at;
	sending->to = to;
	sending->bytes = bytes;
	if (!hollow)
		memcpy(sending->data, copy->data + at, bytes);
	return sending;
}

static void
sending_begin(struct sending *sending, stn_done *done)
{
	struct iovec piece = { sending->array->shape.hollow ? NULL
							    : sending->data,
			       sending->bytes };

	stn_node_send(sending->array->service->node, sending->to,
		      STN_PARTS_KIND_COPY, &sending->header,
		      sizeof(sending->header), &piece, 1, done, sending);
}

/* Sends the next pieces of a copy, up to @most bytes; returns how many. */
static size_t
send_pieces(struct stn_copy *copy, uint32_t to, size_t most)
{
	struct stn_parts_service *service = copy->array->service;
	size_t at, sent = 0;

	if (copy->to != to)
		copy->moved = 0;
	copy->to = to;
	at = copy->moved; /* changes when a piece has left: perhaps at once */
	while (sent < most && at + sent < copy->bytes) {
		size_t left = copy->bytes - at - sent;
		size_t bytes = left < service->piece_bytes
				       ? left
				       : service->piece_bytes;

		service->copying++;
		sending_begin(create_sending(copy, to, at + sent, bytes),
			      second_left);
		sent += bytes;
	}
	return sent;
}

/* Sends two pieces, or more if copies are smaller. */
static void
send_burst(struct stn_parts *array, uint32_t to)
{
	struct stn_parts_service *service = array->service;
	struct stn_copy *copy;
	size_t most, sent = 0;

	/* No pieces of halos wait behind these. */
	if (stn_gather_waits(array))
		service->piece_bytes = STN_SECOND_MOST;
	most = BURST_PIECES * service->piece_bytes;
	service->sending_ns = stn_node_now(service->node);
	service->left_ns = service->later_bytes = 0;
	SLIST_FOREACH(copy, &array->copies.list, link)
	{
		if (!copy->first || copy->sent ||
		    copy->header.version != array->copies.next)
			continue;
		sent += send_pieces(copy, to, most - sent) + MESSAGE_BYTES;
		if (sent >= most)
			return;
	}
}

/* This node is alone: there can't be second copies. */
static void
give_up_copies(struct stn_parts *array)
{
	struct stn_copy *copy;

	SLIST_FOREACH(copy, &array->copies.list, link)
	if (copy->first && !copy->sent)
		copy_safe(copy);
	stn_gather_flush(array);
}

static void
send_next(struct stn_parts *array)
{
	uint32_t keeper = stn_keeper_choose(array->service->node);

	if (!array->copies.unsent || array->service->copying)
		return;
	if (keeper == STN_NOBODY)
		give_up_copies(array);
	else
		send_burst(array, keeper);
}

/* The first piece leaves when the run has lasted long enough for it. */
static uint64_t
not_before(struct stn_parts_service *service)
{
	if (!service->piece_bytes)
		service->piece_bytes = STN_SECOND_BYTES;
	if (!service->copy_ns)
		service->copy_ns =
			service->begin_ns +
			burst_ns(service) * share_of_time(service->node);
	return service->copy_ns;
}

/*
 * Sets the size of pieces, if a block takes @block_ns, and returns the beat.
 * Pieces are smaller if they take long: a scheduler is not to move parts
 * because some nodes have to wait.
 */
static uint64_t
choose_beat(struct stn_parts_service *service, uint64_t block_ns)
{
	double share = BURST_PIECES * byte_ns(service) *
		       (double)link_nodes(service->node);
	double bytes = (double)block_ns / (STN_SECOND_SHARE * share);
	double least = STN_SECOND_BYTES;
	uint64_t beat = 1;

	while (least > STN_SECOND_LEAST && least * share > (double)block_ns / 8)
		least /= 2;
	for (; bytes < least; bytes *= 2)
		beat *= 2;
	service->piece_bytes =
		bytes < STN_SECOND_MOST ? (size_t)bytes : STN_SECOND_MOST;
	return beat;
}

/* All parts of this node have reached version @version. */
static void
strike(struct stn_parts *array, uint64_t version)
{
	struct stn_parts_service *service = array->service;
	struct stn_copies *copies = &array->copies;
	uint64_t now = stn_node_now(service->node), beat = 1;

	if (copies->beat) {
		uint64_t blocks = version - copies->beat_version;

		beat = choose_beat(service,
				   (now - copies->beat_ns) / blocks + 1);
		if (service->byte_ns > 0 || now >= not_before(service))
			send_next(array);
	}
	copies->beat = (version / beat + 1) * beat;
	copies->beat_ns = now;
	copies->beat_version = version;
	copies->reached = 0;
}

/*
 * A part that was taken from another node may have passed the version before:
 * then this node's other parts go on, and are some versions ahead soon.
 */
void
stn_second_swept(struct stn_part *part)
{
	struct stn_parts *array = part->array;
	struct stn_copies *copies = &array->copies;

	if (!copies->unsent || part->version < copies->beat)
		return;
	if (part->version == copies->beat)
		copies->reached++;
	if (!copies->beat || copies->reached >= array->here ||
	    part->version > copies->beat + BEHIND_MOST)
		strike(array, part->version);
}

uint64_t
stn_second_send(struct stn_parts_service *service, uint64_t now)
{
	struct stn_parts *array;
	uint64_t again = STN_FOREVER;

	SLIST_FOREACH(array, &service->arrays, link)
	{
		/* Parts that are swept give the beat. */
		if (!array->copies.unsent || array->unfinished ||
		    service->copying)
			continue;
		if (now < not_before(service) && !stn_gather_waits(array)) {
			again = service->copy_ns;
			continue;
		}
		send_next(array);
		return service->copying ? STN_FOREVER : now;
	}
	return again;
}

/* Puts a piece that has arrived into its copy. STN_MALFORMED. */
static enum stn_err
join_piece(const struct landing *landing)
{
	struct stn_parts *array = landing->array;
	const struct stn_parts_copy *header = &landing->header;
	struct stn_copy *copy =
		stn_copies_any(array, header->part, header->version);

	if (!copy && !header->offset) {
		copy = stn_copy_create(array, header);
		stn_copy_insert(copy);
	}
	/* The same may come from two nodes, if one of them has left. */
	if (!copy || stn_copy_whole(copy))
		return STN_OK;
	if (copy->bytes != header->bytes)
		return STN_MALFORMED;
	/* The sender begins again, if it has had another keeper meanwhile. */
	if (!header->offset)
		copy->moved = 0;
	if (copy->moved != header->offset)
		return STN_OK;
	if (!array->shape.hollow)
		memcpy(copy->data + copy->moved, landing->data, landing->bytes);
	copy->moved += landing->bytes;
	return STN_OK;
}

/*
 * Whether the copy is of use here: it is of the complete version, which may
 * have been made in an earlier generation, or of a later version of this
 * generation. Its home may have sent it before all parts returned to an earlier
 * version; then it will be made once more.
 */
static bool
is_useful(const struct stn_parts *array, const struct stn_parts_copy *header)
{
	uint64_t complete = array->copies.complete;

	return !array->freed && (header->version == complete ||
				 (header->version > complete &&
				  stn_generation_same_view(
					  header->array.generation,
					  array->id.generation)));
}

static void
second_landed(void *arg, enum stn_err err)
{
	struct landing *landing = arg;
	struct stn_parts *array = landing->array;

	copy_must_arrive(array, err);
	array->service->under_way--;
	if (!err && is_useful(array, &landing->header) && join_piece(landing))
		stn_node_fail(array->service->node,
			      "a node has sent a malformed copy of a part of "
			      "an array");
	free(landing);
}

/* Whether a piece of @bytes is inside of the copy. */
static bool
piece_fits(const struct stn_parts *array, const struct stn_parts_copy *header,
	   size_t bytes)
{
	size_t whole = header->bytes;

	if (header->part >= header->parts || !bytes || whole > SIZE_MAX / 2)
		return false;
	/* Cells may have been cut anew since then. */
	if (!array->cells && (header->parts != array->count ||
			      whole != stn_copy_bytes(array, header->part)))
		return false;
	return header->offset <= whole && bytes <= whole - header->offset;
}

enum stn_err
stn_second_take(struct stn_parts *array, const struct stn_message *message,
		const struct stn_parts_copy *header)
{
	bool hollow = array->shape.hollow;
	size_t bytes = message->payload_bytes;
	struct landing *landing;
	struct iovec piece;

	if (!piece_fits(array, header, bytes))
		return STN_MALFORMED;
	landing = malloc(sizeof(*landing) + (hollow ? 0 : bytes));
	if (!landing)
		stn_array_no_memory(array);
	landing->array = array;
	landing->header = *header;
	landing->bytes = bytes;
	piece = (struct iovec){ hollow ? NULL : landing->data, bytes };
	array->service->under_way++;
	stn_early_take(array->service, message, &piece, 1, second_landed,
		       landing);
	return STN_OK;
}

static void
copy_handed(void *arg, enum stn_err err)
{
	struct sending *sending = arg;
	struct stn_parts *array = sending->array;
	struct stn_copy *copy = stn_copies_any(array, sending->header.part,
					       sending->header.version);

	copy_must_arrive(array, err);
	array->service->under_way--;
	if (copy)
		copy->handed = !err;
	free(sending);
}

void
stn_second_hand_over(struct stn_parts *array)
{
	uint32_t keeper = stn_keeper_choose(array->service->node);
	struct stn_copy *copy;

	SLIST_FOREACH(copy, &array->copies.list, link)
	{
		if (copy->handed || keeper == STN_NOBODY ||
		    !stn_copy_whole(copy) ||
		    copy->header.version != array->copies.complete)
			continue;
		copy->handed = true;
		array->service->under_way++;
		sending_begin(create_sending(copy, keeper, 0, copy->bytes),
			      copy_handed);
	}
}
