/*
 * wireup_ops.h: the functions of a way of wiring up. wireup.h has their
 * contracts.
 */
#ifndef STN_LAUNCH_WIREUP_WIREUP_OPS_H
#define STN_LAUNCH_WIREUP_WIREUP_OPS_H

#include "launch/wireup/wireup.h"

struct stn_wireup_ops {
	void (*destroy)(struct stn_wireup *wireup);
	enum stn_err (*exchange)(struct stn_wireup *wireup, uint32_t rank,
				 const void *card, size_t size,
				 struct stn_card *cards, struct stn_why *why);
	enum stn_err (*barrier)(struct stn_wireup *wireup, struct stn_why *why);
	/* NULL: the run does not survive deaths. */
	void (*suspect)(struct stn_wireup *wireup, uint32_t rank,
			const char *how);
	void (*applied)(struct stn_wireup *wireup, uint32_t view);
	/* NULL: nodes can't leave. */
	void (*left)(struct stn_wireup *wireup, uint32_t rank);
	/* NULL: no launcher needs to know. */
	void (*returned)(struct stn_wireup *wireup, int status);
	/* NULL: the node prints the line itself. */
	void (*summary)(struct stn_wireup *wireup, uint32_t view,
			const char *line);
	/* NULL in a simulation, where views don't come through the wire-up. */
	enum stn_err (*watch)(struct stn_wireup *wireup, uint32_t rank,
			      stn_wireup_view *view, void *arg,
			      struct stn_why *why);
	/* NULL: no node joins. */
	void (*greet)(struct stn_wireup *wireup, stn_wireup_meet *meet,
		      void *arg);
	void (*abort)(struct stn_wireup *wireup, const char *text);
	/* NULL: abort is called instead. */
	void (*miss)(struct stn_wireup *wireup, uint32_t missed,
		     const char *text);
};

struct stn_wireup {
	const struct stn_wireup_ops *ops;
	uint32_t nodes;
	/*
	 * The cards of a cluster that joins come behind those of the first
	 * nodes, but its ranks may not: @skipped ranks from @reserved on show no
	 * cards.
	 */
	uint32_t reserved, skipped;
};

#endif
