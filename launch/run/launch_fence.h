/*
 * launch_fence.h: why the launcher has ended nodes: another node had not heard
 * from them, or had no memory for messages to them. One thread.
 */
#ifndef STN_LAUNCH_RUN_LAUNCH_FENCE_H
#define STN_LAUNCH_RUN_LAUNCH_FENCE_H

#include "launch/run/launch.h"

struct launch_fence {
	bool silent; /* another node has not heard from this one */
	uint32_t by; /* the node that has lost this one */
	/* The time of silence, or the reason; "": it may have died by itself */
	char how[48];
};

/*
 * launch_fence_init: when launch->ranks is known. STN_NO_MEMORY.
 * launch_fence_fini: even if launch_fence_init was not called.
 */
STN_CHECKED enum stn_err launch_fence_init(struct launch *launch);
void launch_fence_fini(struct launch *launch);

/* launch_fence_note: node @by misses node @rank, for this reason. */
void launch_fence_note(struct launch *launch, uint32_t rank, uint32_t by,
		       const char *how);

/*
 * launch_fence_tell: node @rank has died of SIGKILL. If the launcher has ended
 * it for a reason that is known, prints that, and returns true.
 * @more  what follows "the run goes on without it"
 */
bool launch_fence_tell(struct launch *launch, uint32_t rank, const char *more);

/*
 * launch_fence_check: after the death of node @rank. If all nodes that live are
 * on one host, and node @rank was ended because another host had not heard from
 * it, prints once what the reason may be.
 */
void launch_fence_check(struct launch *launch, uint32_t rank);

#endif
