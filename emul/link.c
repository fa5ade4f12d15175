#include "emul/link.h"

#define NEVER (1ull << 62) /* nanoseconds: 146 years */

/* How TCP sends again; see link.h. */
#define PACKET_BYTES 1460
#define DEVIATIONS_LEAST_NS (STN_SECOND_NS / 5)
#define TIMEOUT_MOST_NS (120 * STN_SECOND_NS)
#define TIMEOUTS_MOST 15

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

/* Scales a random number of 64 bits to one below @bound. */
static uint64_t
below(uint64_t bound, uint64_t random)
{
	return (uint64_t)((unsigned __int128)random * bound >> 64);
}

static bool
is_random(const struct stn_link *link)
{
	return link->jitter_ns || link->loss_ppm;
}

/* How often the packet is lost that is lost more often than all others. */
static unsigned
most_losses(const struct stn_link *link, size_t bytes, uint64_t random)
{
	size_t packets = bytes ? (bytes - 1) / PACKET_BYTES + 1 : 1;
	unsigned losses, most = 0;

	while (packets--) {
		for (losses = 0; losses < TIMEOUTS_MOST; losses++) {
			random = mix(random);
			if (below(1000000, random) >= link->loss_ppm)
				break;
		}
		if (losses > most)
			most = losses;
	}
	return most;
}

/*
 * The sum of so many timeouts of a packet. A round trip has two latencies and
 * two jitters; its mean deviation is a third of the jitter.
 */
static uint64_t
timeouts_ns(const struct stn_link *link, unsigned count)
{
	uint64_t jitter = clamped(link->jitter_ns), deviation = jitter / 3;
	uint64_t timeout = clamped(2 * clamped(link->latency_ns) + jitter);
	uint64_t sum = 0;

	timeout += 4 * deviation > DEVIATIONS_LEAST_NS ? 4 * deviation
						       : DEVIATIONS_LEAST_NS;
	for (; count; count--, timeout *= 2) {
		if (timeout > TIMEOUT_MOST_NS)
			timeout = TIMEOUT_MOST_NS;
		sum += timeout;
	}
	return sum;
}

/*
 * The delay of a message of @bytes by jitter and loss: a function of the seed,
 * the link's number and the message's turn on that link, so that runs with the
 * same seed repeat.
 */
static uint64_t
random_delay(const struct stn_profile *profile, const struct stn_link *link,
	     struct stn_link_queue *queue, size_t bytes)
{
	uint64_t turn, random, delay;

	if (!is_random(link))
		return 0;
	turn = atomic_fetch_add_explicit(&queue->turns, 1,
					 memory_order_relaxed);
	random = mix(mix(mix(profile->seed) ^ profile->number) ^ turn);
	delay = below(link->jitter_ns + 1, random);
	if (link->loss_ppm)
		delay += timeouts_ns(link, most_losses(link, bytes, random));
	return clamped(delay);
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
	if (profile->count == 1 && !is_random(link))
		return sent + link->latency_ns;
	takes = clamped(link->latency_ns) +
		random_delay(profile, link, queue, bytes);
	return after_earlier(queue, sent + clamped(takes));
}
