/*
 * keepalive.c: finds out that a connection's other end has vanished without
 * closing it: its host has lost power, or a cable is cut.
 */
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "transport/clock.h"
#include "transport/far/uplink.h"

#define PROBES 3
#define IDLE_MOST 32767 /* seconds; the kernel takes no more */

static uint64_t
bounded(uint64_t value, uint64_t least, uint64_t most)
{
	return value < least ? least : value < most ? value : most;
}

void
stn_keepalive_set(int fd, uint64_t silence_ns, bool reads)
{
	uint64_t seconds = silence_ns / ((PROBES + 1) * STN_SECOND_NS);
	const int part = (int)bounded(seconds, 1, IDLE_MOST);
	const unsigned timeout_ms =
		(unsigned)bounded(silence_ns / 1000000, 1000, UINT_MAX);
	const int on = 1, count = PROBES;

	if (!silence_ns)
		return;
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &part, sizeof(part));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &part, sizeof(part));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
	/*
	 * This limit also counts time with a full receiver. It replaces the
	 * limit on probes.
	 */
	if (reads)
		setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms,
			   sizeof(timeout_ms));
}
