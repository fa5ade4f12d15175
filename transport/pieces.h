/*
 * pieces.h: lists of pieces of memory, gathered and scattered. Any thread; the
 * caller sees to it that nobody writes what is read.
 */
#ifndef STN_TRANSPORT_PIECES_H
#define STN_TRANSPORT_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

/* stn_pieces_bytes: the sum of the sizes of @count pieces. */
size_t stn_pieces_bytes(const struct iovec *pieces, size_t count);

/* stn_pieces_copy: copies @bytes from one list of pieces to another. */
void stn_pieces_copy(const struct iovec *to, const struct iovec *from,
		     size_t bytes);

/* Two lists walked side by side. Starts as { to, from, 0, 0 }. */
struct stn_pieces_walk {
	const struct iovec *to, *from;
	size_t to_offset, from_offset;
};

/*
 * stn_pieces_step: the next stretch that is contiguous on both sides.
 * @left  bytes still to go, no more than there are; the walk is over at 0
 * @to_p, @from_p  where the stretch begins
 * Returns its length; 0 at the end.
 */
size_t stn_pieces_step(struct stn_pieces_walk *walk, size_t left, char **to_p,
		       char **from_p);

/* stn_pieces_go: walks on by @bytes, and copies them. */
void stn_pieces_go(struct stn_pieces_walk *walk, size_t bytes);

#endif
