#include "launch/run/descriptors.h"

#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "launch/wireup/bytes.h"

#define OTHER_FDS 64 /* open already, or for a moment only */

void
stn_descriptor_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

bool
stn_descriptor_is_readable(int fd)
{
	struct pollfd one = { fd, POLLIN, 0 };

	return fd >= 0 && poll(&one, 1, 0) > 0;
}

bool
stn_descriptor_is_writable(int fd)
{
	struct pollfd one = { fd, POLLOUT, 0 };

	return fd >= 0 && poll(&one, 1, 0) > 0;
}

size_t
stn_descriptor_reads(int fd)
{
	int bytes = 0;

	if (fd < 0)
		return 0;
	if (ioctl(fd, FIONREAD, &bytes) || bytes < 0)
		bytes = 0;
	return (size_t)bytes / STN_BYTES_READ + 1;
}

int
stn_descriptors_poll(struct pollfd *fds, uint32_t count, int timeout_ms)
{
	struct pollfd *open = fds + count;
	uint32_t opened = 0;
	int ready;

	for (uint32_t i = 0; i < count; i++)
		if (fds[i].fd >= 0)
			open[opened++] = fds[i];
	ready = poll(open, opened, timeout_ms);
	for (uint32_t i = 0; i < count; i++) {
		fds[i].revents = 0;
		if (fds[i].fd >= 0)
			fds[i].revents = open++->revents;
	}
	return ready;
}

void
stn_descriptors_raise_limit(size_t wanted)
{
	struct rlimit limit;

	wanted += OTHER_FDS;
	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= wanted)
		return;
	limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}
