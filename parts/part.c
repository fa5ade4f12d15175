#include "parts/part.h"

#include <stdlib.h>
#include <string.h>

#include "parts/cells/block.h"

#define ROW_ALIGNMENT 64 /* of the cache's lines, in most machines */
#define STRIP_BYTES 4096 /* some lines more than can be under way at once */
#define COPY_AHEAD 16	 /* rows */

static struct stn_box
whole_box(const struct stn_shape *shape, uint32_t part)
{
	struct stn_box whole = stn_shape_box(shape, part);

	for (int d = 0; d < STN_DIRECTIONS; d++) {
		whole.low[d] -= shape->halo[d];
		whole.high[d] += shape->halo[d];
	}
	return whole;
}

/* The strides of a layer, and its size. */
static void
memory_measure(struct stn_memory *memory, const struct stn_shape *shape)
{
	const struct stn_box *whole = &memory->whole;
	uint64_t row = (uint64_t)(whole->high[2] - whole->low[2]) /
		       shape->colours * shape->element;

	if (ROW_ALIGNMENT % shape->element == 0)
		row = (row + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
	memory->row_bytes = row;
	memory->plane_bytes = row * (uint64_t)(whole->high[1] - whole->low[1]);
	memory->layer_bytes = memory->plane_bytes *
			      (uint64_t)(whole->high[0] - whole->low[0]);
}

uint64_t
stn_memory_bytes(const struct stn_shape *shape)
{
	struct stn_memory memory = { .whole = whole_box(shape, 0) };

	memory_measure(&memory, shape);
	return memory.layer_bytes;
}

unsigned char *
stn_layer_create(const struct stn_shape *shape)
{
	void *layer;

	if (posix_memalign(&layer, ROW_ALIGNMENT, stn_memory_bytes(shape)))
		return NULL;
	return layer;
}

void
stn_memory_describe(struct stn_memory *memory, const struct stn_shape *shape,
		    uint32_t part)
{
	*memory = (struct stn_memory){ .whole = whole_box(shape, part) };
	memory_measure(memory, shape);
}

enum stn_err
stn_memory_init(struct stn_memory *memory, const struct stn_shape *shape,
		uint32_t part)
{
	stn_memory_describe(memory, shape, part);
	if (stn_shape_is_cells(shape)) {
		memory->block = stn_block_create(0, shape->element);
		return memory->block ? STN_OK : STN_NO_MEMORY;
	}
	for (uint32_t i = 0; i < shape->colours && !shape->hollow; i++) {
		memory->layers[i] = stn_layer_create(shape);
		if (!memory->layers[i]) {
			stn_memory_fini(memory);
			return STN_NO_MEMORY;
		}
	}
	return STN_OK;
}

void
stn_memory_fini(struct stn_memory *memory)
{
	free(memory->layers[0]);
	free(memory->layers[1]);
	memory->layers[0] = memory->layers[1] = NULL;
	stn_block_release(memory->block);
	memory->block = NULL;
}

uint32_t
stn_memory_layers(const struct stn_memory *memory,
		  const struct stn_shape *shape, struct iovec pieces[2])
{
	if (memory->block)
		return stn_block_pieces(memory->block, shape->element, true,
					pieces);
	for (uint32_t i = 0; i < shape->colours; i++)
		pieces[i] = (struct iovec){ memory->layers[i],
					    memory->layer_bytes };
	return shape->colours;
}

/* The place of a point in a layer. With colours its column is even. */
static uint64_t
offset_of(const struct stn_memory *memory, const struct stn_shape *shape,
	  const int64_t point[STN_DIRECTIONS])
{
	const int64_t *low = memory->whole.low;

	return (uint64_t)(point[0] - low[0]) * memory->plane_bytes +
	       (uint64_t)(point[1] - low[1]) * memory->row_bytes +
	       (uint64_t)(point[2] - low[2]) / shape->colours * shape->element;
}

void
stn_memory_at(const struct stn_memory *memory, const struct stn_shape *shape,
	      const struct stn_box *box, uint32_t to, uint32_t from,
	      struct stn_at *at)
{
	uint64_t offset = offset_of(memory, shape, box->low);

	*at = (struct stn_at){
		.to = memory->layers[to] + offset,
		.from = memory->layers[from] + offset,
		.planes = (long)(box->high[0] - box->low[0]),
		.rows = (long)(box->high[1] - box->low[1]),
		.columns = (long)(box->high[2] - box->low[2]) / shape->colours,
		.plane_stride = (long)(memory->plane_bytes / shape->element),
		.stride = (long)(memory->row_bytes / shape->element),
		.plane = (long)box->low[0],
		.row = (long)box->low[1],
		.column = (long)box->low[2],
		/* Of red points, layer 0, the sum of coordinates is even. */
		.parity = (int)((box->low[0] + box->low[1] + to) & 1),
		.colours = (int)shape->colours,
	};
}

long
stn_memory_strip(const struct stn_memory *memory, const struct stn_shape *shape)
{
	return (long)(STRIP_BYTES / (memory->row_bytes * shape->colours)) + 1;
}

uint64_t
stn_memory_fetch(const struct stn_memory *memory, const struct stn_shape *shape,
		 int64_t plane, int64_t row, uint64_t fetched)
{
	const struct stn_box *whole = &memory->whole;
	uint64_t end;

	plane += shape->reach[0];
	row += shape->reach[1];
	row = row < whole->high[1] ? row : whole->high[1];
	end = (uint64_t)(plane - whole->low[0]) * memory->plane_bytes +
	      (uint64_t)(row - whole->low[1]) * memory->row_bytes;
	for (; fetched < end; fetched += ROW_ALIGNMENT) {
		__builtin_prefetch(memory->layers[0] + fetched);
		if (shape->colours == 2)
			__builtin_prefetch(memory->layers[1] + fetched);
	}
	return fetched;
}

/* The layers that a piece has points of, as bits. */
static unsigned
piece_layers(const struct stn_shape *shape, const struct stn_memory *memory)
{
	if (shape->hollow)
		return 0;
	if (shape->colours == 2)
		return 3;
	return 1u << memory->current;
}

static uint64_t
piece_row_bytes(const struct stn_shape *shape, const struct stn_box *box)
{
	return (uint64_t)(box->high[2] - box->low[2]) / shape->colours *
	       shape->element;
}

static inline __attribute__((always_inline)) void
copy_each(unsigned char *to, uint64_t to_stride, const unsigned char *from,
	  uint64_t from_stride, uint64_t bytes, int64_t count)
{
	for (; count-- > 0; to += to_stride, from += from_stride) {
		__builtin_prefetch(to + COPY_AHEAD * to_stride, 1);
		memcpy(to, from, bytes);
	}
}

/*
 * Copies @count times @bytes. The pieces at the left and the right of a part
 * are columns of a few bytes; there a memcpy of known size is faster.
 */
static void
copy_lines(unsigned char *to, uint64_t to_stride, const unsigned char *from,
	   uint64_t from_stride, uint64_t bytes, int64_t count)
{
	if (bytes == 8)
		copy_each(to, to_stride, from, from_stride, 8, count);
	else if (bytes == 16)
		copy_each(to, to_stride, from, from_stride, 16, count);
	else if (bytes == 64)
		copy_each(to, to_stride, from, from_stride, 64, count);
	else
		copy_each(to, to_stride, from, from_stride, bytes, count);
}

struct iovec
stn_landing_data(struct stn_landing *landing, const struct stn_shape *shape)
{
	return (struct iovec){ shape->hollow ? NULL : landing->data,
			       landing->bytes };
}

/* Copies the points of @box between a layer and @data, row by row. */
static void
copy_box(const struct stn_memory *memory, const struct stn_shape *shape,
	 const struct stn_box *box, unsigned char *layer, unsigned char *data,
	 bool out)
{
	uint64_t bytes = piece_row_bytes(shape, box);
	int64_t rows = box->high[1] - box->low[1];

	layer += offset_of(memory, shape, box->low);
	for (int64_t i = box->low[0]; i < box->high[0]; i++) {
		if (out)
			copy_lines(data, bytes, layer, memory->row_bytes, bytes,
				   rows);
		else
			copy_lines(layer, memory->row_bytes, data, bytes, bytes,
				   rows);
		data += bytes * (uint64_t)rows;
		layer += memory->plane_bytes;
	}
}

/* Copies the points of @box from the first layer to the second. */
static void
copy_over(const struct stn_memory *memory, const struct stn_shape *shape,
	  const struct stn_box *box)
{
	uint64_t bytes = piece_row_bytes(shape, box);
	uint64_t offset = offset_of(memory, shape, box->low);

	for (int64_t i = box->low[0]; i < box->high[0]; i++) {
		copy_lines(memory->layers[1] + offset, memory->row_bytes,
			   memory->layers[0] + offset, memory->row_bytes, bytes,
			   box->high[1] - box->low[1]);
		offset += memory->plane_bytes;
	}
}

void
stn_memory_lend(struct stn_memory *memory, const struct stn_shape *shape,
		uint32_t part, unsigned char *layer)
{
	struct stn_box box = stn_shape_box(shape, part);
	struct stn_box fill = stn_shape_fill(shape, &box);

	memory->layers[1] = layer;
	if (shape->hollow)
		return;
	for (int d = 0; d < STN_DIRECTIONS && !shape->periodic; d++) {
		struct stn_box before = fill, behind = fill;

		before.high[d] = 0;
		behind.low[d] = (int64_t)shape->size[d];
		if (before.low[d] < before.high[d])
			copy_over(memory, shape, &before);
		if (behind.low[d] < behind.high[d])
			copy_over(memory, shape, &behind);
	}
}

unsigned char *
stn_memory_return(struct stn_memory *memory)
{
	unsigned char *layer = memory->layers[!memory->current];

	memory->layers[0] = memory->layers[memory->current];
	memory->layers[1] = NULL;
	memory->current = 0;
	return layer;
}

static void
landing_set(struct stn_landing *landing, const struct stn_piece *piece,
	    const struct stn_piece *back, uint64_t version, uint64_t bytes)
{
	landing->from = piece->from;
	landing->to = piece->to;
	landing->place = piece->place;
	landing->at_to = piece->at_to;
	landing->at_from = piece->at_from;
	landing->back = *back;
	landing->version = version;
	landing->bytes = bytes;
}

struct stn_landing *
stn_landing_create(const struct stn_shape *shape, const struct stn_piece *piece,
		   uint64_t version)
{
	uint64_t bytes = stn_box_points(&piece->at_to) * shape->element;
	struct stn_landing *landing =
		malloc(sizeof(*landing) + (shape->hollow ? 0 : bytes));
	uint32_t opposite = stn_shape_places(shape) - 1 - piece->place;
	struct stn_piece back = { 0 };

	if (!landing)
		return NULL;
	stn_shape_gives(shape, piece->to, opposite, &back);
	landing_set(landing, piece, &back, version, bytes);
	landing->room = bytes;
	return landing;
}

struct stn_landing *
stn_landing_answer(struct stn_landing *landing, const struct stn_shape *shape,
		   uint64_t version)
{
	const struct stn_piece came = { landing->from, landing->to,
					landing->place, landing->at_to,
					landing->at_from };
	const struct stn_piece piece = landing->back;
	uint64_t bytes = stn_box_points(&piece.at_to) * shape->element;

	if (bytes > landing->room) {
		free(landing);
		return stn_landing_create(shape, &piece, version);
	}
	landing_set(landing, &piece, &came, version, bytes);
	return landing;
}

/*
 * Copies every other point of a row, those of one colour, from @colour to @row
 * or back. The size of an element is not known, but it is mostly 8.
 */
static void
copy_colour(unsigned char *row, unsigned char *colour, uint64_t count,
	    uint32_t element, bool out)
{
	for (uint64_t k = 0; k < count; k++) {
		unsigned char *to = out ? row : colour;

		if (element == 8)
			memcpy(to, out ? colour : row, 8);
		else
			memcpy(to, out ? colour : row, element);
		row += 2ull * element;
		colour += element;
	}
}

/* Copies a row of points of both colours. Red is layer 0. */
static void
copy_colours(const struct stn_memory *memory, const struct stn_shape *shape,
	     const int64_t at[STN_DIRECTIONS], uint64_t columns,
	     unsigned char *data, bool out)
{
	uint64_t offset = offset_of(memory, shape, at);

	for (uint32_t i = 0; i < 2; i++) {
		uint64_t shift = (uint64_t)(at[0] + at[1] + i) & 1;

		copy_colour(data + shift * shape->element,
			    memory->layers[i] + offset, columns / 2,
			    shape->element, out);
	}
}

static void
copy_points(const struct stn_memory *memory, const struct stn_shape *shape,
	    uint32_t part, unsigned char *data, bool out)
{
	struct stn_box box = stn_shape_box(shape, part);
	uint64_t columns = (uint64_t)(box.high[2] - box.low[2]);
	int64_t at[STN_DIRECTIONS] = { 0, 0, box.low[2] };

	if (shape->colours == 1) {
		copy_box(memory, shape, &box, memory->layers[memory->current],
			 data, out);
		return;
	}
	for (at[0] = box.low[0]; at[0] < box.high[0]; at[0]++)
		for (at[1] = box.low[1]; at[1] < box.high[1]; at[1]++) {
			copy_colours(memory, shape, at, columns, data, out);
			data += columns * shape->element;
		}
}

void
stn_memory_copy_out(const struct stn_memory *memory,
		    const struct stn_shape *shape, uint32_t part,
		    unsigned char *data)
{
	copy_points(memory, shape, part, data, true);
}

void
stn_memory_copy_in(struct stn_memory *memory, const struct stn_shape *shape,
		   uint32_t part, const unsigned char *data)
{
	copy_points(memory, shape, part, (unsigned char *)data, false);
}

void
stn_landing_pack(struct stn_landing *landing, const struct stn_shape *shape,
		 const struct stn_memory *memory)
{
	unsigned layers = piece_layers(shape, memory);
	unsigned char *data = landing->data;

	for (uint32_t i = 0; i < 2; i++)
		if (layers >> i & 1) {
			copy_box(memory, shape, &landing->at_from,
				 memory->layers[i], data, true);
			data += landing->bytes / shape->colours;
		}
}

void
stn_landing_unpack(const struct stn_landing *landing,
		   const struct stn_shape *shape, struct stn_memory *memory)
{
	unsigned layers = piece_layers(shape, memory);
	unsigned char *data = (unsigned char *)landing->data;

	for (uint32_t i = 0; i < 2; i++)
		if (layers >> i & 1) {
			copy_box(memory, shape, &landing->at_to,
				 memory->layers[i], data, false);
			data += landing->bytes / shape->colours;
		}
}
