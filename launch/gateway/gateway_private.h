/*
 * gateway_private.h: the state of a gateway. Its parts:
 *
 *	gateway.c		the main loop, the order of start and end
 *	gateway_discover.c	finds the other gateways, connects to them
 *	gateway_listeners.c	accepts connections
 *	gateway_pending.c	connections that have not proved themselves
 *	gateway_trunk.c		the connections with other gateways
 *	gateway_admission.c	nodes and their launcher introduce themselves
 *	gateway_members.c	the cluster's own nodes
 *	gateway_broadcast.c	frames for all of these nodes
 *	gateway_nodes.c		deaths of nodes, in runs that survive them
 *	gateway_suspicions.c	nodes that miss others
 *	gateway_membership.c	the membership of these runs
 *	gateway_reports.c	what gateways tell each other about nodes
 *	gateway_summary.c	the line about deaths at the end of the run
 *	gateway_late.c		a cluster that joins the run while it runs
 *	gateway_late_state.c	what the other files need to know of that
 *	gateway_leave.c		the cluster leaves the run
 *	gateway_control.c	other commands of the user
 *	gateway_claim.c		which of two gateways goes on without the other
 *	gateway_command.c	the command that starts the cluster's nodes
 *	gateway_attribution.c	why the run has failed
 *	gateway_say.c		lines on standard error
 *	gateway_clusters.c	the table of clusters; what is sent to their
 *				gateways; heartbeats
 *	gateway_loop.c		events
 */
#ifndef STN_LAUNCH_GATEWAY_GATEWAY_PRIVATE_H
#define STN_LAUNCH_GATEWAY_GATEWAY_PRIVATE_H

#include "launch/gateway/gateway.h"
#include "launch/gateway/gateway_admission.h"
#include "launch/gateway/gateway_attribution.h"
#include "launch/gateway/gateway_claim.h"
#include "launch/gateway/gateway_clusters.h"
#include "launch/gateway/gateway_command.h"
#include "launch/gateway/gateway_control.h"
#include "launch/gateway/gateway_late.h"
#include "launch/gateway/gateway_leave.h"
#include "launch/gateway/gateway_listeners.h"
#include "launch/gateway/gateway_loop.h"
#include "launch/gateway/gateway_members.h"
#include "launch/gateway/gateway_membership.h"
#include "launch/gateway/gateway_nodes.h"
#include "launch/gateway/gateway_pending.h"
#include "launch/gateway/gateway_reports.h"
#include "launch/gateway/gateway_say.h"
#include "launch/gateway/gateway_summary.h"
#include "launch/gateway/gateway_suspicions.h"
#include "launch/gateway/meeting.h"

struct gateway {
	const struct stn_gateway_options *options;
	struct gateway_loop loop;
	struct failure failure;
	struct discovery discovery;
	struct listeners listeners;
	struct pending_list pending;
	struct said said;
	struct heartbeat heartbeat;
	struct members members;
	struct nodes nodes;
	struct membership membership;
	struct summary summary;
	struct claim claim;
	struct late_cluster late;
	struct command command;
	struct gateway_control control;
	struct stn_meeting *meeting;
	struct stn_tls *tls;
	unsigned char token[STN_TOKEN_BYTES]; /* that members show */
	struct cluster *clusters; /* sorted by name when all are known */
	uint32_t known;		  /* number of clusters found */
	uint32_t mine;		  /* our cluster's index */
	struct stn_switch hub;
	bool begun; /* all trunks are established, since: */
	uint64_t begun_ns;
	bool over; /* all nodes of all clusters are at the barrier */
};

/* Deaths are survived from the start of the membership to the barrier. */
static inline bool
gateway_survives(const struct gateway *gateway)
{
	return gateway->membership.begun && !gateway->over &&
	       !gateway->failure.declared;
}

#endif
