#include "parts/copies.h"

#include <stdlib.h>
#include <string.h>

#include "node/dispatch.h"
#include "node/progress.h"
#include "parts/array.h"
#include "parts/early.h"

struct stn_copy {
	SLIST_ENTRY(stn_copy) link;
	struct stn_parts *array;
	struct stn_parts_copy header;
	uint32_t users; /* the list, and sends */
	bool first;	/* made here */
	bool sent;	/* there is a second copy, or can't be one */
	bool handed;	/* this node leaves, and has sent it to another one */
	uint64_t begin_ns;
	size_t bytes;
	_Alignas(64) unsigned char data[];
};

static size_t
count_bytes(const struct iovec *pieces, uint32_t count)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < count; i++)
		bytes += pieces[i].iov_len;
	return bytes;
}

static struct stn_copy *
copy_create(struct stn_parts *array, const struct stn_parts_copy *header,
	    size_t bytes)
{
	size_t data = array->shape.hollow ? 0 : bytes;
	struct stn_copy *copy =
		aligned_alloc(64, (sizeof(*copy) + data + 63) & ~(size_t)63);

	if (!copy)
		stn_array_no_memory(array);
	*copy = (struct stn_copy){
		.array = array, .header = *header, .users = 1, .bytes = bytes
	};
	return copy;
}

/* Its layers, as they are sent; without an address if the shape is hollow. */
static struct iovec
copy_data(struct stn_copy *copy)
{
	return (struct iovec){ copy->array->shape.hollow ? NULL : copy->data,
			       copy->bytes };
}

static void
copy_release(struct stn_copy *copy)
{
	if (!--copy->users)
		free(copy);
}

static void
copy_insert(struct stn_copy *copy)
{
	struct stn_parts_service *service = copy->array->service;

	SLIST_INSERT_HEAD(&copy->array->copies.list, copy, link);
	service->copy_bytes += copy->bytes;
	if (service->copy_bytes > service->counts.copy_bytes_most)
		service->counts.copy_bytes_most = service->copy_bytes;
}

static void
copy_remove(struct stn_copy *copy)
{
	SLIST_REMOVE(&copy->array->copies.list, copy, stn_copy, link);
	copy->array->service->copy_bytes -= copy->bytes;
	copy_release(copy);
}

bool
stn_copies_due(const struct stn_part *part)
{
	const struct stn_copies *copies = &part->array->copies;

	return copies->wanted && part->version + 1 == copies->next &&
	       part->array->operation.blocks;
}

struct stn_copy *
stn_copy_make(const struct stn_part *part, uint64_t version)
{
	const struct stn_parts *array = part->array;
	const struct stn_parts_copy header = { array->id, part->number, 1, 0,
					       version };
	struct iovec pieces[2];
	uint32_t count =
		stn_memory_layers(&part->memory, &array->shape, pieces);
	struct stn_copy *copy =
		copy_create(part->array, &header, count_bytes(pieces, count));
	unsigned char *to = copy->data;

	for (uint32_t i = 0; i < count && !array->shape.hollow; i++) {
		memcpy(to, pieces[i].iov_base, pieces[i].iov_len);
		to += pieces[i].iov_len;
	}
	copy->first = true;
	return copy;
}

/* A node for second copies: in the next cluster, or else the next node. */
static uint32_t
choose_keeper(const struct stn_node *node)
{
	const struct stn_topology *topology = node->topology;

	for (uint32_t i = 1; i <= topology->clusters; i++) {
		uint32_t cluster = (node->cluster + i) % topology->clusters;
		uint32_t size = stn_cluster_size(topology, cluster);

		for (uint32_t j = 1; j <= size; j++) {
			uint32_t rank = stn_cluster_rank(
				topology, cluster, (node->rank + j) % size);

			if (rank != node->rank &&
			    stn_members_stays(&node->members, rank))
				return rank;
		}
	}
	return STN_NOBODY;
}

void
stn_copies_add(struct stn_part *part, struct stn_copy *copy, uint64_t took_ns)
{
	struct stn_parts *array = part->array;
	struct stn_copies *copies = &array->copies;

	copies->count++;
	copies->ns += took_ns;
	/* Another version may have been announced during the turn. */
	if (copy->header.version != copies->next) {
		copy_release(copy);
		return;
	}
	part->copied = copies->next;
	copies->unsent++;
	copy_insert(copy);
	stn_copies_send(array->service, stn_node_now(array->service->node));
}

void
stn_copies_check(struct stn_part *part)
{
	struct stn_copies *copies = &part->array->copies;

	if (!copies->wanted || !copies->next || copies->missed ||
	    part->array->restoring || part->version < copies->next ||
	    part->copied >= copies->next)
		return;
	copies->missed = true;
	part->array->service->report(part->array);
}

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

/* Copies take one part of so many of the time; less if nodes share a link. */
static uint64_t
share_of_time(const struct stn_node *node)
{
	return node->members.clusters > 1
		       ? (uint64_t)STN_COPY_SHARE *
				 node->members.in_cluster[node->cluster]
		       : STN_COPY_SHARE;
}

static void
copy_left(void *arg, enum stn_err err)
{
	struct stn_copy *copy = arg;
	struct stn_parts_service *service = copy->array->service;
	const struct stn_node *node = service->node;
	uint64_t now = stn_node_now(node);

	service->copying = false;
	service->copy_ns =
		now + (now - copy->begin_ns) * (share_of_time(node) - 1);
	if (!err)
		copy_safe(copy);
	copy_release(copy);
	stn_progress_kick(service->node);
}

static void
copy_send(struct stn_copy *copy, uint32_t to, stn_done *done)
{
	struct stn_node *node = copy->array->service->node;
	struct iovec piece = copy_data(copy);

	copy->users++;
	copy->begin_ns = stn_node_now(node);
	stn_node_send(node, to, STN_PARTS_KIND_COPY, &copy->header,
		      sizeof(copy->header), &piece, 1, done, copy);
}

/* The copy to be sent next, the one of the lowest part, or NULL. */
static struct stn_copy *
find_unsent(const struct stn_parts_service *service)
{
	const struct stn_parts *array;
	struct stn_copy *best = NULL, *copy;

	SLIST_FOREACH(array, &service->arrays, link)
	{
		if (!array->copies.unsent || best)
			continue;
		SLIST_FOREACH(copy, &array->copies.list, link)
		if (copy->first && !copy->sent &&
		    copy->header.version == array->copies.next &&
		    (!best || copy->header.part < best->header.part))
			best = copy;
	}
	return best;
}

uint64_t
stn_copies_send(struct stn_parts_service *service, uint64_t now)
{
	struct stn_copy *copy = find_unsent(service);
	uint32_t keeper;

	if (!copy || service->copying)
		return STN_FOREVER;
	if (!service->copy_ns)
		service->copy_ns = service->begin_ns +
				   copy->bytes * share_of_time(service->node) *
					   (service->node->members.clusters > 1
						    ? STN_COPY_WAN_NS
						    : STN_COPY_LAN_NS);
	if (now < service->copy_ns)
		return service->copy_ns;
	keeper = choose_keeper(service->node);
	if (keeper == STN_NOBODY) {
		copy_safe(copy); /* this node is alone */
		return now;
	}
	service->copying = true;
	service->counts.copies++;
	copy_send(copy, keeper, copy_left);
	return STN_FOREVER;
}

static void
copy_landed(void *arg, enum stn_err err)
{
	struct stn_copy *copy = arg;
	struct stn_parts *array = copy->array;

	array->service->under_way--;
	if (err || array->freed ||
	    copy->header.version < array->copies.complete ||
	    stn_copies_find(array, copy->header.part, copy->header.version))
		copy_release(copy);
	else
		copy_insert(copy);
}

enum stn_err
stn_copies_take(struct stn_parts *array, const struct stn_message *message,
		const struct stn_parts_copy *header)
{
	struct stn_memory memory;
	struct stn_copy *copy;
	struct iovec pieces[2], data;
	size_t bytes;

	if (header->part >= array->count)
		return STN_MALFORMED;
	stn_memory_describe(&memory, &array->shape, header->part);
	bytes = count_bytes(pieces,
			    stn_memory_layers(&memory, &array->shape, pieces));
	if (bytes != message->payload_bytes)
		return STN_MALFORMED;
	copy = copy_create(array, header, bytes);
	data = copy_data(copy);
	array->service->under_way++;
	stn_early_take(array->service, message, &data, 1, copy_landed, copy);
	return STN_OK;
}

static void
copy_handed(void *arg, enum stn_err err)
{
	struct stn_copy *copy = arg;

	copy->array->service->under_way--;
	copy->handed = !err;
	copy_release(copy);
}

void
stn_copies_hand_over(struct stn_parts *array)
{
	uint32_t keeper = choose_keeper(array->service->node);
	struct stn_copy *copy;

	SLIST_FOREACH(copy, &array->copies.list, link)
	{
		if (copy->handed || keeper == STN_NOBODY ||
		    copy->header.version != array->copies.complete)
			continue;
		copy->handed = true;
		array->service->under_way++;
		copy_send(copy, keeper, copy_handed);
	}
}

void
stn_copies_keep(struct stn_parts *array, uint64_t complete, uint64_t next)
{
	struct stn_copies *copies = &array->copies;
	struct stn_copy *copy = SLIST_FIRST(&copies->list);

	while (copy) {
		struct stn_copy *after = SLIST_NEXT(copy, link);
		uint64_t version = copy->header.version;

		if (version != complete && version != next)
			copy_remove(copy);
		copy = after;
	}
	copies->complete = complete;
	if (copies->next == next)
		return;
	copies->next = next;
	copies->unsent = copies->safe = 0;
	copies->missed = false;
}

const struct stn_copy *
stn_copies_find(const struct stn_parts *array, uint32_t part, uint64_t version)
{
	const struct stn_copy *copy;

	SLIST_FOREACH(copy, &array->copies.list, link)
	if (copy->header.part == part && copy->header.version == version)
		return copy;
	return NULL;
}

void
stn_copies_unpack(const struct stn_copy *copy, struct stn_part *part)
{
	const struct stn_parts *array = part->array;
	const unsigned char *from = copy->data;
	struct iovec pieces[2];
	uint32_t count;

	count = stn_memory_layers(&part->memory, &array->shape, pieces);
	for (uint32_t i = 0; i < count && !array->shape.hollow; i++) {
		memcpy(pieces[i].iov_base, from, pieces[i].iov_len);
		from += pieces[i].iov_len;
	}
	part->version = copy->header.version;
	part->fresh = part->version - 1;
	part->copied = part->version;
	part->restored = true;
}

void
stn_copies_fini(struct stn_parts *array)
{
	while (!SLIST_EMPTY(&array->copies.list))
		copy_remove(SLIST_FIRST(&array->copies.list));
	array->copies.next = 0;
	array->copies.wanted = false;
}

void
stn_copies_notices(struct stn_parts *array)
{
	const struct stn_copy *copy;

	SLIST_FOREACH(copy, &array->copies.list, link)
	{
		const uint64_t words[2] = {
			(uint64_t)array->id.rank << 32 | array->id.number,
			copy->header.version << 1 | copy->first
		};

		stn_membership_notice(array->service->node, STN_PARTS_KIND_COPY,
				      words, copy->header.part);
	}
}

static bool
is_copy_of(const struct stn_parts *array, const struct stn_notice *notice)
{
	return notice->kind == STN_PARTS_KIND_COPY &&
	       notice->words[0] ==
		       ((uint64_t)array->id.rank << 32 | array->id.number) &&
	       notice->about < array->count;
}

/* The highest version below @below that a notice names; 0: none. */
static uint64_t
find_version(const struct stn_parts *array, const struct stn_notice *notices,
	     size_t count, uint64_t below)
{
	uint64_t version = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t named = notices[i].words[1] >> 1;

		if (is_copy_of(array, &notices[i]) && named < below &&
		    named > version)
			version = named;
	}
	return version;
}

/*
 * The nodes that have copies of the version: best the first ones, because the
 * parts of a node were neighbours then. Returns the number of parts with
 * copies.
 */
static uint32_t
find_holders(const struct stn_parts *array, const struct stn_notice *notices,
	     size_t count, uint64_t version, uint32_t *holders)
{
	const struct stn_members *members = &array->service->node->members;
	uint32_t parts = 0;

	for (uint32_t i = 0; i < array->count; i++)
		holders[i] = STN_NOBODY;
	for (int rank = 0; rank < 4; rank++) { /* stays and first, then less */
		for (size_t i = 0; i < count; i++) {
			const struct stn_notice *notice = &notices[i];

			if (!is_copy_of(array, notice) ||
			    notice->words[1] >> 1 != version ||
			    (notice->words[1] & 1) == (rank & 1) ||
			    stn_members_stays(members, notice->from) !=
				    (rank < 2) ||
			    holders[notice->about] != STN_NOBODY)
				continue;
			holders[notice->about] = notice->from;
			parts++;
		}
	}
	return parts;
}

uint64_t
stn_copies_choose(const struct stn_parts *array,
		  const struct stn_notice *notices, size_t count,
		  struct stn_homes *homes)
{
	uint32_t *holders = calloc(array->count, sizeof(holders[0]));
	uint64_t version = UINT64_MAX;

	if (!holders)
		stn_array_no_memory(array);
	do {
		version = find_version(array, notices, count, version);
	} while (version && find_holders(array, notices, count, version,
					 holders) < array->count);
	homes->count = 0;
	for (uint32_t i = 0; version && i < array->count; i++)
		if (stn_homes_add(homes, i, holders[i], 0))
			stn_array_no_memory(array);
	free(holders);
	return version;
}
