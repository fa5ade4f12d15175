/*
 * fuzz_parts.c: an arbitrary message about arrays is either rejected, or has the
 * form of its kind. If a CREATE describes a grid that can be made, its parts
 * cover the grid, and the pieces that a part needs lie in its halo, do not
 * overlap, and are those that its neighbours give. A list of homes that is
 * accepted has each part once.
 *
 * Input: kind (8 bits), size of the payload (8 bits), header.
 */
#include <string.h>

#include "parts/homes.h"
#include "parts/wire.h"
#include "tests/fuzz/fuzz.h"

#define PARTS_MOST 200
#define PLACES_MOST 500

STN_KERNEL(point, double, double, factor)
{
	at->to[0] = factor;
}

static const struct stn_task *tasks[] = { &point_task, NULL };
static const struct stn_table table = { tasks, 1 };

static bool
is_empty(const struct stn_box *box)
{
	for (int d = 0; d < STN_DIRECTIONS; d++)
		if (box->low[d] >= box->high[d])
			return true;
	return false;
}

static bool
contains(const struct stn_box *outer, const struct stn_box *inner)
{
	for (int d = 0; d < STN_DIRECTIONS; d++)
		if (inner->low[d] < outer->low[d] ||
		    inner->high[d] > outer->high[d])
			return false;
	return true;
}

static bool
overlap(const struct stn_box *a, const struct stn_box *b)
{
	for (int d = 0; d < STN_DIRECTIONS; d++)
		if (a->high[d] <= b->low[d] || b->high[d] <= a->low[d])
			return false;
	return true;
}

/* The piece that part @part needs from @place is all right. */
static void
check_piece(const struct stn_shape *shape, const struct stn_piece *piece)
{
	struct stn_box box = stn_shape_box(shape, piece->to), halo = box;
	struct stn_box other = stn_shape_box(shape, piece->from);
	struct stn_piece given;

	for (int d = 0; d < STN_DIRECTIONS; d++) {
		halo.low[d] -= shape->halo[d];
		halo.high[d] += shape->halo[d];
	}
	require(!is_empty(&piece->at_to) && contains(&halo, &piece->at_to) &&
		!overlap(&box, &piece->at_to) &&
		contains(&other, &piece->at_from) &&
		stn_box_points(&piece->at_to) ==
			stn_box_points(&piece->at_from));
	require(stn_shape_gives(shape, piece->from, piece->place, &given) &&
		given.to == piece->to &&
		!memcmp(&given.at_to, &piece->at_to, sizeof(given.at_to)));
}

static void
check_part(const struct stn_shape *shape, uint32_t part)
{
	static struct stn_piece pieces[PLACES_MOST];
	uint32_t count = 0, places = stn_shape_places(shape);

	for (uint32_t place = 0; place < places; place++) {
		struct stn_piece *piece = &pieces[count];

		if (!stn_shape_needs(shape, part, place, piece))
			continue;
		require(piece->to == part && piece->place == place);
		check_piece(shape, piece);
		for (uint32_t i = 0; i < count; i++)
			require(!overlap(&pieces[i].at_to, &piece->at_to));
		count++;
	}
}

static void
check_create(const struct stn_parts_create *create)
{
	struct stn_grid grid = {
		.planes = create->planes, .rows = create->rows,
		.columns = create->columns, .element = create->element,
		.halo = create->halo, .copies = create->copies,
		.colours = create->colours, .block = create->block,
		.part_planes = create->part_planes,
		.part_rows = create->part_rows,
		.part_columns = create->part_columns, .star = create->star,
		.periodic = create->periodic,
	};
	struct stn_shape shape;
	struct stn_why why;
	uint64_t points = 0;

	if (stn_shape_init(&shape, &grid, &why) ||
	    stn_shape_parts(&shape) > PARTS_MOST ||
	    stn_shape_places(&shape) > PLACES_MOST)
		return;
	for (uint32_t i = 0; i < stn_shape_parts(&shape); i++) {
		struct stn_box box = stn_shape_box(&shape, i);

		require(!is_empty(&box));
		points += stn_box_points(&box);
		check_part(&shape, i);
	}
	require(points == shape.size[0] * shape.size[1] * shape.size[2]);
}

/* The lists of homes that a message may bring cover each part once at most. */
static void
check_homes(const uint8_t *data, size_t size)
{
	struct stn_home homes[8];
	uint32_t count = (uint32_t)(size / sizeof(homes[0])), next = 0;

	if (count > 8)
		count = 8;
	memcpy(homes, data, count * sizeof(homes[0]));
	if (!stn_homes_valid(homes, count, PARTS_MOST, 4, true))
		return;
	for (uint32_t i = 0; i < count; i++) {
		require(homes[i].first == next && homes[i].home < 4);
		next += homes[i].count;
	}
	require(!count || next == PARTS_MOST);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stn_message message = { 0 };
	struct stn_parts_wire wire;

	check_homes(data, size);
	if (size < 2 || size > 2 + STN_HEADER_BYTES)
		return 0;
	message.kind = data[0];
	message.payload_bytes = data[1];
	message.header = data + 2;
	message.header_bytes = size - 2;
	if (stn_parts_wire_parse(&message, &table, &wire))
		return 0;
	require(wire.kind == message.kind);
	require(wire.kind == STN_PARTS_KIND_FINISHED ||
		wire.kind == STN_PARTS_KIND_COLLECTED ||
		wire.kind == STN_PARTS_KIND_DEALT ||
		wire.kind == STN_PARTS_KIND_PIECE ||
		wire.kind == STN_PARTS_KIND_GIVE ||
		wire.kind == STN_PARTS_KIND_RECUT ||
		wire.kind == STN_PARTS_KIND_KNOW ||
		wire.kind == STN_PARTS_KIND_COPY ||
		wire.kind == STN_PARTS_KIND_PLAN ||
		wire.kind == STN_PARTS_KIND_ROWS ||
		wire.kind == STN_PARTS_KIND_WANT ||
		wire.kind == STN_PARTS_KIND_BLOCK ||
		wire.kind == STN_PARTS_KIND_STORED ||
		wire.kind == STN_PARTS_KIND_REVIVE ||
		wire.kind == STN_PARTS_KIND_REVIVED ||
		wire.kind == STN_PARTS_KIND_HOMES || !message.payload_bytes);
	if (wire.kind == STN_PARTS_KIND_KNOW)
		require(wire.know.orders <= wire.know.calls &&
			message.payload_bytes >=
				sizeof(struct stn_parts_known));
	if (wire.kind == STN_PARTS_KIND_OPERATE &&
	    wire.operate.what < STN_PARTS_FREE)
		require(wire.operate.task_id < table.count);
	if (wire.kind == STN_PARTS_KIND_CREATE) {
		require(wire.create.star <= 1 && wire.create.periodic <= 1 &&
			wire.create.progress <= 1 &&
			wire.create.copied <= (STN_COPIED_IN_MEMORY |
					       STN_COPIED_TO_DISK));
		check_create(&wire.create);
	}
	return 0;
}
