/*
 * fuzz_know.c: a node learns of arrays by arbitrary messages: the lists in
 * KNOW, and for cells plans, records (ROWS) and brief summaries (BLOCK). Either
 * the run fails, or what the node then knows fits together: each part has a
 * home, the operations of a grid or of cells are operations for a grid or for
 * cells, and the records and summaries that have arrived lie within their
 * payloads.
 *
 * Input: messages: kind (8 bits), size of the header (8 bits), size of the
 * payload (16 bits), header, payload. The node isn't the root.
 */
#include "parts/array.h"
#include "parts/cells/cells.h"
#include "parts/create.h"
#include "parts/order.h"
#include "tests/fuzz/fuzz_node.h"

#define RANK 1
#define HEAD 4	       /* bytes before a header */
#define PARTS_MOST 500 /* else the target would be slow */

STN_KERNEL(known_point, double, double, factor)
{
	at->to[0] = factor;
}

static const struct stn_task *tasks[] = { &known_point_task, NULL };
static const struct stn_table table = { tasks, 1 };

/* Each part is at one home, unless all parts are where they began. */
static void
check_homes(const struct stn_homes *homes, uint32_t parts)
{
	uint32_t end = 0;

	for (uint32_t i = 0; i < homes->count; i++) {
		require(homes->list[i].first == end && homes->list[i].count);
		require(homes->list[i].home < FUZZ_NODES);
		end += homes->list[i].count;
	}
	require(!homes->count || end == parts);
}

static void
check_operation(const struct stn_parts *array)
{
	const struct stn_operation *operation = &array->operation;

	if (!operation->active)
		return;
	require(stn_order_fits(&operation->order, array->cells));
	if (operation->order.what < STN_PARTS_FREE)
		require(operation->kernel == &known_point_task);
}

/* An order may be repeated. */
static void
check_history(const struct stn_history *history, bool cells)
{
	require(stn_history_orders(history) <= history->count);
	for (uint32_t i = 0; i < stn_history_orders(history); i++)
		require(!stn_parts_operate_check(&history->orders[i].order,
						 &table) &&
			stn_order_fits(&history->orders[i].order, cells));
}

static void
check_rows(const struct stn_cells *cells, const struct stn_rows *rows)
{
	const unsigned char *begin = rows->store->data;
	const unsigned char *end = begin + rows->store->bytes;
	const unsigned char *indices = (const void *)rows->indices;

	require(indices >= begin && rows->records >= indices);
	require(rows->count <= (size_t)(end - indices) / 8);
	require(rows->count <= (size_t)(end - rows->records) / cells->record);
}

static void
check_arrivals(const struct stn_cells *cells)
{
	const struct stn_rows *rows;

	for (uint32_t i = cells->first; i < cells->end; i++) {
		const struct stn_arrived *arrival =
			&cells->arrivals[i - cells->first];
		uint64_t count = 0;

		SLIST_FOREACH(rows, &arrival->list, link)
		{
			check_rows(cells, rows);
			count += rows->count;
		}
		require(count == arrival->count);
		require(count <= cells->next.leaves[i].count);
		require(!count || cells->next.leaves[i].home == RANK);
	}
}

static void
check_cells(const struct stn_parts *array)
{
	const struct stn_cells *cells = array->cells;

	require(!cells->tree.parts || cells->tree.parts == array->count);
	require(!cells->briefs ||
		cells->briefs->bytes ==
			(size_t)stn_octree_inners(&cells->tree) * cells->brief);
	check_arrivals(cells);
	for (uint32_t i = 0; i < cells->copied_count; i++) {
		const struct stn_copied *copied = &cells->copied[i];
		const struct stn_block *store = copied->store;

		require(!store || (copied->brief >= store->data &&
				   copied->brief + cells->brief <=
					   store->data + store->bytes));
	}
}

static void
check_arrays(const struct stn_parts_service *service)
{
	const struct stn_parts *array;

	SLIST_FOREACH(array, &service->arrays, link)
	{
		check_homes(&array->homes, array->count);
		check_operation(array);
		check_history(&array->history, array->cells);
		if (array->cells)
			check_cells(array);
	}
}

/* Does a KNOW describe an array of more parts than PARTS_MOST? */
static bool
is_large(const struct stn_parts_know *know, const unsigned char *payload,
	 size_t bytes)
{
	struct stn_parts_known known;
	struct stn_shape shape;
	struct stn_home last;
	struct stn_grid grid;
	struct stn_why why;

	if (bytes < sizeof(known))
		return false;
	memcpy(&known, payload, sizeof(known));
	if (know->homes && bytes >= sizeof(known) + sizeof(last)) {
		memcpy(&last, payload + bytes - sizeof(last), sizeof(last));
		if ((uint64_t)last.first + last.count > PARTS_MOST)
			return true;
	}
	grid = stn_grid_of(&known.create);
	return !stn_shape_init(&shape, &grid, &why) &&
	       stn_shape_parts(&shape) > PARTS_MOST;
}

static bool
is_fuzzed(const struct stn_message *message, const unsigned char *payload)
{
	struct stn_parts_know know;

	switch (message->kind) {
	case STN_PARTS_KIND_PLAN:
	case STN_PARTS_KIND_ROWS:
	case STN_PARTS_KIND_BLOCK:
		return true;
	case STN_PARTS_KIND_KNOW:
		if (message->header_bytes != sizeof(know))
			return true;
		memcpy(&know, message->header, sizeof(know));
		return !is_large(&know, payload, message->payload_bytes);
	}
	return false;
}

/* Delivers the next message. Returns its size; 0: it was the last one. */
static size_t
deliver(struct stn_node *node, const uint8_t *data, size_t size)
{
	unsigned char header[STN_HEADER_BYTES];
	struct stn_message message = { .header = header };
	uint16_t payload_bytes;

	if (size < HEAD || data[1] > STN_HEADER_BYTES)
		return 0;
	memcpy(&payload_bytes, data + 2, sizeof(payload_bytes));
	message.kind = data[0];
	message.header_bytes = data[1];
	message.payload_bytes = payload_bytes;
	if (message.header_bytes + message.payload_bytes > size - HEAD)
		return 0;
	memcpy(header, data + HEAD, message.header_bytes);
	data += HEAD + message.header_bytes;
	if (!is_fuzzed(&message, data) ||
	    !fuzz_node_deliver(node, &message, data))
		return 0;
	check_arrays(stn_node_state(node, &stn_parts_service));
	return HEAD + message.header_bytes + message.payload_bytes;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_node_deliver_all(fuzz_node_create(RANK, &table), deliver, data,
			      size);
	return 0;
}
