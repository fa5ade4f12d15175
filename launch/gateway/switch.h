/*
 * switch.h: the switch forwards segments between the nodes of a cluster and its
 * trunks, the connections to other clusters' gateways. It parses only their
 * heads.
 *
 * Memory is bounded: a port has a buffer for each direction. A port whose next
 * segment finds its destination's buffer full is blocked: it isn't read until
 * there is room. Blocked ports take turns, one segment each. Each node has a
 * port for each cluster, so that a slow trunk delays no segments to other
 * clusters. A segment that comes by a trunk does wait for a slow node, and
 * delays those behind it. So nodes must always read, and a node that has not
 * read for some time counts as dead.
 *
 * One thread. The owner watches each port's descriptor for the events that the
 * switch asks for, and reports them.
 */
#ifndef STN_LAUNCH_GATEWAY_SWITCH_H
#define STN_LAUNCH_GATEWAY_SWITCH_H

#include <stdint.h>
#include <sys/queue.h>

#include "launch/gateway/stream.h"
#include "transport/far/segment.h"

#define STN_SWITCH_ENDED "its connection has ended" /* why a port is lost */

struct stn_port {
	struct stn_stream stream;
	uint32_t cluster; /* to which the port leads */
	uint32_t rank;	  /* of the node at its other end; not of a trunk */
	bool trunk;	  /* its other end is a gateway */
	uint32_t events;  /* that the descriptor is watched for */
	bool heard;	  /* something has come; the owner may clear it */
	struct stn_port *blocked_by; /* waits for room there; NULL: is read */
	TAILQ_ENTRY(stn_port) waiting_entry; /* in @blocked_by's list */
	TAILQ_HEAD(, stn_port) waiting;	     /* ports that this one blocks */
	bool dirty;			     /* has something to be flushed */
	LIST_ENTRY(stn_port) dirty_entry;
	uint64_t full_since_ns; /* since when nothing could be written; 0: not
				   full */
};

struct stn_switch_calls {
	/*
	 * A segment to the gateway itself has come by a trunk. The owner may
	 * remove ports, this trunk as well, and close their streams, but frees
	 * no port until the current call into the switch has returned.
	 */
	void (*control)(void *arg, struct stn_port *trunk,
			const struct stn_segment *segment,
			const unsigned char *data);
	/*
	 * A port is over. The switch has taken it out, and the owner may free
	 * it when the current call into the switch has returned.
	 */
	void (*lost)(void *arg, struct stn_port *port, const char *how);
	/* The port's descriptor is to be watched for these epoll events. */
	void (*watch)(void *arg, struct stn_port *port, uint32_t events);
};

struct stn_switch {
	const struct stn_switch_calls *calls;
	void *arg;
	uint32_t mine, clusters;
	uint32_t *first; /* first rank of each cluster; last, the number of all
			    nodes */
	struct stn_port **trunks; /* by cluster */
	struct stn_port *
		*nodes; /* by (rank - our first) * clusters + cluster */
	size_t cells;	/* number of @nodes */
	LIST_HEAD(, stn_port) dirty;
	uint64_t check_ns; /* when readers are checked again */
};

/*
 * stn_switch_init: a switch of cluster @mine of @clusters. Before
 * stn_switch_set_layout only trunks may be added. stn_switch_fini frees no
 * ports.
 * stn_switch_set_mine: before stn_switch_set_layout: our cluster has another
 * number, of which there is no trunk.
 */
STN_CHECKED enum stn_err stn_switch_init(struct stn_switch *hub,
					 const struct stn_switch_calls *calls,
					 void *arg, uint32_t mine,
					 uint32_t clusters);
void stn_switch_set_mine(struct stn_switch *hub, uint32_t mine);
void stn_switch_fini(struct stn_switch *hub);

/*
 * stn_switch_set_layout: @first holds the clusters' first ranks, and the number
 * of all nodes.
 */
STN_CHECKED enum stn_err stn_switch_set_layout(struct stn_switch *hub,
					       const uint32_t *first);

/*
 * stn_switch_add: adds a port with an open stream. STN_INVALID if the port's
 * cluster or rank doesn't exist, STN_IN_USE if there is such a port already.
 */
STN_CHECKED enum stn_err stn_switch_add(struct stn_switch *hub,
					struct stn_port *port);

/* stn_switch_remove: takes a port out; the caller owns it again. */
void stn_switch_remove(struct stn_switch *hub, struct stn_port *port);

/* stn_switch_ready: reports epoll events of a port's descriptor. */
void stn_switch_ready(struct stn_switch *hub, struct stn_port *port,
		      uint32_t events);

/* stn_switch_put: sends a segment of the gateway's own. It is never blocked. */
void stn_switch_put(struct stn_switch *hub, struct stn_port *port,
		    const struct stn_segment *segment, const void *data);

/* stn_switch_tell_lost: tells all our nodes that node @rank is dead. */
void stn_switch_tell_lost(struct stn_switch *hub, uint32_t rank);

/*
 * stn_switch_flush: writes what has been put. To be called before the owner
 * waits for events.
 */
void stn_switch_flush(struct stn_switch *hub);

/*
 * stn_switch_check_readers: loses the nodes that for @silence_ns have not read
 * what waits for them. @now_ns is any clock's, but not 0. May be called at any
 * rate; checks sixteen times in @silence_ns. If it was not called for more than
 * a second longer than that, the time does not count.
 */
void stn_switch_check_readers(struct stn_switch *hub, uint64_t now_ns,
			      uint64_t silence_ns);

#endif
