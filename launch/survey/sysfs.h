/*
 * sysfs.h: reads files of /sys. @root is put in front of each path: "" but in
 * tests, which have a /sys of their own. Any thread.
 */
#ifndef STN_LAUNCH_SURVEY_SYSFS_H
#define STN_LAUNCH_SURVEY_SYSFS_H

#include <sched.h>
#include <stdbool.h>

#define STN_SYSFS_LINE_BYTES 2560 /* enough for a mask of 8192 cores */
#define STN_SYSFS_NAME_BYTES 48	  /* files with longer names are skipped */

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
