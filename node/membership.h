/*
 * membership.h: the nodes that take part in the run. Each change is told to all
 * services, in the order of the list of services, with the net lock held.
 *
 * At present the only changes are deaths, which the transport reports. Nodes
 * neither join nor leave a running run.
 */
#ifndef STN_NODE_MEMBERSHIP_H
#define STN_NODE_MEMBERSHIP_H

#include "node/node.h"

/*
 * stn_membership_died: node @rank is dead. Ends the run, unless every service
 * can go on without a dead node.
 * @how  how the death was noticed, for people
 */
void stn_membership_died(struct stn_node *node, uint32_t rank, const char *how);

/* stn_membership_left, _joined: node @rank has left the run, or joined it. */
void stn_membership_left(struct stn_node *node, uint32_t rank);
void stn_membership_joined(struct stn_node *node, uint32_t rank);

#endif
