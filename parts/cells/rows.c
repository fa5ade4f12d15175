#include "parts/cells/rows.h"

#include <stdlib.h>
#include <string.h>

#include "node/dispatch.h"
#include "parts/array.h"
#include "parts/early.h"
#include "parts/ready.h"
#include "parts/cells/sort.h"

/* Where a payload has its indices, and its records. */
static size_t
indices_at(uint32_t segments)
{
	return stn_block_align(segments * sizeof(struct stn_segment));
}

static size_t
records_at(uint32_t segments, uint64_t count)
{
	return indices_at(segments) + stn_block_align(8 * count);
}

/* The records from @first on that are for the same part. */
static uint64_t
run_end(const struct stn_octree *tree, const struct stn_record_key *keys,
	uint64_t first, uint64_t count)
{
	uint32_t part = stn_octree_part(tree, keys[first]);

	if (part + 1 == tree->parts)
		return count;
	while (first < count &&
	       stn_key_below(keys[first], tree->leaves[part + 1].key))
		first++;
	return first;
}

/* How many records are for node @to, and in how many segments. */
struct share {
	uint32_t segments;
	uint64_t count;
};

static struct share
count_share(const struct stn_octree *tree, const struct stn_record_key *keys,
	    uint64_t count, uint32_t to)
{
	struct share share = { 0, 0 };

	for (uint64_t i = 0, end; i < count; i = end) {
		end = run_end(tree, keys, i, count);
		if (tree->leaves[stn_octree_part(tree, keys[i])].home != to)
			continue;
		share.segments++;
		share.count += end - i;
	}
	return share;
}

static struct stn_parcel *
pack_parcel(struct stn_parts *array, const struct stn_record_key *keys,
	    const uint32_t *order, uint64_t count, const unsigned char *records,
	    uint32_t to)
{
	const struct stn_octree *tree = &array->cells->next;
	uint32_t record = array->cells->record;
	struct share share = count_share(tree, keys, count, to);
	struct stn_parcel *parcel = malloc(sizeof(*parcel));
	struct stn_block *store = stn_block_landing(
		records_at(share.segments, share.count) + share.count * record);
	struct stn_segment *segment;
	unsigned char *indices, *at;

	if (!parcel || !store)
		stn_array_no_memory(array);
	memset(store->data, 0, records_at(share.segments, share.count));
	segment = (struct stn_segment *)(void *)store->data;
	indices = store->data + indices_at(share.segments);
	at = store->data + records_at(share.segments, share.count);
	for (uint64_t i = 0, end; i < count; i = end) {
		uint32_t part = stn_octree_part(tree, keys[i]);

		end = run_end(tree, keys, i, count);
		if (tree->leaves[part].home != to)
			continue;
		*segment++ = (struct stn_segment){ part, (uint32_t)(end - i) };
		for (uint64_t j = i; j < end; j++) {
			memcpy(indices, &keys[j].index, 8);
			memcpy(at, records + (uint64_t)order[j] * record,
			       record);
			indices += 8;
			at += record;
		}
	}
	*parcel = (struct stn_parcel){ .to = to,
				       .segments = share.segments,
				       .store = store };
	return parcel;
}

static bool
has_parcel(const struct stn_parcels *parcels, uint32_t to)
{
	const struct stn_parcel *parcel;

	SLIST_FOREACH(parcel, parcels, link)
	if (parcel->to == to)
		return true;
	return false;
}

void
stn_rows_pack(struct stn_parts *array, const struct stn_record_key *keys,
	      const uint32_t *order, uint64_t count,
	      const unsigned char *records, struct stn_parcels *parcels)
{
	const struct stn_octree *tree = &array->cells->next;

	for (uint64_t i = 0; i < count; i = run_end(tree, keys, i, count)) {
		uint32_t to = tree->leaves[stn_octree_part(tree, keys[i])].home;
		struct stn_parcel *parcel;

		if (has_parcel(parcels, to))
			continue;
		parcel = pack_parcel(array, keys, order, count, records, to);
		SLIST_INSERT_HEAD(parcels, parcel, link);
	}
}

/* Whether the segments are for parts of this node. */
static bool
segments_valid(const struct stn_parts *array, const struct stn_block *store,
	       uint32_t segments)
{
	const struct stn_cells *cells = array->cells;
	const struct stn_segment *segment = (const void *)store->data;
	uint64_t count = 0;

	if (indices_at(segments) > store->bytes)
		return false;
	for (uint32_t i = 0; i < segments; i++) {
		uint32_t part = segment[i].part;

		if (part < cells->first || part >= cells->end ||
		    cells->next.leaves[part].home != array->service->node->rank)
			return false;
		count += segment[i].count;
	}
	return store->bytes ==
	       records_at(segments, count) + count * cells->record;
}

static uint64_t
count_all(const struct stn_segment *segments, uint32_t count)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < count; i++)
		all += segments[i].count;
	return all;
}

static enum stn_err
rows_land(struct stn_parts *array, struct stn_block *store, uint32_t segments)
{
	struct stn_cells *cells = array->cells;
	const struct stn_segment *segment = (const void *)store->data;
	const unsigned char *indices, *records;

	if (!segments_valid(array, store, segments))
		return STN_MALFORMED;
	indices = store->data + indices_at(segments);
	records = store->data +
		  records_at(segments, count_all(segment, segments));
	for (; segments--; segment++) {
		struct stn_arrived *arrival =
			&cells->arrivals[segment->part - cells->first];
		struct stn_rows *rows = malloc(sizeof(*rows));
		struct stn_part *part = stn_array_known(array, segment->part);

		if (segment->count >
		    cells->next.leaves[segment->part].count - arrival->count) {
			free(rows);
			return STN_MALFORMED;
		}
		if (!rows)
			stn_array_no_memory(array);
		*rows = (struct stn_rows){ .count = segment->count,
					   .indices = (const void *)indices,
					   .records = records,
					   .store = store };
		stn_block_use(store);
		SLIST_INSERT_HEAD(&arrival->list, rows, link);
		arrival->count += segment->count;
		indices += 8ull * segment->count;
		records += (uint64_t)segment->count * cells->record;
		if (part && part->joining)
			stn_part_consider(part);
	}
	return STN_OK;
}

/* Rows that leave this node, or arrive. */
struct passage {
	struct stn_parts *array;
	struct stn_parts_rows header;
	struct stn_block *store;
};

static void
end_rows(struct passage *passage)
{
	passage->array->service->under_way--;
	stn_block_release(passage->store);
	free(passage);
}

static void
rows_must_arrive(const struct passage *passage, enum stn_err err)
{
	stn_node_must_arrive(passage->array->service->node,
			     "the records of new cells", err);
}

static void
rows_left(void *arg, enum stn_err err)
{
	rows_must_arrive(arg, err);
	end_rows(arg);
}

static struct passage *
begin_rows(struct stn_parts *array, const struct stn_parts_rows *header,
	   struct stn_block *store)
{
	struct passage *passage = malloc(sizeof(*passage));

	if (!passage)
		stn_array_no_memory(array);
	*passage = (struct passage){ array, *header, store };
	array->service->under_way++;
	return passage;
}

static void
send_parcel(struct stn_parts *array, const struct stn_parcel *parcel)
{
	const struct stn_parts_rows header = { array->id,
					       array->cells->next_serial,
					       parcel->segments, 0 };
	struct stn_block *store = parcel->store;
	struct passage *passage = begin_rows(array, &header, store);
	struct iovec piece = { store->data, store->bytes };

	stn_node_send(array->service->node, parcel->to, STN_PARTS_KIND_ROWS,
		      &passage->header, sizeof(passage->header), &piece, 1,
		      rows_left, passage);
}

void
stn_rows_send(struct stn_parts *array, struct stn_parcels *parcels)
{
	while (!SLIST_EMPTY(parcels)) {
		struct stn_parcel *parcel = SLIST_FIRST(parcels);

		SLIST_REMOVE_HEAD(parcels, link);
		if (parcel->to != array->service->node->rank) {
			send_parcel(array, parcel);
		} else {
			if (rows_land(array, parcel->store, parcel->segments))
				stn_node_fail(array->service->node,
					      "this node has refused its own "
					      "records; please report that");
			stn_block_release(parcel->store);
		}
		free(parcel);
	}
}

static void
rows_landed(void *arg, enum stn_err err)
{
	struct passage *passage = arg;
	struct stn_parts *array = passage->array;

	rows_must_arrive(passage, err);
	if (!err && !array->freed &&
	    passage->header.serial == array->cells->next_serial &&
	    !array->restoring &&
	    stn_generation_same_view(passage->header.array.generation,
				     array->id.generation) &&
	    rows_land(array, passage->store, passage->header.segments))
		stn_node_fail(array->service->node,
			      "a node has sent malformed records of cells");
	end_rows(passage);
}

enum stn_err
stn_rows_take(struct stn_parts *array, const struct stn_message *message,
	      const struct stn_parts_rows *header)
{
	struct stn_block *store = stn_block_landing(message->payload_bytes);
	struct passage *passage;
	struct iovec piece;

	if (!store)
		stn_array_no_memory(array);
	passage = begin_rows(array, header, store);
	piece = (struct iovec){ store->data, store->bytes };
	if (!store->bytes) {
		end_rows(passage);
		return STN_MALFORMED;
	}
	stn_early_take(array->service, message, &piece, 1, rows_landed,
		       passage);
	return STN_OK;
}

/* The records that have arrived for a part, while they are sorted. */
struct gathering {
	struct stn_record_key *keys;
	uint32_t *order;
	const unsigned char **records;
};

static void
gather_rows(const struct stn_cells *cells, const struct stn_arrived *arrival,
	    struct gathering *all)
{
	const struct stn_rows *rows;
	size_t n = 0;

	SLIST_FOREACH(rows, &arrival->list, link)
	for (uint64_t i = 0; i < rows->count; i++, n++) {
		double place[3];

		all->records[n] = rows->records + i * cells->record;
		memcpy(place, all->records[n] + cells->place, sizeof(place));
		all->keys[n] = (struct stn_record_key){
			stn_morton(&cells->next.cube, place), rows->indices[i]
		};
	}
}

void
stn_rows_unite(struct stn_part *part)
{
	const struct stn_cells *cells = part->array->cells;
	const struct stn_arrived *arrival =
		&cells->arrivals[part->number - cells->first];
	uint64_t count = arrival->count;
	struct gathering all = {
		reallocarray(NULL, count + 1, sizeof(all.keys[0])),
		reallocarray(NULL, count + 1, sizeof(all.order[0])),
		reallocarray(NULL, count + 1, sizeof(all.records[0])),
	};
	struct stn_block *block = stn_block_create(count, cells->record);

	if (!all.keys || !all.order || !all.records || !block)
		stn_array_no_memory(part->array);
	gather_rows(cells, arrival, &all);
	if (stn_keys_sort(all.keys, all.order, count))
		stn_array_no_memory(part->array);
	for (uint64_t i = 0; i < count; i++) {
		block->indices[i] = all.keys[i].index;
		memcpy(block->records + i * cells->record,
		       all.records[all.order[i]], cells->record);
	}
	free(all.keys);
	free(all.order);
	free(all.records);
	stn_block_release(part->memory.block);
	part->memory.block = block;
}

void
stn_rows_drop(struct stn_cells *cells, uint32_t part)
{
	struct stn_arrived *arrival = &cells->arrivals[part - cells->first];

	while (!SLIST_EMPTY(&arrival->list)) {
		struct stn_rows *rows = SLIST_FIRST(&arrival->list);

		SLIST_REMOVE_HEAD(&arrival->list, link);
		stn_block_release(rows->store);
		free(rows);
	}
	arrival->count = 0;
}
