/*
 * write.h: writes to files and pipes as a whole.
 */
#ifndef STN_TRANSPORT_WRITE_H
#define STN_TRANSPORT_WRITE_H

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

/*
 * stn_write_all: writes all of @bytes. Blocks if the descriptor does. Returns
 * false, with errno, if a write fails; then some bytes may have been written.
 * Any thread.
 */
static inline bool
stn_write_all(int fd, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size) {
		ssize_t written = write(fd, at, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (!written)
			errno = ENOSPC;
		if (written <= 0)
			return false;
		at += written;
		size -= (size_t)written;
	}
	return true;
}

#endif
