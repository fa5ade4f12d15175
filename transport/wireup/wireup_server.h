/*
 * wireup_server.h: the launcher's end of the wire-up of its nodes. It owns no
 * descriptors, and does something only when it is told that a node's socket is
 * readable. One thread.
 */
#ifndef STN_TRANSPORT_WIREUP_SERVER_H
#define STN_TRANSPORT_WIREUP_SERVER_H

#include <stdbool.h>

#include "transport/wireup/wireup_frame.h"

/* What the launcher knows of a node. */
struct stn_wireup_client {
	int fd; /* the launcher's end; -1: none */
	struct stn_frame_head head;
	size_t got;	     /* of the head, then of the body */
	unsigned char *body; /* of the frame that is coming in */
	unsigned char *card;
	size_t card_size;
	bool shown;   /* its card is there */
	bool arrived; /* it is at the barrier */
};

struct stn_wireup_server {
	uint32_t nodes, shown, arrived;
	bool finished; /* all have passed the barrier */
	bool aborted;
	uint32_t aborted_by;
	struct stn_why reason;
	struct stn_wireup_client *clients;
};

/* stn_wireup_server_init: for @nodes nodes without sockets yet. */
STN_CHECKED enum stn_err
stn_wireup_server_init(struct stn_wireup_server *server, uint32_t nodes);
void stn_wireup_server_fini(struct stn_wireup_server *server);

/*
 * stn_wireup_server_read: node @rank's socket is readable: reads some, and
 * does what complete frames say. STN_OK; STN_LOST at the stream's end;
 * STN_MALFORMED if that node does not speak as one should; STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err
stn_wireup_server_read(struct stn_wireup_server *server, uint32_t rank);

#endif
