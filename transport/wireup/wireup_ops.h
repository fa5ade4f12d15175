/*
 * wireup_ops.h: what a way of wiring up is. The calls are those of wireup.h.
 */
#ifndef STN_TRANSPORT_WIREUP_WIREUP_OPS_H
#define STN_TRANSPORT_WIREUP_WIREUP_OPS_H

#include "transport/wireup/wireup.h"

struct stn_wireup_ops {
	void (*destroy)(struct stn_wireup *wireup);
	enum stn_err (*exchange)(struct stn_wireup *wireup, uint32_t rank,
				 const void *card, size_t size,
				 struct stn_card *cards, struct stn_why *why);
	enum stn_err (*barrier)(struct stn_wireup *wireup, struct stn_why *why);
	void (*abort)(struct stn_wireup *wireup, const char *text);
	/* NULL: nobody knows more than the node does. */
	void (*miss)(struct stn_wireup *wireup, uint32_t missed,
		     const char *text);
};

struct stn_wireup {
	const struct stn_wireup_ops *ops;
	uint32_t nodes;
};

#endif
