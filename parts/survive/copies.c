#include "parts/survive/copies.h"

#include <stdlib.h>
#include <string.h>

#include "parts/array.h"
#include "parts/cells/block.h"

static size_t
count_bytes(const struct iovec *pieces, uint32_t count)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < count; i++)
		bytes += pieces[i].iov_len;
	return bytes;
}

size_t
stn_copy_bytes(const struct stn_parts *array, uint32_t part)
{
	struct stn_memory memory;
	struct iovec pieces[2];

	stn_memory_describe(&memory, &array->shape, part);
	return count_bytes(pieces,
			   stn_memory_layers(&memory, &array->shape, pieces));
}

struct stn_copy *
stn_copy_create(struct stn_parts *array, const struct stn_parts_copy *header)
{
	size_t bytes = header->bytes;
	size_t data = array->shape.hollow ? 0 : bytes;
	struct stn_copy *copy =
		aligned_alloc(64, (sizeof(*copy) + data + 63) & ~(size_t)63);

	if (!copy)
		stn_array_no_memory(array);
	*copy = (struct stn_copy){ .array = array,
				   .header = *header,
				   .to = STN_NOBODY,
				   .bytes = bytes };
	return copy;
}

void
stn_copy_insert(struct stn_copy *copy)
{
	struct stn_parts_service *service = copy->array->service;

	copy->listed = true;
	SLIST_INSERT_HEAD(&copy->array->copies.list, copy, link);
	service->copy_bytes += copy->bytes;
	if (service->copy_bytes > service->counts.copy_bytes_most)
		service->counts.copy_bytes_most = service->copy_bytes;
}

void
stn_copy_release(struct stn_copy *copy)
{
	if (!copy->listed && !copy->writing)
		free(copy);
}

static void
copy_remove(struct stn_copy *copy)
{
	SLIST_REMOVE(&copy->array->copies.list, copy, stn_copy, link);
	copy->array->service->copy_bytes -= copy->bytes;
	copy->listed = false;
	stn_copy_release(copy);
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
	struct iovec pieces[2];
	uint32_t count =
		stn_memory_layers(&part->memory, &array->shape, pieces);
	const struct stn_parts_copy header = { .array = array->id,
					       .part = part->number,
					       .version = version,
					       .bytes = count_bytes(pieces,
								    count),
					       .parts = array->count };
	struct stn_copy *copy = stn_copy_create(part->array, &header);
	unsigned char *to = copy->data;

	for (uint32_t i = 0; i < count && !array->shape.hollow; i++) {
		memcpy(to, pieces[i].iov_base, pieces[i].iov_len);
		to += pieces[i].iov_len;
	}
	copy->first = true;
	return copy;
}

void
stn_copies_add(struct stn_part *part, struct stn_copy *copy, uint64_t took_ns)
{
	struct stn_parts *array = part->array;
	struct stn_copies *copies = &array->copies;

	array->service->counts.copy_ns += took_ns;
	/* Another version may have been announced during the turn. */
	if (!copies->wanted || copy->header.version != copies->next)
		return;
	copies->count++;
	copies->ns += took_ns;
	part->copied = copies->next;
	copies->unsent++;
	stn_copy_insert(copy);
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

/* Removes the copies of all versions below @next but @complete. */
static void
remove_below(struct stn_parts *array, uint64_t complete, uint64_t next)
{
	struct stn_copy *copy = SLIST_FIRST(&array->copies.list);

	while (copy) {
		struct stn_copy *after = SLIST_NEXT(copy, link);
		uint64_t version = copy->header.version;

		if (version != complete && version < next)
			copy_remove(copy);
		copy = after;
	}
}

bool
stn_copies_promised(const struct stn_parts *array)
{
	const struct stn_parts_service *service = array->service;

	return service->noticed != service->view && !stn_array_is_new(array);
}

void
stn_copies_keep(struct stn_parts *array, uint64_t complete, uint64_t next)
{
	struct stn_copies *copies = &array->copies;

	/* One of a later version may have come before its VERSION. */
	if (!stn_copies_promised(array))
		remove_below(array, complete, next);
	copies->complete = complete;
	if (copies->next == next)
		return;
	copies->next = next;
	copies->parts = 0;
	copies->unsent = copies->safe = 0;
	copies->beat = 0;
	copies->missed = false;
}

void
stn_copies_return(struct stn_parts *array, uint64_t version)
{
	remove_below(array, version, UINT64_MAX);
	stn_copies_keep(array, version, version);
}

struct stn_copy *
stn_copies_any(const struct stn_parts *array, uint32_t part, uint64_t version)
{
	struct stn_copy *copy;

	SLIST_FOREACH(copy, &array->copies.list, link)
	if (copy->header.part == part && copy->header.version == version)
		return copy;
	return NULL;
}

const struct stn_copy *
stn_copies_find(const struct stn_parts *array, uint32_t part, uint64_t version)
{
	const struct stn_copy *copy = stn_copies_any(array, part, version);

	return copy && stn_copy_whole(copy) ? copy : NULL;
}

static void
unpack_layers(struct stn_part *part, uint64_t version,
	      const unsigned char *from)
{
	const struct stn_parts *array = part->array;
	struct iovec pieces[2];
	uint32_t count;

	count = stn_memory_layers(&part->memory, &array->shape, pieces);
	for (uint32_t i = 0; i < count && !array->shape.hollow; i++) {
		memcpy(pieces[i].iov_base, from, pieces[i].iov_len);
		from += pieces[i].iov_len;
	}
	part->version = version;
	part->fresh = version - 1;
	part->copied = version;
	part->restored = true;
}

static enum stn_err
unpack_block(struct stn_part *part, uint64_t version, const unsigned char *from,
	     size_t size)
{
	struct stn_block *block = stn_block_landing(size);

	if (!block)
		stn_array_no_memory(part->array);
	memcpy(block->data, from, size);
	if (stn_block_landed(block, part->array->shape.element, true)) {
		stn_block_release(block);
		return STN_MALFORMED;
	}
	stn_block_release(part->memory.block);
	part->memory.block = block;
	part->version = part->fresh = part->copied = version;
	return STN_OK;
}

enum stn_err
stn_part_return(struct stn_part *part, uint64_t version,
		const unsigned char *from, size_t size)
{
	if (part->array->cells)
		return unpack_block(part, version, from, size);
	if (size != stn_copy_bytes(part->array, part->number))
		return STN_MALFORMED;
	unpack_layers(part, version, from);
	return STN_OK;
}

void
stn_copies_unpack(const struct stn_copy *copy, struct stn_part *part)
{
	if (stn_part_return(part, copy->header.version, copy->data,
			    copy->bytes))
		stn_node_fail(part->array->service->node,
			      "a copy of a part of an array is malformed");
}

void
stn_copies_fini(struct stn_parts *array)
{
	while (!SLIST_EMPTY(&array->copies.list))
		copy_remove(SLIST_FIRST(&array->copies.list));
	stn_copies_keep(array, 0, 0);
	array->copies.wanted = false;
}
