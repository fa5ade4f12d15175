#include "transport/clock.h"

#include <time.h>

uint64_t
stn_machine_now(const struct stn_transport *transport)
{
	struct timespec now;

	(void)transport;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * STN_SECOND_NS + (uint64_t)now.tv_nsec;
}
