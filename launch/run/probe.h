/*
 * probe.h: how far other hosts are, by the time that TCP connections to them
 * take.
 */
#ifndef STN_LAUNCH_RUN_PROBE_H
#define STN_LAUNCH_RUN_PROBE_H

#include <stdint.h>

#include "launch/gateway/host_port.h"

#define STN_PROBE_FAR UINT64_MAX /* the host has not answered */

/*
 * stn_probe: measures the round trips to @count hosts, all at once. Opens three
 * connections to each host, one after another, and takes the shortest time. A
 * host that refuses a connection has answered, too. Blocks for a second at
 * most.
 * @targets         a port of 0: no host
 * @round_trips_ns  set to the time, or to STN_PROBE_FAR
 */
void stn_probe(const struct stn_host_port *targets, uint32_t count,
	       uint64_t *round_trips_ns);

#endif
