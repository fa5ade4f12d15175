/*
 * gateway_clusters.h: the clusters of the run, as their gateways' entries at
 * the meeting point and their trunks describe them.
 */
#ifndef STN_LAUNCH_GATEWAY_GATEWAY_CLUSTERS_H
#define STN_LAUNCH_GATEWAY_GATEWAY_CLUSTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "launch/gateway/meeting_entry.h"
#include "launch/gateway/trunk.h"

struct gateway;
struct connection;
struct pending;

/* The cards of a cluster's nodes in one round. */
struct collected_cards {
	unsigned char *bytes;
	size_t size;
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
};

/* gateway_find_cluster: the cluster of this name; NULL if it isn't known. */
struct cluster *gateway_find_cluster(struct gateway *gateway, const char *name);

/* gateway_is_known_host: does a gateway's entry have this host's address? */
bool gateway_is_known_host(const struct gateway *gateway,
			   const struct stn_host_port *host);

/*
 * gateway_collect_cards: appends @size bytes; false if there is no memory. The
 * owner frees @collected->bytes.
 */
bool gateway_collect_cards(struct collected_cards *collected, const void *bytes,
			   size_t size);

#endif
