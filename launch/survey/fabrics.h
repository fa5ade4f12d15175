/*
 * fabrics.h: the fabrics that carry messages between hosts, in order of
 * preference; which of them a host can use, and why it can't use the others;
 * the choice of a fabric that all hosts of a run can use.
 */
#ifndef STN_LAUNCH_SURVEY_FABRICS_H
#define STN_LAUNCH_SURVEY_FABRICS_H

#include "launch/survey/addresses.h"
#include "launch/survey/nearest.h"

#define STN_FABRICS 10
#define STN_FABRIC_TEXT_BYTES 160
#define STN_FABRIC_REASON_BYTES 64

/* A transport and a provider over one kind of device. */
struct stn_fabric {
	const char *name; /* in messages */
	const char *transport;
	const char *provider; /* "auto": the transport has no providers */
	enum stn_device_kind kind;
	bool by_address; /* nodes connect by the interface's IP address */
};

enum stn_fabric_state {
	STN_FABRIC_ABSENT,   /* the host has no such device */
	STN_FABRIC_UNUSABLE, /* text says why */
	STN_FABRIC_USABLE    /* text names the device */
};

/* What one host knows about one fabric. */
struct stn_fabric_found {
	enum stn_fabric_state state;
	uint32_t mbits; /* rate in Mb/s; 0: unknown */
	char text[STN_FABRIC_TEXT_BYTES];
	char net[STN_INTERFACE_BYTES]; /* the device's interface, or "" */

	/* Why this device was chosen, for `sateen info`; in no card. */
	char reason[STN_FABRIC_REASON_BYTES];
};

/* The fabrics and addresses of a host. */
struct stn_fabrics {
	struct stn_fabric_found found[STN_FABRICS]; /* as stn_fabrics_table */
	struct stn_addresses addresses;
};

extern const struct stn_fabric stn_fabrics_table[STN_FABRICS];

/* The user's choice. "auto": the user has named none. */
struct stn_fabric_filter {
	const char *transport, *provider;
	const char *device; /* mlx5_0, mlx5_0:1; "auto": the nearest */
	uint32_t nodes;	    /* in the run */
};

/*
 * stn_fabrics_discover: finds out which fabrics node @local_nodes->self of this
 * host can use. Fabrics that don't match @filter count as absent. May load the
 * library of a provider.
 * @root       as in devices.h
 * @addresses  of this host; copied into @fabrics. If they are filtered, only
 *     devices of their interfaces are usable
 */
void stn_fabrics_discover(const char *root,
			  const struct stn_local_nodes *local_nodes,
			  const struct stn_fabric_filter *filter,
			  const struct stn_addresses *addresses,
			  struct stn_fabrics *fabrics);

/*
 * stn_fabrics_choose: returns the index of the first fabric that all @count
 * nodes can use, or STN_FABRICS.
 * @rejected_p     set to the first fabric before it that some hosts have but
 * not all nodes can use, or to STN_FABRICS
 * @rejected_by_p  set to the first node that can't use the rejected fabric;
 *     unchanged if there is none
 */
size_t stn_fabrics_choose(const struct stn_fabrics *all, size_t count,
			  size_t *rejected_p, size_t *rejected_by_p);

/*
 * stn_fabrics_list: prints the devices and addresses of this host, and which
 * fabrics it can use. Defined in fabrics_list.c.
 */
void stn_fabrics_list(const char *root, FILE *out);

#endif
