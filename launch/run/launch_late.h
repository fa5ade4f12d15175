/*
 * launch_late.h: nodes that join a run while it runs. The launcher starts them
 * on request (`sateen add`), one request after another. It has kept the cards
 * that the first nodes showed, and gives them to the new nodes round by round.
 * When all new nodes are ready, it tells all nodes the cards of the new ones
 * (PEERS). When all have connected to each other (MET), it lets the sequencer
 * issue a view with the new nodes.
 *
 * A new node that dies, or can't join, before that view does not disturb the
 * run. Its rank is not used again. It can't join, either, if it loses a living
 * node, or a node loses it: nobody would report that again.
 */
#ifndef STN_LAUNCH_RUN_LAUNCH_LATE_H
#define STN_LAUNCH_RUN_LAUNCH_LATE_H

#include "launch/run/launch.h"

/*
 * launch_late_init: if the settings let nodes join. After
 * launch_membership_init. STN_NO_MEMORY.
 * All other functions do nothing, and return false, if no nodes can join.
 */
STN_CHECKED enum stn_err launch_late_init(struct launch *launch);
void launch_late_fini(struct launch *launch);

/* launch_late_keep: the first nodes get these CARDS. */
void launch_late_keep(struct launch *launch, const void *body, size_t size);

/*
 * launch_late_asked: a client asks for @count more nodes on this host.
 * @cluster  the name or number of their cluster; NULL: they are spread
 */
void launch_late_asked(struct launch *launch, uint64_t request, uint64_t count,
		       const char *cluster);

/*
 * launch_late_received: true if the frame is one of a node that has not joined
 * yet, or is MET; then it was handled.
 * launch_late_closed, _ended: true if the node had not joined.
 */
bool launch_late_received(struct launch *launch,
			  const struct stn_wireup_frame *frame);
bool launch_late_closed(struct launch *launch, uint32_t rank,
			enum stn_err err);
bool launch_late_ended(struct launch *launch, uint32_t rank, int status);

/*
 * launch_late_host_failed: a host that was added has failed, for the reason
 * @text; it has, or was to get, these nodes. False if one of them has joined.
 */
bool launch_late_host_failed(struct launch *launch, uint32_t first,
			     uint32_t count, const char *text);

/*
 * launch_late_check: starts, and lets join, the nodes that can. To be called
 * when the launcher has seen all that has happened.
 */
void launch_late_check(struct launch *launch);

/*
 * launch_late_milliseconds_left: the time until the launcher's deadline, or
 * until that of the new nodes; -1 if there is none.
 * launch_late_timed_out: true if it was that of the new nodes: gives them up.
 */
int launch_late_milliseconds_left(const struct launch *launch);
bool launch_late_timed_out(struct launch *launch);

#endif
