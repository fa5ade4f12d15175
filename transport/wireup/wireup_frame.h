/*
 * wireup_frame.h: what a launcher and the nodes it started say to each other,
 * over stream sockets on one host, in the host's byte order.
 *
 *	frame:	0 type (32 bits)  4 size (32 bits)  8 size bytes
 *
 *	CARD	node to launcher: its card
 *	CARDS	launcher to node, when it has all: for each node, by rank, the
 *		size of its card (32 bits) and the card
 *	ARRIVED	node to launcher: it is at the barrier
 *	GO	launcher to node: all are
 *	ABORT	node to launcher: the run is over, for the reason in the text
 */
#ifndef STN_TRANSPORT_WIREUP_FRAME_H
#define STN_TRANSPORT_WIREUP_FRAME_H

#include "transport/wireup/wireup.h"

enum stn_frame_type {
	STN_FRAME_CARD = 1,
	STN_FRAME_CARDS,
	STN_FRAME_ARRIVED,
	STN_FRAME_GO,
	STN_FRAME_ABORT
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

/*
 * stn_frame_check: is this how a frame from a node may begin? STN_MALFORMED
 * if its type is unknown there or its size is beyond what that type has.
 */
STN_CHECKED enum stn_err stn_frame_check(const struct stn_frame_head *head);

/*
 * stn_frame_cards: takes the body of a CARDS frame apart. @cards, one for
 * each of @nodes, point into @body. STN_MALFORMED if it isn't exactly that.
 */
STN_CHECKED enum stn_err stn_frame_cards(const unsigned char *body, size_t size,
					 struct stn_card *cards,
					 uint32_t nodes);

#endif
