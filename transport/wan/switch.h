/*
 * switch.h: passes segments on between the nodes of a cluster and its trunks,
 * the connections to other clusters' gateways. It looks at their heads only.
 *
 * Memory is bounded: a port has a buffer for each direction, and a port whose
 * next segment finds the buffer of its destination full isn't read until there
 * is room; those that wait for room take turns, a segment each. So that a slow
 * trunk holds up nothing else, each node has a port for each cluster. What
 * comes by a trunk does wait for the slowest of the nodes it is for; so nodes
 * always read, and one that hasn't for a while counts as dead.
 *
 * One thread. The owner watches the descriptor of each port for the events
 * that the switch asks for, and tells what has happened.
 */
#ifndef STN_TRANSPORT_WAN_SWITCH_H
#define STN_TRANSPORT_WAN_SWITCH_H

#include <stdint.h>

#include "transport/wan/line.h"
#include "transport/wan/segment.h"

#define STN_SWITCH_ENDED "its connection has ended" /* why a port is lost */

struct stn_port {
	struct stn_line line;
	uint32_t cluster; /* to which it leads, or that is at its end */
	uint32_t rank;	  /* of the node at its end */
	bool trunk;	  /* a gateway is at its end */
	uint32_t events;  /* that are watched for */
	bool waits;	  /* for room in another port */
	bool heard;	  /* something has come; the owner may clear it */
	struct stn_port *next_waiting;
	struct stn_port *waiting, **last_waiting; /* for room in this one */
	bool dirty;				  /* it has been put to */
	struct stn_port *next_dirty;
	uint64_t full_since_ns; /* nothing could be written since; 0: no */
};

struct stn_switch_calls {
	/* A segment to this gateway itself has come by a trunk. */
	void (*control)(void *arg, struct stn_port *trunk,
			const struct stn_segment *segment,
			const unsigned char *data);
	/*
	 * A port is over: it has been taken out, and is the owner's, to be
	 * freed when the call into the switch has returned.
	 */
	void (*lost)(void *arg, struct stn_port *port, const char *how);
	/* The port's descriptor is to be watched for these epoll events. */
	void (*watch)(void *arg, struct stn_port *port, uint32_t events);
};

struct stn_switch {
	const struct stn_switch_calls *calls;
	void *arg;
	uint32_t mine, clusters;
	uint32_t *first;	  /* ranks of each cluster, and of all */
	struct stn_port **trunks; /* by cluster */
	struct stn_port *
		*nodes; /* by (rank - our first) * clusters + cluster */
	struct stn_port *dirty;
	uint64_t look_ns; /* not before then */
};

/*
 * stn_switch_init: for a cluster @mine of @clusters; until it is told how many
 * nodes they have, only trunks may be added. stn_switch_fini frees no ports.
 */
STN_CHECKED enum stn_err stn_switch_init(struct stn_switch *hub,
					 const struct stn_switch_calls *calls,
					 void *arg, uint32_t mine,
					 uint32_t clusters);
void stn_switch_fini(struct stn_switch *hub);

/* stn_switch_plan: the clusters' first ranks, and the number of all nodes. */
STN_CHECKED enum stn_err stn_switch_plan(struct stn_switch *hub,
					 const uint32_t *first);

/*
 * stn_switch_add: a port whose line is open, and that says where it leads.
 * STN_INVALID if there is no such place, STN_IN_USE if it is taken.
 */
STN_CHECKED enum stn_err stn_switch_add(struct stn_switch *hub,
					struct stn_port *port);

/* stn_switch_remove: takes a port out; the caller owns it again. */
void stn_switch_remove(struct stn_switch *hub, struct stn_port *port);

/* stn_switch_ready: these epoll events have come of a port's descriptor. */
void stn_switch_ready(struct stn_switch *hub, struct stn_port *port,
		      uint32_t events);

/* stn_switch_put: a segment of the gateway's own. It is never held up. */
void stn_switch_put(struct stn_switch *hub, struct stn_port *port,
		    const struct stn_segment *segment, const void *data);

/* stn_switch_tell_lost: tells all our nodes that node @rank is dead. */
void stn_switch_tell_lost(struct stn_switch *hub, uint32_t rank);

/*
 * stn_switch_flush: writes what has been put; to be called before the owner
 * waits for events.
 */
void stn_switch_flush(struct stn_switch *hub);

/*
 * stn_switch_look: are there nodes that have not read for @silence_ns what
 * waits for them? They are lost. @now_ns is any clock's, but not 0. May be
 * called all the time: looks sixteen times in @silence_ns.
 */
void stn_switch_look(struct stn_switch *hub, uint64_t now_ns,
		     uint64_t silence_ns);

#endif
