/*
 * sysfs.h: what Linux shows in /sys, read. Each path is looked for below a
 * @root: "" but for tests. Any thread.
 */
#ifndef STN_TRANSPORT_SURVEY_SYSFS_H
#define STN_TRANSPORT_SURVEY_SYSFS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#define STN_SYSFS_LINE_BYTES 2560 /* a mask of 8192 cores, say */
#define STN_SYSFS_NAME_BYTES 48	  /* longer ones are none of a device */

/* stn_sysfs_line: the first line of a file; false, and "": there is none. */
bool stn_sysfs_line(const char *root, const char *path,
		    char text[STN_SYSFS_LINE_BYTES]);

/* stn_sysfs_number: the whole number that a file begins with, or @otherwise. */
long stn_sysfs_number(const char *root, const char *path, long otherwise);

/* stn_sysfs_link: the last part of where a link leads; "" if it is none. */
void stn_sysfs_link(const char *root, const char *path,
		    char name[STN_SYSFS_NAME_BYTES]);

/* stn_sysfs_cores: those of a mask. False, and none: there is no such file. */
bool stn_sysfs_cores(const char *root, const char *path, cpu_set_t *cores);

/* stn_sysfs_each: visits each entry of a directory, mlx5_2 before mlx5_10. */
typedef void stn_sysfs_visit(void *arg, const char *name);
void stn_sysfs_each(const char *root, const char *path,
		    stn_sysfs_visit *visitor, void *arg);

/* stn_sysfs_copy: as much of a name as there is room for. */
void stn_sysfs_copy(char to[STN_SYSFS_NAME_BYTES], const char *from);

#endif
