/*
 * gateway_suspicions.h: what the cluster's nodes say about nodes that they
 * miss.
 *
 * A cluster that joins the run does not know yet which nodes live: its nodes
 * also miss those that have died long ago. So its gateway keeps suspicions
 * until the view comes with which the cluster joins. Then a node of the cluster
 * that has lost a living node is fenced, and so is one that a node of another
 * cluster has lost. The others keep the nodes that they had.
 */
#ifndef STN_LAUNCH_GATEWAY_GATEWAY_SUSPICIONS_H
#define STN_LAUNCH_GATEWAY_GATEWAY_SUSPICIONS_H

#include <stdint.h>

#include "transport/error.h"

struct gateway;

/*
 * gateway_suspicion_take: node @index of the cluster misses node @suspect of
 * the run. STN_MALFORMED.
 */
STN_CHECKED enum stn_err gateway_suspicion_take(struct gateway *gateway,
						uint32_t index,
						uint32_t suspect);

/*
 * gateway_suspicion_keep: while the cluster is joining: node @index of it has
 * lost node @other of the run, or another cluster has lost node @index
 * (STN_NOBODY). Fails if there is no memory: then the cluster does not join.
 * gateway_suspicions_attend: to be called now and then: acts on what was kept
 * when the cluster has joined.
 */
void gateway_suspicion_keep(struct gateway *gateway, uint32_t index,
			    uint32_t other);
void gateway_suspicions_attend(struct gateway *gateway);

#endif
