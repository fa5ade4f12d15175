/*
 * launch_summary.h: the line at the end of a run that says how many nodes have
 * died or left. The root makes this line, but may die before the run ends. So the
 * launcher prints it, and the barrier stays closed until a living root
 * has sent the line about all deaths. Under `sateen join` the nodes have their
 * barrier at the gateway, which prints the line (gateway_summary.h). One thread.
 */
#ifndef STN_LAUNCH_RUN_LAUNCH_SUMMARY_H
#define STN_LAUNCH_RUN_LAUNCH_SUMMARY_H

#include "launch/run/launch.h"

/*
 * launch_summary_await: the sequencer has noted that a node has died or left.
 * launch_summary_take: the frame SUMMARY has come.
 * launch_summary_print: the barrier opens: prints the line, if there is one.
 */
void launch_summary_await(struct launch *launch);
void launch_summary_take(struct launch *launch,
			 const struct stn_wireup_frame *frame);
void launch_summary_print(struct launch *launch);

#endif
