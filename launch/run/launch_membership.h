/*
 * launch_membership.h: the launcher of a run that survives deaths of nodes. It
 * hosts the sequencer (node/sequencer.h), kills nodes that others miss, and
 * keeps the outputs of successive roots apart.
 */
#ifndef STN_LAUNCH_RUN_LAUNCH_MEMBERSHIP_H
#define STN_LAUNCH_RUN_LAUNCH_MEMBERSHIP_H

#include "launch/run/launch.h"

/*
 * launch_membership_init: decides whether the run survives deaths, which the
 * settings say. Once, when the number of nodes is known. STN_NO_MEMORY, or the
 * gateway can't be reached.
 */
STN_CHECKED enum stn_err launch_membership_init(struct launch *launch,
						struct stn_why *why);
void launch_membership_fini(struct launch *launch);

/*
 * launch_membership_received: a node has sent this frame. STN_MISSING if it has
 * nothing to do with the survival of the run; STN_OK; STN_MALFORMED.
 */
STN_CHECKED enum stn_err
launch_membership_received(struct launch *launch,
			   const struct stn_wireup_frame *frame);

/*
 * launch_membership_begun: do all nodes read views? From then on deaths don't
 * end the run.
 */
bool launch_membership_begun(const struct launch *launch);

/*
 * launch_membership_leave: node @rank is to leave the run.
 * launch_membership_leave_all: all nodes are, of a cluster of several. Returns
 * false, and nothing happens, if the other clusters can't go on without them.
 * launch_membership_change: the newest change of node @rank, or NULL.
 */
void launch_membership_leave(struct launch *launch, uint32_t rank);
bool launch_membership_leave_all(struct launch *launch);
const struct stn_change *launch_membership_change(const struct launch *launch,
						  uint32_t rank);

/*
 * launch_membership_ended: node @rank has ended. Returns whether the run goes
 * on without it, or has finished before.
 */
bool launch_membership_ended(struct launch *launch, uint32_t rank, int status);

/*
 * launch_membership_lost: the host that has @count nodes from rank @first on is
 * lost. Returns whether the run goes on.
 */
bool launch_membership_lost(struct launch *launch, uint32_t first,
			    uint32_t count);

/*
 * launch_membership_printed: node @rank has printed these bytes. Prints them,
 * except what an earlier root has printed already.
 */
void launch_membership_printed(struct launch *launch, uint32_t rank,
			       const unsigned char *bytes, size_t size);

/*
 * launch_membership_issue: lets the living nodes know of all deaths so far. To
 * be called when the launcher has seen all that has happened.
 */
void launch_membership_issue(struct launch *launch);

/*
 * launch_membership_listen: the gateway has sent something, or has ended: see
 * launch_gateway_fd.
 */
void launch_membership_listen(struct launch *launch);

#endif
