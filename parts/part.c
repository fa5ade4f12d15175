#include "parts/part.h"

#include <stdlib.h>
#include <string.h>

#define ROW_ALIGNMENT 64

uint32_t
stn_memory_layers(const struct stn_shape *shape)
{
	return shape->copies == 2 || shape->colours == 2 ? 2 : 1;
}

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
stn_memory_bytes(const struct stn_shape *shape, uint32_t part)
{
	struct stn_memory memory = { .whole = whole_box(shape, part) };

	memory_measure(&memory, shape);
	return memory.layer_bytes;
}

enum stn_err
stn_memory_init(struct stn_memory *memory, const struct stn_shape *shape,
		uint32_t part)
{
	*memory = (struct stn_memory){ .whole = whole_box(shape, part) };
	memory_measure(memory, shape);
	for (uint32_t i = 0; i < stn_memory_layers(shape) && !shape->hollow;
	     i++) {
		if (posix_memalign((void **)&memory->layers[i], ROW_ALIGNMENT,
				   memory->layer_bytes)) {
			memory->layers[i] = NULL;
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

struct stn_landing *
stn_landing_create(const struct stn_shape *shape, const struct stn_piece *piece,
		   uint64_t version)
{
	uint64_t bytes = stn_box_points(&piece->at_to) * shape->element;
	size_t data = shape->hollow ? 0 : bytes;
	size_t all = (sizeof(struct stn_landing) + data + 63) / 64 * 64;
	struct stn_landing *landing = aligned_alloc(64, all);

	if (!landing)
		return NULL;
	landing->from = piece->from;
	landing->to = piece->to;
	landing->place = piece->place;
	landing->version = version;
	landing->bytes = bytes;
	return landing;
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
	int64_t at[STN_DIRECTIONS] = { 0, 0, box->low[2] };

	for (at[0] = box->low[0]; at[0] < box->high[0]; at[0]++)
		for (at[1] = box->low[1]; at[1] < box->high[1]; at[1]++) {
			unsigned char *row =
				layer + offset_of(memory, shape, at);

			if (out)
				memcpy(data, row, bytes);
			else
				memcpy(row, data, bytes);
			data += bytes;
		}
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
		 const struct stn_piece *piece, const struct stn_memory *memory)
{
	unsigned layers = piece_layers(shape, memory);
	unsigned char *data = landing->data;

	for (uint32_t i = 0; i < 2; i++)
		if (layers >> i & 1) {
			copy_box(memory, shape, &piece->at_from,
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
	struct stn_piece piece;

	if (!stn_shape_needs(shape, landing->to, landing->place, &piece))
		return;
	for (uint32_t i = 0; i < 2; i++)
		if (layers >> i & 1) {
			copy_box(memory, shape, &piece.at_to, memory->layers[i],
				 data, false);
			data += landing->bytes / shape->colours;
		}
}
