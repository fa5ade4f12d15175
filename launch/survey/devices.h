/*
 * devices.h: the network hardware of this host, as Linux shows it in /sys.
 *
 * Reading takes 0.1 ms on a host with a few interfaces, 0.7 ms with eight
 * cards. hwloc's I/O objects need 5 to 20 ms of processor time and know neither
 * a port's rate, link layer, interface nor its file in /dev, so /sys would have
 * to be read in any case.
 *
 * The functions of sysfs.c read any file of /sys. All put @root in front of the
 * paths: "" but in tests, which have a /sys of their own. Any thread.
 */
#ifndef STN_LAUNCH_SURVEY_DEVICES_H
#define STN_LAUNCH_SURVEY_DEVICES_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define STN_SYSFS_LINE_BYTES 2560 /* enough for a mask of 8192 cores */
#define STN_SYSFS_NAME_BYTES 48	  /* files with longer names are skipped */
#define STN_DEVICES_MOST 64
#define STN_DEVICE_BYTES STN_SYSFS_NAME_BYTES	      /* of a name or a state */
#define STN_DEVICE_NAME_BYTES (STN_DEVICE_BYTES + 16) /* of name and port */

enum stn_device_kind {
	STN_DEVICE_INFINIBAND,
	STN_DEVICE_ROCE,
	STN_DEVICE_IWARP,
	STN_DEVICE_EFA,
	STN_DEVICE_OMNIPATH,
	STN_DEVICE_SLINGSHOT,
	STN_DEVICE_NET /* a network interface of the kernel */
};

/* One port of a device. */
struct stn_device {
	enum stn_device_kind kind;
	char name[STN_DEVICE_BYTES];   /* mlx5_0; eth0 */
	unsigned port;		       /* from 1; 0: ports have no numbers */
	char state[STN_DEVICE_BYTES];  /* active, down, init; up, down */
	bool active;		       /* the port can carry messages now */
	uint32_t mbits;		       /* rate in Mb/s; 0: unknown */
	char net[STN_DEVICE_BYTES];    /* the port's network interface, or "" */
	char subnet[STN_DEVICE_BYTES]; /* InfiniBand's subnet prefix, or "" */
	char file[STN_DEVICE_BYTES];   /* the file in /dev/infiniband, or "" */
	bool inaccessible; /* this process has no permission to open it */
	int numa_node;	   /* the nearest NUMA domain; -1: unknown */
};

/*
 * stn_devices_discover: lists the ports of all RDMA and Slingshot devices, then
 * the network interfaces, each in order of name. Returns their number; devices
 * beyond @most are left out. Any thread.
 * @root  "" but in tests
 */
size_t stn_devices_discover(const char *root, struct stn_device *devices,
			    size_t most);

/* stn_device_kind_name: the kind's name in messages. */
const char *stn_device_kind_name(enum stn_device_kind kind);

/* stn_device_print: writes mlx5_0:1, as --device takes it; cxi0 has no port. */
void stn_device_print(const struct stn_device *device,
		      char text[STN_DEVICE_NAME_BYTES]);

/* stn_print_rate: writes "100 Gb/s"; "" for 0. */
void stn_print_rate(uint32_t mbits, char text[24]);

/* stn_sysfs_line: reads a file's first line. False, and "": it has none. */
bool stn_sysfs_line(const char *root, const char *path,
		    char text[STN_SYSFS_LINE_BYTES]);

/* stn_sysfs_number: the integer at a file's start, or @otherwise. */
long stn_sysfs_number(const char *root, const char *path, long otherwise);

/* stn_sysfs_link: the last part of a link's target; "" if it is no link. */
void stn_sysfs_link(const char *root, const char *path,
		    char name[STN_SYSFS_NAME_BYTES]);

/* stn_sysfs_cores: reads a mask of cores. False, and an empty set: none. */
bool stn_sysfs_cores(const char *root, const char *path, cpu_set_t *cores);

/*
 * stn_sysfs_each: calls @visitor for each entry of a directory, in order of
 * name and number: mlx5_2 before mlx5_10. Hidden files are left out.
 */
typedef void stn_sysfs_visit(void *arg, const char *name);
void stn_sysfs_each(const char *root, const char *path,
		    stn_sysfs_visit *visitor, void *arg);

/* stn_sysfs_copy: copies a name, cut to the bytes that fit. */
void stn_sysfs_copy(char to[STN_SYSFS_NAME_BYTES], const char *from);

#endif
