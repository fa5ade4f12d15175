/*
 * leaving.h: the service by which a node leaves the run when a view tells it to
 * (node/membership.h). The node stays a member, answers messages, and lets its
 * services hand over their work (leave in service.h). When they have, or when
 * the time --grace is nearly over, it says farewell to all other nodes.
 * Messages of one node to another arrive in order, so the answers mean that all
 * it has sent has arrived. Then the host tells the sequencer that the node has
 * left. From there on the others do what they do after a death.
 *
 *	kind		  header and payload: none
 *	FAREWELL 20	  to be answered by BYE
 *	BYE 21
 */
#ifndef STN_NODE_LEAVING_H
#define STN_NODE_LEAVING_H

#include "node/service.h"

enum { STN_FAREWELL = 20, STN_BYE = 21 };

extern const struct stn_service stn_leaving_service;

#endif
