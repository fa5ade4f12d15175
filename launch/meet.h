/*
 * meet.h: opens a node's transport and connects it to the other nodes.
 */
#ifndef STN_LAUNCH_MEET_H
#define STN_LAUNCH_MEET_H

#include "node/config.h"
#include "steal/task.h"
#include "transport/transport.h"

struct stn_card;
struct stn_sim;
struct stn_wireup;

/*
 * stn_meet_opening: the parameters for opening the transport of node @rank,
 * from the settings. The caller sets handler, peer_event and arg. The texts
 * stay @config's.
 */
struct stn_opening stn_meet_opening(const struct stn_config *config,
				    const struct stn_topology *topology,
				    uint32_t rank);

/*
 * stn_meet_open: opens the transport that the settings name, as @opening says.
 * If the settings give a range of ports, tries each port until one is free.
 * @index  the node's number on its host, which decides the first port to try
 * @sim  the simulation that the node is in, or NULL
 */
STN_CHECKED enum stn_err stn_meet_open(const struct stn_config *config,
				       uint32_t index, struct stn_sim *sim,
				       struct stn_opening *opening,
				       struct stn_transport **transport_p,
				       struct stn_why *why);

/*
 * stn_meet: sends this node's card to all nodes, compares the cards of the
 * others with it, and connects the transport to the addresses in them. All
 * nodes must call it. Blocks.
 */
STN_CHECKED enum stn_err stn_meet(struct stn_wireup *wireup, uint32_t rank, const struct stn_table *table,
				  struct stn_transport *transport,
				  struct stn_why *why);

/*
 * stn_meet_late: node @rank, which shows this card, joins the run: does the
 * same with its card. If the node is connected already, nothing changes.
 */
STN_CHECKED enum stn_err stn_meet_late(uint32_t rank,
				       const struct stn_card *card,
				       const struct stn_table *table,
				       struct stn_transport *transport,
				       struct stn_why *why);

#endif
