/*
 * part.h: the memory of a part: the points of its box and of the halo around
 * it, and the pieces of other parts that have arrived for its halo.
 *
 * A part has two layers if its grid has two colours: each colour is a layer,
 * with half of the columns. Otherwise it has one. With two copies a sweep reads
 * one layer and writes another. The second one is lent to the part while a
 * worker sweeps it: then a part needs half of the memory between its sweeps,
 * and the layer that is written is in the worker's cache. So the two layers may
 * change places, and all layers of an array have the same size.
 *
 * No function here locks. A part is changed by one thread at a time; while a
 * worker sweeps it, no other thread touches its layers.
 */
#ifndef STN_PARTS_PART_H
#define STN_PARTS_PART_H

#include <sys/queue.h>
#include <sys/uio.h>

#include "parts/shape.h"

/* A piece of another part, which waits to be copied into the halo. */
struct stn_landing {
	SLIST_ENTRY(stn_landing) link;
	uint32_t from, to, place; /* as in struct stn_piece */
	struct stn_box at_to, at_from;
	struct stn_piece back; /* which @to gives to @from */
	uint64_t version;      /* of the part that gave it */
	uint64_t bytes, room;  /* of data: used, and there */
	unsigned char data[];  /* only copied: needs no alignment */
};

SLIST_HEAD(stn_landings, stn_landing);

struct stn_block;

struct stn_memory {
	struct stn_block *block;  /* of cells; then there are no layers */
	unsigned char *layers[2]; /* the second may be NULL; both, if hollow */
	uint32_t current;	  /* with two copies: which has the values; 0
				   * except while a layer is lent */
	struct stn_box whole;	  /* box and halo */
	uint64_t layer_bytes;
	uint64_t row_bytes, plane_bytes; /* from a row, a plane, to the next */
};

/*
 * stn_memory_init: memory for part @part, undefined. STN_NO_MEMORY.
 * stn_memory_describe: the same without layers.
 * stn_memory_bytes: the size of one layer of any part.
 * stn_layer_create: a layer; NULL: no memory. The caller frees it by free.
 */
STN_CHECKED enum stn_err stn_memory_init(struct stn_memory *memory,
					 const struct stn_shape *shape,
					 uint32_t part);
void stn_memory_describe(struct stn_memory *memory,
			 const struct stn_shape *shape, uint32_t part);
void stn_memory_fini(struct stn_memory *memory);
uint64_t stn_memory_bytes(const struct stn_shape *shape);
unsigned char *stn_layer_create(const struct stn_shape *shape);

/*
 * stn_memory_lend: gives part @part a second layer, for sweeps of two copies.
 * stn_memory_return: takes the layer that has no values back. It may be another
 * one than that which was lent.
 */
void stn_memory_lend(struct stn_memory *memory, const struct stn_shape *shape,
		     uint32_t part, unsigned char *layer);
unsigned char *stn_memory_return(struct stn_memory *memory);

/*
 * stn_memory_layers: the layers that another node needs to go on with a part:
 * all that it has while it isn't swept. Their addresses are NULL if the shape
 * is hollow. Returns their number.
 */
uint32_t stn_memory_layers(const struct stn_memory *memory,
			   const struct stn_shape *shape,
			   struct iovec pieces[2]);

/*
 * stn_memory_at: describes the points of @box for a kernel that writes to layer
 * @to and reads from layer @from.
 */
void stn_memory_at(const struct stn_memory *memory,
		   const struct stn_shape *shape, const struct stn_box *box,
		   uint32_t to, uint32_t from, struct stn_at *at);

/*
 * stn_memory_copy_out: copies all points of part @part to @data, row by row, in
 * the order of the grid. stn_memory_copy_in: copies @data to the part.
 */
void stn_memory_copy_out(const struct stn_memory *memory,
			 const struct stn_shape *shape, uint32_t part,
			 unsigned char *data);
void stn_memory_copy_in(struct stn_memory *memory,
			const struct stn_shape *shape, uint32_t part,
			const unsigned char *data);

/*
 * stn_memory_strip: a number of rows that is good for stn_memory_fetch.
 * stn_memory_fetch: brings into the cache what a kernel reads for the points
 * before row @row of plane @plane, as far as it isn't there.
 * @fetched  0, or the value that the last call has returned
 */
long stn_memory_strip(const struct stn_memory *memory,
		      const struct stn_shape *shape);
uint64_t stn_memory_fetch(const struct stn_memory *memory,
			  const struct stn_shape *shape, int64_t plane,
			  int64_t row, uint64_t fetched);

/*
 * stn_landing_create: a landing for @piece, without data. NULL: no memory. The
 * caller frees it by free.
 * stn_landing_answer: a landing for the piece that the part to which @landing
 * came gives back. It takes the memory of @landing. NULL: no memory.
 *
 * stn_landing_pack: copies the piece's points out of the memory of the part
 * that gives it. stn_landing_unpack: copies them into the halo of the part that
 * needs them. Both do nothing if the shape is hollow.
 * stn_landing_data: where the points are, to be sent and received.
 */
struct stn_landing *stn_landing_create(const struct stn_shape *shape,
				       const struct stn_piece *piece,
				       uint64_t version);
struct stn_landing *stn_landing_answer(struct stn_landing *landing,
				       const struct stn_shape *shape,
				       uint64_t version);
void stn_landing_pack(struct stn_landing *landing,
		      const struct stn_shape *shape,
		      const struct stn_memory *memory);
void stn_landing_unpack(const struct stn_landing *landing,
			const struct stn_shape *shape,
			struct stn_memory *memory);
struct iovec stn_landing_data(struct stn_landing *landing,
			      const struct stn_shape *shape);

#endif
