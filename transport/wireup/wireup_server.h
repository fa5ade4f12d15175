/*
 * wireup_server.h: the launcher's end of the wire-up of its nodes. It owns no
 * descriptors: whoever does gives it the frames that nodes send, and is asked
 * to tell frames to all of them. So a node may be next door, or behind a relay.
 * One thread.
 */
#ifndef STN_TRANSPORT_WIREUP_WIREUP_SERVER_H
#define STN_TRANSPORT_WIREUP_WIREUP_SERVER_H

#include <stdbool.h>

#include "transport/wireup/wireup_frame.h"

/* What the launcher knows of a node. */
struct stn_wireup_client {
	unsigned char *card; /* its last, or NULL */
	size_t card_size;
	bool shown;   /* the card is of the round that goes on */
	bool arrived; /* it is at the barrier */
};

/*
 * Sends a frame to all nodes; it doesn't return until @body has been sent or
 * copied. A node that can't be told has died, which its owner sees by itself.
 */
typedef void stn_wireup_tell(void *arg, enum stn_frame_type type,
			     const void *body, size_t size);

struct stn_wireup_server {
	stn_wireup_tell *tell;
	void *arg;
	uint32_t nodes, shown, arrived;
	uint32_t rounds; /* whose cards were dealt */
	bool finished;	 /* all have passed the barrier */
	bool aborted;
	uint32_t aborted_by;
	bool misses; /* it did so for want of another */
	struct stn_why reason;
	struct stn_wireup_client *clients;
};

/* stn_wireup_server_init: for @nodes nodes, to whom @tell speaks. */
STN_CHECKED enum stn_err
stn_wireup_server_init(struct stn_wireup_server *server, uint32_t nodes,
		       stn_wireup_tell *tell, void *arg);
void stn_wireup_server_fini(struct stn_wireup_server *server);

/*
 * stn_wireup_server_take: does what a whole frame of node @rank says. The
 * frame is dropped. STN_OK; STN_MALFORMED if that node may not say so now;
 * STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err
stn_wireup_server_take(struct stn_wireup_server *server, uint32_t rank,
		       struct stn_frame_in *frame);

#endif
