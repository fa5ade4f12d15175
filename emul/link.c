#include "emul/link.h"

#define NEVER (1ull << 62) /* nanoseconds: 146 years */

static uint64_t
at_most_never(uint64_t time)
{
	return time < NEVER ? time : NEVER;
}

static uint64_t
sending_ns(const struct stn_link *link, size_t bytes)
{
	unsigned __int128 takes;

	if (!link->bytes_per_s)
		return 0;
	takes = (unsigned __int128)bytes * STN_SECOND_NS / link->bytes_per_s;
	return takes < NEVER ? (uint64_t)takes : NEVER;
}

uint64_t
stn_link_send(const struct stn_link *link, stn_link_busy *busy, size_t bytes,
	      uint64_t now)
{
	uint64_t takes = sending_ns(link, bytes);
	uint64_t free_at, sent;

	/* Relaxed: the word orders nothing but the turns on the link. */
	free_at = atomic_load_explicit(busy, memory_order_relaxed);
	do
		sent = at_most_never((free_at > now ? free_at : now) + takes);
	while (!atomic_compare_exchange_weak_explicit(busy, &free_at, sent,
						      memory_order_relaxed,
						      memory_order_relaxed));
	return sent + link->latency_ns;
}
