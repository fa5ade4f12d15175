/*
 * meet.h: how a node gets onto the network, and to know the others.
 */
#ifndef STN_STEAL_JOIN_MEET_H
#define STN_STEAL_JOIN_MEET_H

#include "steal/config.h"
#include "steal/task.h"
#include "transport/transport.h"
#include "transport/wireup/wireup.h"

/*
 * stn_meet_opening: an opening of the transport that the settings name, for
 * node @rank; handler, news and arg are left to the caller. Texts are
 * @config's.
 */
struct stn_opening stn_meet_opening(const struct stn_config *config,
				    const struct stn_topology *topology,
				    uint32_t rank);

/*
 * stn_meet_open: opens the transport that the settings name, as @opening says,
 * on the first of the ports that is free. The nodes of a host begin at
 * different ones, by @index.
 */
STN_CHECKED enum stn_err stn_meet_open(const struct stn_config *config,
				       uint32_t index,
				       struct stn_opening *opening,
				       struct stn_transport **transport_p,
				       struct stn_why *why);

/*
 * stn_meet: shows this node's card, holds all others' against it, and connects
 * the transport to whom they name. All nodes must call it. Blocks.
 */
STN_CHECKED enum stn_err stn_meet(struct stn_wireup *wireup,
				  const struct stn_topology *topology,
				  uint32_t rank, const struct stn_table *table,
				  struct stn_transport *transport,
				  struct stn_why *why);

#endif
