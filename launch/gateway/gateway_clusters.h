/*
 * gateway_clusters.h: the clusters of the run, as their gateways' entries at
 * the meeting point and their trunks describe them; and what this gateway sends
 * to theirs.
 */
#ifndef STN_LAUNCH_GATEWAY_GATEWAY_CLUSTERS_H
#define STN_LAUNCH_GATEWAY_GATEWAY_CLUSTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "launch/gateway/meeting_entry.h"
#include "launch/gateway/stream.h"
#include "launch/gateway/trunk.h"

struct gateway;
struct connection;
struct pending;

/* The cards of a cluster's nodes in one round. */
struct collected_cards {
	struct stn_bytes bytes;
	bool complete;
};

/* A cluster of the run; this gateway's own is one of them. */
struct cluster {
	char name[STN_NAME_BYTES];
	struct stn_meeting_entry entry;
	struct connection *trunk;     /* NULL: none yet, or lost */
	struct pending *calling;      /* our connection attempt, or NULL */
	struct stn_why last_failure;  /* of our connection attempts */
	size_t next_address;	      /* of the entry, to be tried */
	uint64_t connect_at_ns;	      /* not before then */
	uint64_t heard_ns;	      /* when its gateway last sent something */
	uint32_t size;		      /* number of nodes; 0: not known yet */
	bool arrived;		      /* all its nodes are at the barrier */
	struct collected_cards cards; /* of the current round */
	struct collected_cards next;  /* of the next round */

	/* Of a run that survives deaths (gateway_membership.h): */
	bool watches; /* all its nodes read views */
	bool lost;    /* its gateway is gone, or can't be reached any more: */
	const char *lost_how;
	bool claimed; /* the meeting point is asked whether it counts as dead */
	bool dead;    /* all its nodes count as dead */
	/*
	 * The cluster that may join the run while it runs is lost and dead until
	 * then.
	 */
	bool joining; /* it has a trunk, but its nodes are no members yet */
	uint32_t cut_told;     /* the cluster whose gateway was told of that */
	uint32_t view;	       /* the newest view that its gateway knows */
	struct stn_bytes part; /* of the view that its gateway is sending */
};

/* gateway_find_cluster: the cluster of this name; NULL if it isn't known. */
struct cluster *gateway_find_cluster(struct gateway *gateway, const char *name);

/* gateway_is_known_host: does a gateway's entry have this host's address? */
bool gateway_is_known_host(const struct gateway *gateway,
			   const struct stn_host_port *host);

struct heartbeat {
	/* Called when a gateway has been silent for too long. */
	void (*silent)(struct gateway *gateway, uint32_t cluster);
	uint64_t next_ns;    /* when this gateway sends the next */
	uint64_t checked_ns; /* when the others' were last checked */
};

/* gateway_put_segment: puts a gateway's segment into a stream. */
void gateway_put_segment(struct stn_stream *stream, enum stn_trunk_type type,
			 const void *bytes, size_t size);

/*
 * gateway_tell_gateways: sends @size bytes to all other gateways that have a
 * trunk, in several segments if need be. gateway_tell_gateway: to one of them.
 */
void gateway_tell_gateway(struct gateway *gateway, uint32_t cluster,
			  enum stn_trunk_type type, const void *bytes,
			  size_t size);
void gateway_tell_gateways(struct gateway *gateway, enum stn_trunk_type type,
			   const void *bytes, size_t size);

/*
 * gateway_heartbeat: sends heartbeats. A gateway that has sent nothing for too
 * long is lost, also one whose cluster is joining the run. TCP alone would give up
 * a trunk with unacknowledged data only after many minutes.
 */
void gateway_heartbeat(struct gateway *gateway, uint64_t now);

#endif
