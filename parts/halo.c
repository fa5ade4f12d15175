#include "parts/halo.h"

#include <stdlib.h>

#include "node/dispatch.h"
#include "parts/array.h"
#include "parts/early.h"
#include "parts/ready.h"

/* A piece that leaves this node, or arrives. */
struct passage {
	struct stn_parts *array;
	struct stn_landing *landing;
	struct stn_parts_piece header;
	uint32_t from; /* its sender, if it arrives */
};

/* Cuts all pieces into new landings. */
static void
cut_all(const struct stn_part *part, uint64_t version,
	struct stn_landings *landings)
{
	const struct stn_shape *shape = &part->array->shape;
	uint32_t places = stn_shape_places(shape);

	for (uint32_t place = 0; place < places; place++) {
		struct stn_piece piece;
		struct stn_landing *landing;

		if (!stn_shape_gives(shape, part->number, place, &piece))
			continue;
		landing = stn_landing_create(shape, &piece, version);
		if (!landing)
			stn_array_no_memory(part->array);
		stn_landing_pack(landing, shape, &part->memory);
		SLIST_INSERT_HEAD(landings, landing, link);
	}
}

/*
 * Cuts all pieces into the landings of the pieces that came from the same parts
 * for the version before. They are in the cache, because they have been
 * unpacked.
 */
static void
cut_answers(struct stn_part *part, uint64_t version,
	    struct stn_landings *landings)
{
	struct stn_landings *came = &part->landings[part->version & 1];

	while (!SLIST_EMPTY(came)) {
		struct stn_landing *landing = SLIST_FIRST(came);

		SLIST_REMOVE_HEAD(came, link);
		landing = stn_landing_answer(landing, &part->array->shape,
					     version);
		if (!landing)
			stn_array_no_memory(part->array);
		stn_landing_pack(landing, &part->array->shape, &part->memory);
		SLIST_INSERT_HEAD(landings, landing, link);
	}
}

void
stn_halo_cut(struct stn_part *part, uint64_t version,
	     struct stn_landings *landings)
{
	/* Only a part that is swept is certain to have got all its pieces. */
	if (part->array->operation.order.what == STN_PARTS_SWEEPS &&
	    part->fresh != part->version)
		cut_answers(part, version, landings);
	else
		cut_all(part, version, landings);
}

void
stn_halo_unpack(struct stn_part *part)
{
	struct stn_landing *landing;

	if (part->fresh == part->version)
		return;
	SLIST_FOREACH(landing, &part->landings[part->version & 1], link)
	stn_landing_unpack(landing, &part->array->shape, &part->memory);
}

static void
piece_must_arrive(const struct passage *passage, enum stn_err err)
{
	stn_node_must_arrive(passage->array->service->node,
			     "a piece of a halo", err);
}

static void
passage_done(void *arg, enum stn_err err)
{
	struct passage *passage = arg;

	piece_must_arrive(passage, err);
	passage->array->service->under_way--;
	free(passage->landing);
	free(passage);
}

static void
send_piece(struct stn_parts *array, struct stn_landing *landing, uint32_t to)
{
	struct passage *passage = malloc(sizeof(*passage));
	struct iovec piece = stn_landing_data(landing, &array->shape);

	if (!passage)
		stn_array_no_memory(array);
	*passage = (struct passage){
		array,
		landing,
		{ array->id, landing->to, landing->place, landing->version },
		STN_NOBODY,
	};
	array->service->under_way++;
	if (array->service->pieces_to)
		array->service->pieces_to[to]++;
	stn_node_send(array->service->node, to, STN_PARTS_KIND_PIECE,
		      &passage->header, sizeof(passage->header), &piece, 1,
		      passage_done, passage);
}

/* A piece for a part that is here, or will be: old ones are dropped. */
static void
land(struct stn_part *part, struct stn_landing *landing)
{
	uint64_t version = landing->version;

	if (version < part->version ||
	    (version == part->version && part->fresh == version)) {
		free(landing);
		return;
	}
	SLIST_INSERT_HEAD(&part->landings[version & 1], landing, link);
	part->landed[version & 1]++;
	stn_part_consider(part);
}

/*
 * The base map of a node that has joined may name the node itself: the part was
 * sent to it before it knew the array. A piece may arrive before the part.
 */
void
stn_halo_pass(struct stn_parts *array, struct stn_landing *landing)
{
	uint32_t home = stn_array_home(array, landing->to);
	struct stn_part *part;

	if (home != array->service->node->rank) {
		send_piece(array, landing, home);
		return;
	}
	part = stn_array_part(array, landing->to);
	if (!part)
		stn_array_no_memory(array);
	land(part, landing);
}

void
stn_halo_deliver(struct stn_part *part, struct stn_landings *landings)
{
	uint32_t rank = part->array->service->node->rank;

	part->edge = false;
	while (!SLIST_EMPTY(landings)) {
		struct stn_landing *landing = SLIST_FIRST(landings);

		SLIST_REMOVE_HEAD(landings, link);
		if (stn_array_home(part->array, landing->to) != rank)
			part->edge = true;
		stn_halo_pass(part->array, landing);
	}
}

void
stn_halo_again(struct stn_part *part)
{
	struct stn_landings landings;

	part->restored = false;
	SLIST_INIT(&landings);
	cut_all(part, part->version, &landings);
	stn_halo_deliver(part, &landings);
}

/*
 * Tells the sender of a piece where the part is, if it isn't here. When two
 * neighbours have moved at the same time, neither giver knew where the other
 * part was going, so the new homes would send their pieces to the former ones
 * in each sweep, and a scheduler would take the wrong node for the one that is
 * late.
 */
static void
correct_sender(struct stn_parts *array, uint32_t number, uint32_t sender)
{
	const struct stn_part *part = stn_array_known(array, number);
	struct stn_parts_moved moved = { array->id, number };
	uint32_t rank = array->service->node->rank;

	if (!part || part->home == rank || part->home == sender)
		return;
	moved.home = part->home;
	moved.epoch = part->epoch;
	stn_node_say(array->service->node, sender, STN_PARTS_KIND_MOVED, &moved,
		     sizeof(moved));
}

static void
piece_landed(void *arg, enum stn_err err)
{
	struct passage *passage = arg;

	piece_must_arrive(passage, err);
	passage->array->service->under_way--;
	/* Its sender has died, or no part needs it any more. */
	if (err || passage->array->freed ||
	    passage->header.array.generation != passage->array->id.generation) {
		free(passage->landing);
	} else {
		correct_sender(passage->array, passage->header.to,
			       passage->from);
		stn_halo_pass(passage->array, passage->landing);
	}
	free(passage);
}

enum stn_err
stn_halo_take(struct stn_parts *array, const struct stn_message *message,
	      const struct stn_parts_piece *header)
{
	struct passage *passage;
	struct stn_piece piece;
	struct stn_landing *landing;
	struct iovec data;

	if (header->to >= array->count ||
	    header->place >= stn_shape_places(&array->shape) ||
	    !stn_shape_needs(&array->shape, header->to, header->place, &piece))
		return STN_MALFORMED;
	landing = stn_landing_create(&array->shape, &piece, header->version);
	passage = malloc(sizeof(*passage));
	if (!landing || !passage)
		stn_array_no_memory(array);
	if (landing->bytes != message->payload_bytes) {
		free(landing);
		free(passage);
		return STN_MALFORMED;
	}
	*passage = (struct passage){ array, landing, *header, message->from };
	array->service->under_way++;
	data = stn_landing_data(landing, &array->shape);
	stn_early_take(array->service, message, &data, 1, piece_landed,
		       passage);
	return STN_OK;
}
