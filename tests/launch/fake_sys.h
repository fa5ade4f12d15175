/*
 * fake_sys.h: makes a fake /sys in a directory of its own. Errors abort the
 * test.
 */
#ifndef STN_TESTS_LAUNCH_FAKE_SYS_H
#define STN_TESTS_LAUNCH_FAKE_SYS_H

/* sys_begin: makes the directory. Returns its name, a root as in devices.h. */
const char *sys_begin(void);

/* sys_end: removes the directory. */
void sys_end(void);

/* sys_make: writes a line to a file, and makes the directories it needs. */
void sys_make(const char *path, const char *text);

/*
 * sys_make_rdma: makes an RDMA device with one port, and its file in /dev. The
 * texts are as in /sys: "InfiniBand", "4: ACTIVE", "100 Gb/sec (4X EDR)", "0".
 */
void sys_make_rdma(const char *name, const char *layer, const char *state,
		   const char *rate, const char *numa_node);

/* sys_set_port: writes a file of the device's port. */
void sys_set_port(const char *device, const char *file, const char *text);
void sys_set_driver(const char *device, const char *driver);

/* sys_make_numa_domain: with cores "0000000f" and distances "10 21", say. */
void sys_make_numa_domain(unsigned number, const char *cores,
			  const char *distance);

#endif
