/*
 * wireup_frame.h: what a launcher and the nodes it started say to each other,
 * over stream sockets on one host, in the host's byte order.
 *
 *	frame:	0 type (32 bits)  4 size (32 bits)  8 size bytes
 *
 *	CARD	node to launcher: its card of a round
 *	CARDS	launcher to node, when it has all: for each node, by rank, the
 *		size of its card (32 bits) and the card; then the next round
 *		may begin
 *	ARRIVED	node to launcher: it is at the barrier
 *	GO	launcher to node: all are
 *	ABORT	node to launcher: the run is over, for the reason in the text
 *	MISS	node to launcher: so it is, as a node (32 bits) is gone
 */
#ifndef STN_TRANSPORT_WIREUP_WIREUP_FRAME_H
#define STN_TRANSPORT_WIREUP_WIREUP_FRAME_H

#include <stdbool.h>

#include "transport/wireup/wireup.h"

enum stn_frame_type {
	STN_FRAME_CARD = 1,
	STN_FRAME_CARDS,
	STN_FRAME_ARRIVED,
	STN_FRAME_GO,
	STN_FRAME_ABORT,
	STN_FRAME_MISS
};

struct stn_frame_head {
	uint32_t type, size;
};

/*
 * stn_frame_write: writes a whole frame. Blocks as the socket does; STN_LOST
 * if the other end is gone. Never raises SIGPIPE.
 */
STN_CHECKED enum stn_err stn_frame_write(int fd, enum stn_frame_type type,
					 const void *bytes, size_t size);

/* The body of MISS: a text follows. */
struct stn_frame_miss {
	uint32_t missed; /* rank */
	char text[];
};

/* A frame that comes in piece by piece; zeros at first. */
struct stn_frame_in {
	struct stn_frame_head head;
	size_t got;	     /* of the head, then of the body */
	unsigned char *body; /* malloc'ed, when the head is there */
};

/*
 * stn_frame_read: reads some of a node's frame from @fd, without blocking if
 * there is something. STN_OK: then stn_frame_whole tells whether it is whole;
 * STN_LOST at the stream's end; STN_MALFORMED if the node does not speak as
 * one should; STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err stn_frame_read(struct stn_frame_in *in, int fd);

/* stn_frame_whole: is it all there? */
bool stn_frame_whole(const struct stn_frame_in *in);

/* stn_frame_drop: frees what is there of it, for the next. */
void stn_frame_drop(struct stn_frame_in *in);

/*
 * stn_frame_check: is this how a frame from a node may begin? STN_MALFORMED
 * if its type is unknown there or its size is beyond what that type has.
 */
STN_CHECKED enum stn_err stn_frame_check(const struct stn_frame_head *head);

/* stn_frame_missed: takes a whole MISS apart: who is missed, and the text. */
uint32_t stn_frame_missed(const struct stn_frame_in *in, struct stn_why *why);

/*
 * stn_frame_cards: takes the body of a CARDS frame apart. @cards, one for
 * each of @nodes, point into @body. STN_MALFORMED if it isn't exactly that.
 */
STN_CHECKED enum stn_err stn_frame_cards(const unsigned char *body, size_t size,
					 struct stn_card *cards,
					 uint32_t nodes);

#endif
