/*
 * gateway_membership.h: the membership of a run of several clusters that
 * survives deaths. The sequencer (node/sequencer.h) is hosted by the gateway of
 * the first cluster that lives, in which the root lives, too. Each gateway
 * reports the deaths of its cluster's nodes to the host.
 *
 * All gateways know a view before the root gets it. So if the host is lost, the
 * gateway of the next cluster continues from the newest view that it knows: no
 * node has a newer one.
 *
 * When a gateway is lost, all nodes of its cluster count as dead, as messages
 * reach them only through it. They end themselves when they notice. Two
 * gateways that can't reach each other may both live. So the host first claims
 * the other's death at the meeting point (meeting_claim.h). A gateway whose
 * claim is refused ends its cluster's part of the run.
 *
 * If all nodes of a cluster leave, its gateway is parting: it ends when the other
 * gateways know the view in which they have left, or close the trunk, because
 * they know that view.
 *
 * All this begins when all nodes of all clusters read views. Before that, and
 * in runs that don't survive deaths, a death ends the run.
 */
#ifndef STN_LAUNCH_GATEWAY_GATEWAY_MEMBERSHIP_H
#define STN_LAUNCH_GATEWAY_GATEWAY_MEMBERSHIP_H

#include <stdbool.h>

#include "launch/gateway/gateway_reports.h"
#include "node/sequencer.h"
#include "transport/far/segment.h"

struct gateway;

/* What the other parts of the gateway do for its membership. */
struct membership_calls {
	/* Sends a view to the root, node @root of our cluster. */
	void (*give)(struct gateway *gateway, uint32_t root,
		     const struct stn_change *changes, uint32_t count);
	/* Makes sure that our node @rank does not run any more. */
	void (*fence)(struct gateway *gateway, uint32_t rank);
	/* There may be fewer clusters to wait for at the barrier. */
	void (*fewer)(struct gateway *gateway);
	/* All nodes of our cluster, which comes late, read views. */
	void (*ready)(struct gateway *gateway);
};

struct membership {
	const struct membership_calls *calls;
	struct stn_topology topology;
	struct stn_sequencer sequencer; /* the newest view that is known */
	bool ready;			/* topology and sequencer exist */
	bool begun;			/* deaths don't end the run */
	bool over;			/* the barrier has been opened */
	uint32_t watching;		/* our nodes that read views */
	struct reports reports;
	bool parting; /* all our nodes are gone, and have left: */
	bool parted;  /* the other gateways know, or will find out */
	uint32_t host;	 /* the cluster of the sequencer */
	uint32_t spread; /* the view that the other gateways were told, by us */
};

/*
 * gateway_membership_open: the layout is known. Fails the run if there is no
 * memory.
 */
void gateway_membership_open(struct gateway *gateway);
void gateway_membership_close(struct gateway *gateway);

/* gateway_membership_watched: one more of our nodes reads views. */
void gateway_membership_watched(struct gateway *gateway);

/*
 * gateway_membership_suspect: one of our nodes misses node @rank of the run.
 * Only when the membership has begun, like gateway_report_tell.
 */
void gateway_membership_suspect(struct gateway *gateway, uint32_t rank);

/*
 * gateway_membership_take: takes a segment of the gateway of @cluster. Returns
 * STN_MISSING if it has nothing to do with the membership; STN_MALFORMED.
 */
STN_CHECKED enum stn_err
gateway_membership_take(struct gateway *gateway, uint32_t cluster,
			const struct stn_segment *segment,
			const unsigned char *data);

/*
 * gateway_lose_cluster: the gateway of @cluster is lost. Fails the run if the
 * membership has not begun.
 * @how  a constant, to follow "the gateway of cluster X"
 */
void gateway_lose_cluster(struct gateway *gateway, uint32_t cluster,
			  const char *how);

/*
 * gateway_count_as_dead: it is settled that the nodes of @cluster, which is
 * lost, count as dead.
 */
void gateway_count_as_dead(struct gateway *gateway, uint32_t cluster);

/*
 * gateway_cut_trunks: nothing more goes to the clusters that are lost, or to
 * @all, or comes from them. Not while a segment is being handled.
 */
void gateway_cut_trunks(struct gateway *gateway, bool all);

/* gateway_membership_attend: to be called after each handling of events. */
void gateway_membership_attend(struct gateway *gateway, uint64_t now);

/* gateway_is_first: is there no living cluster before ours, without the root?
 */
bool gateway_is_first(const struct gateway *gateway);

#endif
