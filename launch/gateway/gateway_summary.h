/*
 * gateway_summary.h: the line at the end of a run that says how many nodes have
 * died or left. The root makes this line, but may die before the run ends. So
 * it sends the line to its gateway, which prints it. In a run that survives
 * deaths, only that gateway opens the barrier, when the root has sent the line
 * about all deaths; the other gateways wait until they hear that (OVER).
 *
 * The root's gateway must know these deaths. So a gateway whose node has died
 * does not say that its nodes have arrived before it knows the view with that
 * death, which the host of the sequencer has ordered then.
 */
#ifndef STN_LAUNCH_GATEWAY_GATEWAY_SUMMARY_H
#define STN_LAUNCH_GATEWAY_GATEWAY_SUMMARY_H

#include "launch/wireup/wireup_frame.h"

struct gateway;

struct summary {
	uint32_t view;	     /* whose deaths @line counts */
	struct stn_why line; /* or empty */
	bool holds;	     /* own nodes can't arrive; see above */
};

/* gateway_summary_take: node @index of the cluster has sent SUMMARY. */
void gateway_summary_take(struct gateway *gateway, uint32_t index,
			  const struct stn_wireup_frame *frame);

/* gateway_summary_hold: a node of this cluster has died or left. */
void gateway_summary_hold(struct gateway *gateway);

/* gateway_summary_attend: to be called now and then. */
void gateway_summary_attend(struct gateway *gateway);

/*
 * gateway_summary_complete: may this gateway open the barrier, when all nodes
 * have arrived?
 * gateway_summary_print: it does: prints the line, if there is one.
 */
bool gateway_summary_complete(const struct gateway *gateway);
void gateway_summary_print(struct gateway *gateway);

#endif
