/*
 * gateway.h: the gateway of a cluster, which `sateen join` is: it finds those
 * of the other clusters of the run, joins with each by a trunk, starts the
 * cluster's own launcher, and serves the nodes that this starts: it wires them
 * up with those of the other clusters, and passes on what they send.
 */
#ifndef STN_TRANSPORT_WAN_GATEWAY_H
#define STN_TRANSPORT_WAN_GATEWAY_H

#include <stddef.h>
#include <stdint.h>

#include "transport/error.h"

struct stn_gateway_options {
	const char *run, *cluster; /* good names (trunk.h) */
	uint32_t clusters;	   /* of the run; 1 < clusters */
	const char *at;		   /* the meeting point */
	const unsigned char *secret;
	size_t secret_bytes;
	uint16_t low, high;    /* ports to listen on; 0: any */
	const char *interface; /* or NULL: all */
	const char *address; /* others find us there; NULL: as stn_own_places */
	uint64_t wait_ns;    /* for the other clusters to come */
	uint64_t silence_ns; /* after which whoever is silent is dead; 0: never
			      */
	char **command;
};

/*
 * stn_gateway_run: until the run is over. Returns what to end with: the
 * command's status; a failure that is not the command's is told by one line on
 * stderr.
 */
int stn_gateway_run(const struct stn_gateway_options *options);

#endif
