/*
 * plan_private.h: the state that plan.c and plan_transport.c share while they
 * plan; and the choice of the fabric that carries messages between hosts, made
 * by nodes that know each other's fabrics (plan_fabric.c).
 */
#ifndef STN_LAUNCH_PLAN_PLAN_PRIVATE_H
#define STN_LAUNCH_PLAN_PLAN_PRIVATE_H

#include <stdio.h>

#include "launch/plan/plan.h"
#include "launch/survey/fabrics.h"

/* The arrays have an element for each node. */
struct plan_run {
	struct stn_wireup *wireup;
	const struct stn_topology *topology;
	uint32_t nodes, rank; /* as if a node that joins had the next rank */
	struct stn_config *config;
	struct stn_card *cards; /* of the last round */
	struct stn_survey *surveys;
	uint32_t *hosts; /* number of the node's host */
	bool isolated;	 /* some nodes of one host can't share memory */
};

/*
 * plan_transport: chooses transport, provider, device and address, and writes
 * them into the settings. All nodes must call it; it may exchange a round of
 * cards.
 */
STN_CHECKED enum stn_err plan_transport(struct plan_run *run,
					struct stn_plan *plan,
					struct stn_why *why);

/*
 * The nodes that plan together, in order of rank: those of one cluster if a
 * gateway links it to others, otherwise all nodes of the run. The arrays have
 * an element for each node.
 */
struct plan_members {
	uint32_t first; /* rank of the first */
	uint32_t count;
	uint32_t self;	      /* index of this node */
	uint32_t hosts;	      /* number of their hosts */
	bool far;	      /* a gateway leads to other clusters */
	bool isolated;	      /* some nodes of one host can't share memory */
	bool given;	      /* the user named the transport or the provider */
	bool open;	      /* other hosts can join */
	const uint32_t *host; /* number of the node's host */
	struct stn_fabrics *fabrics;
	const char **names;	/* of the node's host */
	uint8_t *address_index; /* the address that the node uses */
};

/* The choice, with texts for messages. */
struct plan_choice {
	size_t fabric; /* in stn_fabrics_table; STN_FABRICS: not from there */
	char name[STN_TEXT_BYTES];
	char network[STN_ADDRESS_TEXT_BYTES]; /* or "" */
	char interface[STN_INTERFACE_BYTES];  /* or "" */
	uint32_t mbits;
	size_t rejected, rejected_by; /* as of stn_fabrics_choose */
};

/* plan_is_auto: has the user left this setting to Sateen? */
bool plan_is_auto(const char *setting);

/* plan_set: sets a setting; a value that is too long is cut. */
void plan_set(char setting[STN_TEXT_BYTES], const char *value);

/*
 * plan_fabric: chooses a fabric and sets transport, provider and device. If the
 * user has named a transport or a provider, sets only the device. STN_MISSING
 * if no fabric reaches all hosts.
 */
STN_CHECKED enum stn_err plan_fabric(struct stn_config *config,
				     const struct plan_members *members,
				     struct plan_choice *choice,
				     struct stn_why *why);

/* plan_uses_device: is the choice a device other than a network interface? */
bool plan_uses_device(const struct plan_choice *choice);

/*
 * plan_address: sets the address, if the choice needs one: in the fastest
 * network in which all hosts are.
 */
STN_CHECKED enum stn_err plan_address(struct stn_config *config,
				      struct plan_members *members,
				      struct plan_choice *choice,
				      struct stn_why *why);

/* plan_print_choice: prints "verbs on mlx5_0:1 (100 Gb/s) between". */
void plan_print_choice(FILE *out, const struct plan_members *members,
		       const struct plan_choice *choice);

#endif
