/*
 * pieces.h: gathers and scatters lists of pieces of memory. Any thread may call
 * these functions. The caller makes sure that no other thread writes the memory
 * that they read.
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

/* Two lists that are walked side by side. Starts as { to, from, 0, 0 }. */
struct stn_pieces_walk {
	const struct iovec *to, *from;
	size_t to_offset, from_offset;
};

/*
 * stn_pieces_step: finds the next stretch that is contiguous in both lists.
 * @left  bytes still to walk, at most as many as both lists have left
 * @to_p, @from_p  where the stretch begins
 * Returns the stretch's length, at most @left; 0 if @left is 0.
 */
size_t stn_pieces_step(struct stn_pieces_walk *walk, size_t left, char **to_p,
		       char **from_p);

/* stn_pieces_go: copies the next @bytes, and advances the walk behind them. */
void stn_pieces_go(struct stn_pieces_walk *walk, size_t bytes);

#endif
