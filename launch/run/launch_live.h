/*
 * launch_live.h: what the launcher shows of a run while it goes on: the
 * progress bar, --metrics, and the answers to `sateen top`. It reads the live
 * counts of the nodes (node/live/live.h): those of nodes on this host where the
 * nodes store them. The agents of other hosts send theirs when the launcher
 * asks (WATCH, LIVE), twice a second at most, and only if somebody looks.
 */
#ifndef STN_LAUNCH_RUN_LAUNCH_LIVE_H
#define STN_LAUNCH_RUN_LAUNCH_LIVE_H

#include "launch/run/launch.h"

/*
 * launch_live_open: begins to serve --metrics, if that is set, and decides
 * whether there is a bar. Before nodes start. STN_INVALID, STN_IN_USE or
 * others: --metrics can't be served.
 * launch_live_prepare: makes memory for live counts, when the number of nodes
 * is known. STN_NO_MEMORY. launch_live_close: removes the bar and ends the
 * service. Any time after launch_live_open, even if that has failed.
 */
STN_CHECKED enum stn_err launch_live_open(struct launch *launch,
					  struct stn_why *why);
STN_CHECKED enum stn_err launch_live_prepare(struct launch *launch);
void launch_live_close(struct launch *launch);

/* launch_live_fd: a descriptor to poll for input, or -1. */
int launch_live_fd(const struct launch *launch);

/*
 * launch_live_wait: milliseconds until launch_live_check must be called, or -1.
 * launch_live_hide: the launcher may print something now.
 * launch_live_check: the launcher has printed what it had to: serves clients
 * and shows the bar.
 */
int launch_live_wait(const struct launch *launch);
void launch_live_hide(struct launch *launch);
void launch_live_check(struct launch *launch);

/*
 * launch_live_taken: an agent has sent LIVE for a node. Drops the frame if the
 * run has no node of that rank. STN_OK or STN_MALFORMED.
 */
STN_CHECKED enum stn_err
launch_live_taken(struct launch *launch, const struct stn_wireup_frame *frame);

/*
 * launch_live_asked: answers request @number of the control socket by the lines
 * of the metrics; now, or when the agents have sent theirs.
 */
void launch_live_asked(struct launch *launch, uint64_t number);

#endif
