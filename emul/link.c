#include "emul/link.h"

#define NEVER (1ull << 62) /* nanoseconds: 146 years */

static uint64_t
at_most_never(uint64_t time)
{
	return time < NEVER ? time : NEVER;
}

static uint64_t
sending_ns(const struct stn_profile *profile, const struct stn_link *link,
	   size_t bytes)
{
	unsigned __int128 takes;

	if (!link->bytes_per_s)
		return 0;
	takes = (unsigned __int128)bytes * STN_SECOND_NS / link->bytes_per_s;
	if (profile->share)
		takes = takes * profile->shares / profile->share;
	return takes < NEVER ? (uint64_t)takes : NEVER;
}

/* SplitMix64's: any number's bits, well mixed. */
static uint64_t
mix(uint64_t number)
{
	number += 0x9e3779b97f4a7c15;
	number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
	number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
	return number ^ (number >> 31);
}

/* The same for the same turn of the same link of runs with the same seed. */
static uint64_t
jitter(const struct stn_profile *profile, const struct stn_link *link,
       struct stn_link_queue *queue)
{
	uint64_t turn, random;

	if (!link->jitter_ns)
		return 0;
	turn = atomic_fetch_add_explicit(&queue->turns, 1,
					 memory_order_relaxed);
	random = mix(mix(mix(profile->seed) ^ profile->number) ^ turn);
	return (uint64_t)((unsigned __int128)random * (link->jitter_ns + 1) >>
			  64);
}

/*
 * At @due, but not before what was sent earlier. Somebody whose turn was later
 * may come by here first; then both arrive when that does, which is where a
 * message behind a late one stands anyway.
 */
static uint64_t
behind(struct stn_link_queue *queue, uint64_t due)
{
	uint64_t last =
		atomic_load_explicit(&queue->arrived_ns, memory_order_relaxed);

	while (last < due)
		if (atomic_compare_exchange_weak_explicit(
			    &queue->arrived_ns, &last, due,
			    memory_order_relaxed, memory_order_relaxed))
			return due;
	return last;
}

/*
 * All orders are relaxed: the words order nothing but each itself. A sender's
 * own calls see its earlier ones, which is what keeps its messages in order.
 */
uint64_t
stn_link_send(const struct stn_profile *profile, struct stn_link_queue *queue,
	      size_t bytes, uint64_t now)
{
	const struct stn_link *link;
	uint64_t free_at, begin, sent, takes;

	free_at = atomic_load_explicit(&queue->busy_ns, memory_order_relaxed);
	do {
		begin = free_at > now ? free_at : now;
		link = stn_profile_at(profile, begin);
		sent = at_most_never(begin + sending_ns(profile, link, bytes));
	} while (!atomic_compare_exchange_weak_explicit(
		&queue->busy_ns, &free_at, sent, memory_order_relaxed,
		memory_order_relaxed));
	/* Turns alone keep those in order that all take as long. */
	if (profile->count == 1 && !link->jitter_ns)
		return sent + link->latency_ns;
	takes = at_most_never(link->latency_ns + jitter(profile, link, queue));
	return behind(queue, sent + takes);
}
