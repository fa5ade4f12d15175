/*
 * profile.c: links with jitter, links that lose packets, and links that change
 * over time. Computed arrival times must equal arithmetic.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emul/link.h"
#include "tests/tap.h"
#include "emul/links.h"

#define MS 1000000ull
#define US 1000ull
#define MESSAGES 1000

/* The jitter of each of LOTS messages, sent one a second. */
static void
measure_jitter(const struct stn_profile *profile, uint64_t late[MESSAGES])
{
	struct stn_link_queue queue = { 0 };

	for (uint64_t i = 0; i < MESSAGES; i++)
		late[i] = stn_link_send(profile, &queue, 0, i * STN_SECOND_NS) -
			  i * STN_SECOND_NS - profile->links->latency_ns;
}

static void
test_jitter(void)
{
	const struct stn_link link = { .latency_ns = 100 * MS,
				       .jitter_ns = 50 * MS };
	struct stn_profile profile = {
		.links = &link, .count = 1, .seed = 7, .number = 3
	};
	static uint64_t late[MESSAGES], again[MESSAGES];
	uint64_t sum = 0, least = 50 * MS, most = 0;

	measure_jitter(&profile, late);
	for (unsigned i = 0; i < MESSAGES; i++) {
		sum += late[i];
		least = late[i] < least ? late[i] : least;
		most = late[i] > most ? late[i] : most;
	}
	tap_ok(most <= 50 * MS && least < MS && most > 49 * MS &&
		       sum / MESSAGES > 23 * MS && sum / MESSAGES < 27 * MS,
	       "a jitter of 50 ms: messages are %u us to %u us late, %u us on "
	       "average",
	       (unsigned)(least / US), (unsigned)(most / US),
	       (unsigned)(sum / MESSAGES / US));
	measure_jitter(&profile, again);
	tap_ok(!memcmp(late, again, sizeof(late)),
	       "runs with the same seed have the same jitter");
	profile.number++;
	measure_jitter(&profile, again);
	tap_ok(memcmp(late, again, sizeof(late)),
	       "another link has other jitter");
	profile.number--;
	profile.seed++;
	measure_jitter(&profile, again);
	tap_ok(memcmp(late, again, sizeof(late)),
	       "another seed gives other jitter");
}

static void
test_jitter_in_order(void)
{
	const struct stn_link link = { .latency_ns = 100 * MS,
				       .bytes_per_s = 1000000,
				       .jitter_ns = 50 * MS };
	const struct stn_profile profile = { .links = &link, .count = 1 };
	struct stn_link_queue queue = { 0 };
	static uint64_t late[MESSAGES];
	bool exact = true, waits = false;
	uint64_t last = 0;

	measure_jitter(&profile, late);
	/* A message of 10 bytes takes 10 us; one is sent every 10 us. */
	for (uint64_t i = 0; i < MESSAGES; i++) {
		uint64_t now = i * 10 * US;
		uint64_t due = now + 10 * US + 100 * MS + late[i];

		waits = waits || due < last;
		last = due > last ? due : last;
		exact = exact &&
			stn_link_send(&profile, &queue, 10, now) == last;
	}
	tap_ok(exact && waits,
	       "a late message delays those behind it, to the nanosecond");
}

/*
 * Of MESSAGES messages of @bytes, sent so far apart that none waits for an
 * earlier one: how many are as late as @count timeouts, the first of which is
 * @first_ns; from 8 timeouts on, or with any other delay, none counts.
 */
static void
count_timeouts(struct stn_link link, size_t bytes, uint64_t first_ns,
	       unsigned counts[8])
{
	const struct stn_profile profile = { .links = &link, .count = 1 };
	struct stn_link_queue queue = { 0 };

	memset(counts, 0, 8 * sizeof(counts[0]));
	for (uint64_t i = 0; i < MESSAGES; i++) {
		uint64_t now = i * 10000 * STN_SECOND_NS;
		uint64_t late = stn_link_send(&profile, &queue, bytes, now) -
				now - link.latency_ns;

		for (unsigned count = 0; count < 8; count++)
			counts[count] += late == first_ns * ((1u << count) - 1);
	}
}

static void
test_loss(void)
{
	const struct stn_link link = { .latency_ns = 100 * MS,
				       .loss_ppm = 200000 };
	const struct stn_link rare = { .latency_ns = 100 * MS,
				       .loss_ppm = 10000 };
	unsigned counts[8], sum = 0;

	count_timeouts(link, 1460, 400 * MS, counts);
	for (unsigned i = 0; i < 8; i++)
		sum += counts[i];
	tap_ok(sum == MESSAGES && counts[0] > 760 && counts[0] < 840 &&
		       counts[1] > 125 && counts[1] < 195 && counts[2] > 15 &&
		       counts[2] < 50,
	       "a loss of 20 %%: %u, %u and %u of 1000 packets wait for 0, 1 "
	       "and "
	       "2 timeouts, of 400 and 800 ms",
	       counts[0], counts[1], counts[2]);
	count_timeouts(rare, 1460 * 100, 400 * MS, counts);
	tap_ok(counts[0] > 320 && counts[0] < 410,
	       "a message of 100 packets, of which 1 %% are lost, has no loss "
	       "in "
	       "%u of 1000 cases (0.99^100 = 0.366)",
	       counts[0]);
}

/* The first timeout of a link that loses nearly every packet. */
static uint64_t
first_timeout(uint64_t latency_ns, uint64_t jitter_ns)
{
	const struct stn_link link = { .latency_ns = latency_ns,
				       .jitter_ns = jitter_ns,
				       .loss_ppm = 500000 };
	const struct stn_profile profile = { .links = &link, .count = 1 };
	uint64_t least = UINT64_MAX;

	for (uint64_t i = 0; i < MESSAGES; i++) {
		struct stn_link_queue queue = { .turns = i };
		uint64_t late =
			stn_link_send(&profile, &queue, 1, 0) - latency_ns;

		if (late > jitter_ns && late < least)
			least = late;
	}
	return least;
}

static void
test_timeouts(void)
{
	const struct stn_link link = { .loss_ppm = 999999 };
	const struct stn_profile profile = { .links = &link, .count = 1 };
	struct stn_link_queue queue = { 0 };
	uint64_t jittery = first_timeout(50 * MS, 300 * MS);

	tap_ok(first_timeout(0, 0) == 200 * MS,
	       "on a link without latency a timeout is 200 ms");
	tap_ok(first_timeout(3 * STN_SECOND_NS, 0) == 6200 * MS,
	       "a round trip of 6 s is added to it");
	tap_ok(jittery >= 800 * MS && jittery < 810 * MS,
	       "a jitter of 300 ms is added, too, and 4/3 of it replace 200 "
	       "ms");
	/* 0.2 + 0.4 + ... + 102.4 s are 10 timeouts, and then 5 of 120 s. */
	tap_ok(stn_link_send(&profile, &queue, 1, 0) == 804600 * MS,
	       "a timeout has 120 s at most, and a packet 15 timeouts");
}

static void
test_loss_in_order(void)
{
	const struct stn_link link = { .latency_ns = 100 * MS,
				       .loss_ppm = 100000 };
	const struct stn_profile profile = { .links = &link, .count = 1 };
	struct stn_link_queue queue = { 0 };
	bool ordered = true, waits = false;
	uint64_t last = 0;

	for (uint64_t i = 0; i < MESSAGES; i++) {
		uint64_t now = i * 10 * MS;
		uint64_t due = stn_link_send(&profile, &queue, 10, now);

		ordered = ordered && due >= last && due >= now + 100 * MS;
		waits = waits || due == last;
		last = due;
	}
	tap_ok(ordered && waits, "a lost packet delays the messages behind it");
}

/* Parses a links file for three clusters and a run that begins at 1 s. */
#define BEGIN STN_SECOND_NS

static struct stn_topology
parse_links(const char *text)
{
	struct stn_topology topology = { .nodes = 3,
					 .clusters = 3,
					 .wan = { .latency_ns = 9 * MS },
					 .begin_ns = BEGIN };
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	struct stn_why why;

	if (!in || stn_links_parse(in, "text", &topology, &why)) {
		printf("Bail out! %s\n", in ? why.text : "no stream");
		exit(EXIT_FAILURE);
	}
	fclose(in);
	return topology;
}

static void
test_schedule(void)
{
	struct stn_topology topology = parse_links("0 1 20ms,1MB/s\n"
						   "@ 100ms\n"
						   "0 1 50ms,100KB/s\n"
						   "@ 1s # all but one\n"
						   "1 * 1ms\n"
						   "@ 2s\n"
						   "0 1 10ms,1MB/s\n");
	struct stn_profile profile = stn_topology_profile(&topology, 1);
	struct stn_link_queue queue = { 0 };

#define SENT(bytes, at) (stn_link_send(&profile, &queue, bytes, at) - BEGIN)
	tap_ok(SENT(1000, BEGIN) == 21 * MS,
	       "a link is at first as the file says");
	tap_ok(SENT(1000, BEGIN + 100 * MS - 1) == 121 * MS - 1,
	       "it stays so until the nanosecond before it changes");
	/*
	 * The link is busy until 101 ms - 1 ns, so sending begins after the
	 * change.
	 */
	tap_ok(SENT(1000, BEGIN + 100 * MS - 1) == 161 * MS - 1,
	       "a message whose turn comes after the change takes the new "
	       "latency and rate");
	tap_ok(SENT(1000, BEGIN + STN_SECOND_NS) == 1060 * MS,
	       "a link that a section doesn't describe stays as before");
	tap_ok(SENT(100000, BEGIN + 1999 * MS) == 3049 * MS,
	       "a message that is being sent when the link changes keeps the "
	       "old rate");
	tap_ok(SENT(1000, BEGIN + 2 * STN_SECOND_NS) == 3049 * MS,
	       "a message on the faster link doesn't overtake an earlier slow "
	       "one");
	tap_ok(SENT(1000, BEGIN + 4 * STN_SECOND_NS) == 4011 * MS,
	       "a later message takes the faster link's time");
#undef SENT
	profile = stn_topology_profile(&topology, 1 * 3 + 2);
	tap_ok(stn_profile_at(&profile, 0)->latency_ns == 9 * MS &&
		       stn_profile_at(&profile, BEGIN + STN_SECOND_NS)
				       ->latency_ns == MS,
	       "a link is as --wan says until the first section that describes "
	       "it");
	stn_topology_fini(&topology);
}

static void
test_none_at_times(void)
{
	const struct stn_link inside = { .latency_ns = 10 * US,
					 .bytes_per_s = STN_SECOND_NS };
	struct stn_topology topology = parse_links("* * none\n"
						   "@ 1s\n"
						   "0 1 1ms\n");
	struct stn_profile profile = stn_topology_profile(&topology, 1);

	stn_links_fill(&topology, &inside);
	tap_ok(stn_profile_at(&profile, BEGIN)->latency_ns == 10 * US,
	       "a link that is \"none\" at times is then as fast as the "
	       "network inside");
	profile = stn_topology_profile(&topology, 2);
	tap_ok(stn_link_none(stn_profile_at(&profile, BEGIN)),
	       "a link that is always \"none\" stays \"none\"");
	stn_topology_fini(&topology);
}

/* Threads that send on one link at once; each notes its messages' arrivals. */
#define THREADS 4
#define TURNS 20000

static struct stn_link_queue shared;
static uint64_t turns[THREADS][TURNS];

static void *
send_many(void *arg)
{
	const struct stn_link link = { .bytes_per_s = STN_SECOND_NS,
				       .jitter_ns = MS };
	const struct stn_profile profile = { .links = &link, .count = 1 };
	uint64_t *mine = arg;

	for (unsigned i = 0; i < TURNS; i++)
		mine[i] = stn_link_send(&profile, &shared, 10, 1000);
	return NULL;
}

/* Each thread's messages arrive in order, and none early. */
static void
test_threads(void)
{
	pthread_t threads[THREADS];
	bool ordered = true;

	for (unsigned i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, send_many, turns[i]))
			abort();
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < THREADS; i++)
		for (unsigned j = 0; j < TURNS; j++)
			ordered = ordered && turns[i][j] >= 1010 + j * 10 &&
				  (!j || turns[i][j] >= turns[i][j - 1]);
	tap_ok(ordered && shared.turns == THREADS * TURNS,
	       "on a link with jitter the messages of each sender keep their "
	       "order");
}

static void
test_share(void)
{
	const struct stn_link link = { .latency_ns = MS,
				       .bytes_per_s = 1000000 };
	struct stn_profile profile = { .links = &link, .count = 1 };
	struct stn_link_queue queue = { 0 };

	profile.share = 1;
	profile.shares = 4;
	tap_ok(stn_link_send(&profile, &queue, 1000, 0) == 5 * MS,
	       "a host with a quarter of the rate sends 1000 B at 250 KB/s");
	profile.share = 4;
	tap_ok(stn_link_send(&profile, &queue, 1000, 100 * MS) == 102 * MS,
	       "a host with the whole rate sends them at 1 MB/s");
}

int
main(void)
{
	tap_begin();
	test_jitter();
	test_jitter_in_order();
	test_loss();
	test_timeouts();
	test_loss_in_order();
	test_threads();
	test_schedule();
	test_none_at_times();
	test_share();
	return tap_end();
}
