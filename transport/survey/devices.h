/*
 * devices.h: what hardware for networks this host has, as Linux shows it in
 * /sys. Where a function takes a @root, the files are looked for below it: ""
 * but for tests.
 */
#ifndef STN_TRANSPORT_SURVEY_DEVICES_H
#define STN_TRANSPORT_SURVEY_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "transport/survey/sysfs.h"

#define STN_DEVICES_MOST 64
#define STN_DEVICE_BYTES STN_SYSFS_NAME_BYTES /* for a name, or a state */
#define STN_DEVICE_NAME_BYTES (STN_DEVICE_BYTES + 16) /* and the port */

enum stn_device_kind {
	STN_DEVICE_INFINIBAND,
	STN_DEVICE_ROCE,
	STN_DEVICE_IWARP,
	STN_DEVICE_EFA,
	STN_DEVICE_OMNIPATH,
	STN_DEVICE_SLINGSHOT,
	STN_DEVICE_NET /* an interface of the kernel's own network */
};

/* One port of a device. */
struct stn_device {
	enum stn_device_kind kind;
	char name[STN_DEVICE_BYTES];   /* mlx5_0; eth0 */
	unsigned port;		       /* 0: it has no numbers */
	char state[STN_DEVICE_BYTES];  /* active, down, init; up, down */
	bool active;		       /* it can carry messages now */
	uint32_t mbits;		       /* per second; 0: unknown */
	char net[STN_DEVICE_BYTES];    /* its network interface, or "" */
	char subnet[STN_DEVICE_BYTES]; /* of InfiniBand, or "" */
	char file[STN_DEVICE_BYTES]; /* in /dev, by which it is opened, or "" */
	bool closed;		     /* which may not be opened */
	int memory; /* the NUMA node it is next to; -1: unknown */
};

/*
 * stn_devices_take: the ports of all fabrics' devices, and the interfaces of
 * the network, in order of name. Returns how many of the @most there is room
 * for.
 */
size_t stn_devices_take(const char *root, struct stn_device *devices,
			size_t most);

/* stn_device_kind_name: for people. */
const char *stn_device_kind_name(enum stn_device_kind kind);

/* stn_device_print: mlx5_0:1, as it can be named; without a port, cxi0. */
void stn_device_print(const struct stn_device *device,
		      char text[STN_DEVICE_NAME_BYTES]);

/* stn_print_rate: "100 Gb/s"; "" for 0. */
void stn_print_rate(uint32_t mbits, char text[24]);

#endif
