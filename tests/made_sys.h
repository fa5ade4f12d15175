/*
 * made_sys.h: a /sys that is made up, in a directory of its own.
 */
#ifndef STN_TESTS_MADE_SYS_H
#define STN_TESTS_MADE_SYS_H

/* sys_begin: makes the directory, and returns its name, a root as of sysfs.h.
 */
const char *sys_begin(void);
void sys_end(void);

/* sys_make: a file below it, of one line, with the directories it needs. */
void sys_make(const char *path, const char *text);

/*
 * sys_make_rdma: an RDMA device with one port, and its file in /dev. What it is
 * like is as in /sys: "InfiniBand", "4: ACTIVE", "100 Gb/sec (4X EDR)", "0"
 */
void sys_make_rdma(const char *name, const char *layer, const char *state,
		   const char *rate, const char *numa_node);
void sys_set_port(const char *device, const char *file, const char *text);
void sys_set_driver(const char *device, const char *driver);

/* sys_make_memory: "0000000f", "10 21" */
void sys_make_memory(unsigned number, const char *cores, const char *distance);

#endif
