/*
 * wireup_server.h: the wire-up of a launcher or a gateway with its nodes. The
 * server has no descriptors: its owner passes it the nodes' frames and sends
 * its frames to all nodes. So nodes may be on this host or behind an agent. One
 * thread.
 */
#ifndef STN_LAUNCH_WIREUP_WIREUP_SERVER_H
#define STN_LAUNCH_WIREUP_WIREUP_SERVER_H

#include <stdbool.h>

#include "launch/wireup/wireup_frame.h"

/* The server's state of a node. */
struct stn_wireup_client {
	unsigned char *card; /* the last one, or NULL */
	size_t card_size;
	bool shown;   /* the card belongs to the current round */
	bool arrived; /* the node is at the barrier */
	bool died;
};

/*
 * Sends a frame to all nodes. @body is valid only during the call. If a node
 * can't be reached, the owner of the server notices its death.
 */
typedef void stn_wireup_send_all(void *arg, enum stn_wireup_frame_type type,
				 const void *body, size_t size);

struct stn_wireup_server {
	stn_wireup_send_all *send_all;
	void *arg;
	uint32_t nodes;
	uint32_t living;	 /* nodes that the barrier waits for */
	uint32_t shown, arrived; /* numbers of nodes */
	uint32_t rounds;	 /* number of complete rounds */
	bool held;		 /* the barrier stays closed */
	bool finished;		 /* all living nodes have passed the barrier */
	bool aborted;
	uint32_t aborted_by; /* rank */
	bool misses;	     /* because that node misses another one */
	struct stn_why reason;
	struct stn_wireup_client *clients;
};

/* stn_wireup_server_init: @send_all is called with @arg. STN_NO_MEMORY. */
STN_CHECKED enum stn_err
stn_wireup_server_init(struct stn_wireup_server *server, uint32_t nodes,
		       stn_wireup_send_all *send_all, void *arg);

/*
 * stn_wireup_server_reserve: makes room for nodes that join, of ranks less than
 * @ranks. STN_NO_MEMORY.
 * stn_wireup_server_joined: node @rank has joined: the barrier waits for it.
 */
STN_CHECKED enum stn_err
stn_wireup_server_reserve(struct stn_wireup_server *server, uint32_t ranks);
void stn_wireup_server_joined(struct stn_wireup_server *server, uint32_t rank);

void stn_wireup_server_fini(struct stn_wireup_server *server);

/*
 * stn_wireup_server_take: acts on a frame of the node in @frame's rank. STN_OK;
 * STN_MALFORMED if that node may not send the frame now; STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err
stn_wireup_server_take(struct stn_wireup_server *server,
		       const struct stn_wireup_frame *frame);

/*
 * stn_wireup_server_died: node @rank has died, and the run goes on: the barrier
 * waits for the other nodes only. After the last round.
 */
void stn_wireup_server_died(struct stn_wireup_server *server, uint32_t rank);

/*
 * stn_wireup_server_hold: keeps the barrier closed, also when all nodes are
 * there. No effect if it has opened.
 * stn_wireup_server_release: opens it when all nodes are there.
 */
void stn_wireup_server_hold(struct stn_wireup_server *server);
void stn_wireup_server_release(struct stn_wireup_server *server);

#endif
