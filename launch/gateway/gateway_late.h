/*
 * gateway_late.h: clusters that join the run while it runs, one after another. If
 * the first clusters were given --max-nodes, the layout has places for more: as
 * many as --max-clusters says, or else one. The places share the reserved ranks,
 * and count as lost and dead. Another `sateen join` with the name and the secret
 * of the run takes the first place that no cluster has had:
 *
 *	1. Its gateway finds the entries of gateways that run, and connects to
 *	   each of them (gateway_discover.c). They take its cluster in as
 *	   joining, and the host of the sequencer sends it WELCOME, which tells it
 *	   its place, the cards of nodes that have joined before (PEERS), and
 *	   those of the first nodes (ROUND).
 *	2. It starts its command. Its nodes make their plan with the cards of the
 *	   first nodes and their own, as if they were the last cluster of them.
 *	   Then they connect to the nodes that have joined before, too.
 *	3. When all of them read views, it sends their cards to all gateways
 *	   (PEERS), whose nodes compare the task tables and connect; then the
 *	   gateways answer MET.
 *	4. It asks the host to let its nodes join (JOIN). The next view has them.
 *
 * Before that, nothing that goes wrong there disturbs the run: the cluster is
 * refused, and another may come. While one cluster joins, others are refused, so
 * that all gateways agree on its place.
 */
#ifndef STN_LAUNCH_GATEWAY_GATEWAY_LATE_H
#define STN_LAUNCH_GATEWAY_GATEWAY_LATE_H

#include <stdbool.h>
#include <stdint.h>

#include "transport/error.h"
#include "transport/far/segment.h"
#include "launch/wireup/bytes.h"

#define GATEWAY_LATE_FULL \
	"as many clusters have joined the run as it has room for " \
	"(--max-clusters)"

struct gateway;
struct cluster;

struct late_cluster {
	uint32_t max_nodes; /* of the run; 0: no cluster joins it */
	uint32_t max_clusters; /* likewise */
	uint32_t next; /* the place of the cluster that joins now, or next */
	bool ours;	    /* this gateway's cluster comes late: */
	bool joining;	    /* it has not joined yet */
	bool welcome;	    /* WELCOME has come */
	uint64_t run_number;
	struct cluster *found; /* by number: clusters that run already */

	struct stn_bytes *rounds; /* the first nodes' CARDS of each round */
	uint32_t round_count;
	uint32_t dealt; /* rounds that our nodes have got */
	bool partial;	/* the last round has not come completely */

	struct stn_bytes joined; /* PEERS of all clusters that have joined */
	struct stn_bytes peers; /* of the cluster that joins; our own last cards */
	bool asked;		/* our nodes were told of them */
	bool answered;		/* MET was sent */
	uint32_t met;		/* number of gateways that have answered so */
};

/*
 * gateway_late_cluster: the place of the cluster that joins now, or would join
 * next; NULL if there is none left.
 */
struct cluster *gateway_late_cluster(struct gateway *gateway);

/* gateway_late_publish: tells at the meeting point which cluster ours is. */
void gateway_late_publish(struct gateway *gateway);

/*
 * gateway_late_keep: keeps the cards of a round, in case that a cluster joins.
 * gateway_late_add_round: the same, or a part of these cards. Both fail the run
 * if there is no memory.
 */
void gateway_late_keep(struct gateway *gateway, const void *bytes, size_t size);
void gateway_late_add_round(struct gateway *gateway, const void *bytes,
			    size_t size, bool more);
void gateway_late_fini(struct gateway *gateway);

/* gateway_late_joined: if the newest view has its nodes, the cluster is one of
 * the run from now on. */
void gateway_late_joined(struct gateway *gateway);

/*
 * gateway_late_admit: may a cluster of this name, whose gateway has said HELLO,
 * join now? Returns its place, or NULL and the reason.
 * gateway_late_welcome: it has a trunk now.
 */
struct cluster *gateway_late_admit(struct gateway *gateway, const char *name,
				   const char **why_p);
void gateway_late_welcome(struct gateway *gateway);

/*
 * gateway_late_take: takes a segment of @cluster. STN_MISSING if it has nothing
 * to do with a cluster that joins; STN_MALFORMED.
 */
STN_CHECKED enum stn_err gateway_late_take(struct gateway *gateway,
					   uint32_t cluster,
					   const struct stn_segment *segment,
					   const unsigned char *data);

/*
 * gateway_late_ready: all nodes of our cluster, which comes late, read views.
 * gateway_late_drop: the cluster that was joining is refused, or gone.
 * gateway_late_attend: to be called after each handling of events.
 */
void gateway_late_ready(struct gateway *gateway);
void gateway_late_drop(struct gateway *gateway, const char *why);
void gateway_late_attend(struct gateway *gateway);

/* gateway_run_number: the number of the run at the meeting point. */
uint64_t gateway_run_number(const struct gateway *gateway);

#endif
