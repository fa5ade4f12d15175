/*
 * descriptors.h: helpers for file descriptors of which many are closed (-1).
 */
#ifndef STN_LAUNCH_RUN_DESCRIPTORS_H
#define STN_LAUNCH_RUN_DESCRIPTORS_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* stn_descriptor_close: closes *@fd unless it is -1, and sets it to -1. */
void stn_descriptor_close(int *fd);

/*
 * stn_descriptor_is_readable: can @fd be read now, or has it an end of file or
 * an error to read? False for -1. Does not block.
 */
bool stn_descriptor_is_readable(int fd);

/* stn_descriptor_is_writable: likewise, can @fd be written now? */
bool stn_descriptor_is_writable(int fd);

/*
 * stn_descriptor_reads: how many calls of stn_bytes_read read all bytes that
 * @fd, a pipe or a stream socket, has at the moment, and its end; 0 for -1.
 * "While it is readable" would never end if a process writes without pause.
 */
size_t stn_descriptor_reads(int fd);

/*
 * stn_descriptors_poll: poll() of @count descriptors. The system counts even
 * descriptors of -1 against the limit of open files, so they are left out.
 * @fds  has room for 2 * @count entries
 */
int stn_descriptors_poll(struct pollfd *fds, uint32_t count, int timeout_ms);

/*
 * stn_descriptors_raise_limit: raises the soft limit of open files, so that
 * @wanted more can be open; as far as the hard limit allows. Nodes inherit the
 * limit, because each has a descriptor for every other node of its host.
 */
void stn_descriptors_raise_limit(size_t wanted);

#endif
