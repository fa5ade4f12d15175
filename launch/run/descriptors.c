#include "launch/run/descriptors.h"

#include <unistd.h>

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
