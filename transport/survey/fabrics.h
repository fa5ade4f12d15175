/*
 * fabrics.h: what carries messages between hosts, best first; which of it can
 * be used on a host, and why not; and which all hosts of a run have.
 */
#ifndef STN_TRANSPORT_SURVEY_FABRICS_H
#define STN_TRANSPORT_SURVEY_FABRICS_H

#include "transport/survey/addresses.h"
#include "transport/survey/nearest.h"
#include "transport/wireup/wireup.h"

#define STN_FABRICS 10
#define STN_FABRIC_TEXT_BYTES 160
#define STN_FABRIC_HOW_BYTES 64

/* One way between hosts. */
struct stn_fabric {
	const char *name; /* for people */
	const char *transport;
	const char *provider; /* "auto": the transport has none */
	enum stn_device_kind kind;
	bool by_address; /* of the device's interface, nodes meet there */
};

enum stn_fabric_state {
	STN_FABRIC_ABSENT,   /* no such device */
	STN_FABRIC_UNUSABLE, /* for the reason in text */
	STN_FABRIC_USABLE    /* by the device in text */
};

struct stn_fabric_found {
	enum stn_fabric_state state;
	uint32_t mbits; /* per second; 0: unknown */
	char text[STN_FABRIC_TEXT_BYTES];
	char net[STN_INTERFACE_BYTES]; /* the device's interface, or "" */

	/* Why that device, for who looks at this host; in no card. */
	char how[STN_FABRIC_HOW_BYTES];
};

/* What a host has. */
struct stn_fabrics {
	struct stn_fabric_found found[STN_FABRICS]; /* of stn_fabrics_table */
	struct stn_addresses addresses;
};

extern const struct stn_fabric stn_fabrics_table[STN_FABRICS];

/* What is asked for; "auto": anything. */
struct stn_fabric_wish {
	const char *transport, *provider;
	const char *device; /* mlx5_0, mlx5_0:1; "auto": the nearest */
	uint32_t nodes;	    /* of the run */
};

/*
 * stn_fabrics_take: what this host has of what is wished for, for its node
 * @mates->me; the rest is absent.
 * @root  as in sysfs.h
 * @addresses  already taken; they are copied. If they are wished for, only
 *     devices of their interfaces can be used
 */
void stn_fabrics_take(const char *root, const struct stn_mates *mates,
		      const struct stn_fabric_wish *wish,
		      const struct stn_addresses *addresses,
		      struct stn_fabrics *fabrics);

/*
 * stn_fabrics_choose: the first that all @count nodes can use; returns its
 * index, or STN_FABRICS if there is none.
 * @missed_p  the first that some nodes have, and not all can use, or
 *     STN_FABRICS; @node_p is set to a node that can't
 */
size_t stn_fabrics_choose(const struct stn_fabrics *all, size_t count,
			  size_t *missed_p, size_t *node_p);

/* stn_fabrics_list: the devices of this host, and what can be used, or not. */
void stn_fabrics_list(const char *root, FILE *out);

/*
 * stn_fabrics_write: makes a card; returns memory to free, or NULL.
 *
 *	0 magic (64); for each fabric: state (8), text's length (8), rate (32),
 *	interface's length (8), the text, the interface; how many addresses (8),
 *	whether they are wished for (8); for each: family (8), prefix (8),
 *	routed (8), interface's length (8), rate (32), the address (128), the
 *	interface. Little-endian.
 */
unsigned char *stn_fabrics_write(const struct stn_fabrics *fabrics,
				 size_t *size_p);

/* stn_fabrics_read: takes node @rank's card apart. */
STN_CHECKED enum stn_err stn_fabrics_read(const struct stn_card *card,
					  uint32_t rank,
					  struct stn_fabrics *fabrics,
					  struct stn_why *why);

#endif
