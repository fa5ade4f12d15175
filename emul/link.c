#include "emul/link.h"

#define NEVER (1ull << 62) /* nanoseconds: 146 years */

static uint64_t
clamped(uint64_t time)
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

/* One step of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), used as a hash. */
static uint64_t
mix(uint64_t number)
{
	number += 0x9e3779b97f4a7c15;
	number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
	number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
	return number ^ (number >> 31);
}

/*
 * A function of the seed, the link's number and the message's turn on that link
 * alone, so that runs with the same seed repeat.
 */
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
 * The later of @due and the arrival of the last message on this link. A sender
 * that took its turn on the link after this one may get here first. This
 * message then arrives together with that sender's, as if a late message had
 * delayed it.
 */
static uint64_t
after_earlier(struct stn_link_queue *queue, uint64_t due)
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
 * All memory orders are relaxed, because each of the three words publishes
 * nothing but itself: each load of a word pairs with the exchanges of the same
 * word. A sender sees its own earlier exchanges, and therefore its messages
 * arrive in order.
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
		sent = clamped(begin + sending_ns(profile, link, bytes));
	} while (!atomic_compare_exchange_weak_explicit(
		&queue->busy_ns, &free_at, sent, memory_order_relaxed,
		memory_order_relaxed));
	/* If all messages have the same latency, busy_ns alone orders them. */
	if (profile->count == 1 && !link->jitter_ns)
		return sent + link->latency_ns;
	takes = clamped(link->latency_ns + jitter(profile, link, queue));
	return after_earlier(queue, sent + takes);
}
