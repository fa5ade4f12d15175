/*
 * gateway.h: the gateway of a cluster, which is the process `sateen join`. It
 * finds the gateways of the run's other clusters, connects to each by a trunk,
 * starts the cluster's own launcher, wires the nodes that this launcher starts
 * up with the nodes of the other clusters, and forwards messages between
 * clusters.
 */
#ifndef STN_LAUNCH_GATEWAY_GATEWAY_H
#define STN_LAUNCH_GATEWAY_GATEWAY_H

#include <stddef.h>
#include <stdint.h>

struct stn_gateway_options {
	const char *run, *cluster; /* valid names (trunk.h) */
	uint32_t clusters;	   /* of the run, at least 2 */
	uint32_t max_nodes;	   /* with those of clusters that join the run
				      later; 0: none does */
	uint32_t max_clusters;	   /* with these; more than @clusters */
	const char *at;		   /* the meeting point */
	const unsigned char *secret;
	size_t secret_bytes;
	uint16_t low, high;    /* range of ports to listen on; 0: any */
	const char *interface; /* to listen on; NULL: all */
	const char *address;   /* at which other gateways connect; NULL: as
				  stn_own_addresses */
	uint64_t wait_ns;      /* for the other clusters to come */
	uint64_t silence_ns;   /* a gateway or node that is silent for longer
				  counts as dead; 0: never */
	char **command;
};

/*
 * stn_gateway_run: returns, when the run is over, the process' exit status: the
 * command's, or that of a failure. A failure other than the command's is
 * reported by one line on stderr.
 */
int stn_gateway_run(const struct stn_gateway_options *options);

#endif
