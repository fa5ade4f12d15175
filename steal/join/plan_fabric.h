/*
 * plan_fabric.h: what the nodes that plan choose for what goes between hosts.
 */
#ifndef STN_STEAL_JOIN_PLAN_FABRIC_H
#define STN_STEAL_JOIN_PLAN_FABRIC_H

#include <stdio.h>

#include "steal/config.h"
#include "transport/survey/fabrics.h"

/*
 * A cluster's nodes, in order of rank; all of the run if there is no gateway.
 */
struct plan_members {
	uint32_t first, count, me;
	uint32_t hosts;	      /* of theirs */
	bool far;	      /* there are others, by way of a gateway */
	bool apart;	      /* some of one host can't share memory */
	bool told;	      /* which transport it is to be */
	const uint32_t *host; /* of each */
	struct stn_fabrics *fabrics;
	const char **names;
	uint8_t *which; /* of its addresses each uses */
};

/* What was chosen, and for people, what it is called. */
struct plan_chosen {
	size_t fabric; /* or STN_FABRICS: none of the table's */
	char name[STN_TEXT_BYTES];
	char network[STN_ADDRESS_TEXT_BYTES]; /* or "" */
	char interface[STN_INTERFACE_BYTES];  /* or "" */
	uint32_t mbits;
	size_t missed, lacking; /* stn_fabrics_choose's */
};

/*
 * plan_fabric: fills in transport, provider and device, unless they were told;
 * of what was told, only a device.
 */
STN_CHECKED enum stn_err plan_fabric(struct stn_config *config,
				     const struct plan_members *members,
				     struct plan_chosen *chosen,
				     struct stn_why *why);

/* plan_has_device: has it one of its own, which is no interface? */
bool plan_has_device(const struct plan_chosen *chosen);

/*
 * plan_address: fills in the address, if what was chosen needs one: in the
 * fastest network that all have; or any, if it is one host.
 */
STN_CHECKED enum stn_err plan_address(struct stn_config *config,
				      struct plan_members *members,
				      struct plan_chosen *chosen,
				      struct stn_why *why);

/* plan_print: what was chosen: verbs on mlx5_0:1 (100 Gb/s) between */
void plan_print(FILE *out, const struct plan_members *members,
		const struct plan_chosen *chosen);

#endif
