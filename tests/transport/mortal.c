/*
 * mortal.c: scenarios in which real processes die. Node 1 dies. Nodes 0 and 2
 * may have operations with it. Both must learn of the death, lose only messages
 * to or from node 1, and go on.
 */
#include <stdio.h>
#include <string.h>

#include "tests/transport/mortal.h"
#include "tests/tap.h"
#include "transport/ops.h"

#define DOOMED 1
#define LARGE ((size_t)1 << 20)
#define SILENCE_NS (2 * STN_SECOND_NS)
#define PATIENT_SILENCE_NS (4 * STN_SECOND_NS)
#define LONG_SILENCE_NS (8 * STN_SECOND_NS)

static struct mortal_world world;

static uint64_t
now(void)
{
	return stn_machine_now(NULL);
}

static const struct mortal_seen *
seen_by(uint32_t at, uint32_t rank)
{
	return &world.reports[at].of[rank];
}

/* A message from each node to each other: connecting takes messages, too. */
static bool
introduce(void)
{
	uint32_t nodes = world.plan.nodes;
	bool right = true;

	for (uint32_t i = 0; i < nodes * nodes; i++)
		if (i / nodes != i % nodes)
			mortal_send(&world, i / nodes, i % nodes, 100, 1);
	for (uint32_t i = 0; i < nodes * nodes; i++)
		if (i / nodes != i % nodes)
			right = right &&
				mortal_handled(&world, i / nodes, i % nodes, 1);
	return right;
}

/* Messages of both sizes between two living nodes, sent from now on, arrive. */
static bool
messages_arrive(uint32_t from, uint32_t to)
{
	unsigned before;

	if (!mortal_handled(&world, to, from, 0))
		return false;
	before = seen_by(to, from)->taken;
	mortal_send(&world, from, to, 1000, 200);
	mortal_send(&world, from, to, LARGE, 4);
	return mortal_handled(&world, to, from, before + 204);
}

/*
 * Each living node learns of the doomed node's death; prints the time since
 * @begin.
 */
static bool
all_learn(uint32_t doomed, uint64_t begin)
{
	bool right = true;

	for (uint32_t i = 0; i < world.plan.nodes; i++) {
		if (!world.processes[i] || i == doomed)
			continue;
		if (!mortal_event(&world, i, doomed, STN_PEER_DEAD)) {
			right = false;
			continue;
		}
		printf("# node %u knew after %u ms: %s\n", i,
		       (unsigned)((now() - begin) / 1000000),
		       seen_by(i, doomed)->how);
	}
	return right;
}

/* Kills the doomed node: each other node learns of it once, and goes on. */
static bool
kill_doomed(void)
{
	uint64_t begin = now();

	mortal_kill(&world, DOOMED);
	/*
	 * If processes can't see each other, only a node that waits for an
	 * answer of the doomed node notices its death.
	 */
	if (world.plan.apart)
		mortal_send(&world, 2, DOOMED, 100, 1);
	return all_learn(DOOMED, begin) && messages_arrive(0, 2) &&
	       messages_arrive(2, 0);
}

static bool
die_idle(void)
{
	return introduce() && kill_doomed();
}

/* Small messages in both directions, and between the survivors as well. */
static bool
die_talking(void)
{
	if (!introduce())
		return false;
	mortal_stream(&world, 0, DOOMED, 100, 50);
	mortal_stream(&world, DOOMED, 0, 100, 50);
	mortal_stream(&world, 0, 2, 100, 50);
	mortal_stream(&world, 2, DOOMED, 5000, 10);
	return mortal_handled(&world, 0, DOOMED, 1000) &&
	       mortal_ended(&world, 0, DOOMED, 1000) && kill_doomed();
}

/* The doomed node was offered payloads that it never takes. */
static bool
die_deaf(void)
{
	if (!introduce())
		return false;
	mortal_freeze(&world, DOOMED);
	mortal_send(&world, 0, DOOMED, LARGE, 10);
	mortal_send(&world, 2, DOOMED, LARGE, 1);
	/* Each node obeys orders in turn, so the sends have been posted. */
	return mortal_handled(&world, 0, 2, 1) &&
	       mortal_handled(&world, 2, 0, 1) && kill_doomed() &&
	       seen_by(0, DOOMED)->ok == 1 && seen_by(2, DOOMED)->ok == 1;
}

/* The node dies while it pulls payloads, and while others pull from it. */
static bool
die_pulling(void)
{
	if (!introduce())
		return false;
	mortal_stream(&world, 0, DOOMED, LARGE, 8);
	mortal_stream(&world, DOOMED, 0, LARGE, 8);
	mortal_stream(&world, DOOMED, 2, LARGE, 8);
	mortal_stream(&world, 2, 0, LARGE, 2);
	return mortal_handled(&world, 0, DOOMED, 20) &&
	       mortal_ended(&world, 0, DOOMED, 20) && kill_doomed();
}

/* No node has ever sent to the doomed node. */
static bool
die_unknown(void)
{
	bool right = messages_arrive(0, 2);

	mortal_kill(&world, DOOMED);
	mortal_send(&world, 0, DOOMED, 100, 10);
	mortal_send(&world, 0, DOOMED, LARGE, 2);
	return right && all_learn(DOOMED, now()) && messages_arrive(2, 0);
}

/*
 * The doomed node stops, like a host that no longer answers: nobody can know
 * whether it saw the last messages.
 */
static bool
vanish(void)
{
	uint64_t begin = now();
	bool right = introduce();

	mortal_stop(&world, DOOMED);
	mortal_send(&world, 2, DOOMED, 100, 1);
	right = right && mortal_event(&world, 0, DOOMED, STN_PEER_SUSPECT) &&
		mortal_event(&world, 2, DOOMED, STN_PEER_SUSPECT) &&
		all_learn(DOOMED, begin);
	/* The doomed node goes on, but no node handles its messages. */
	mortal_go(&world, DOOMED);
	mortal_send(&world, DOOMED, 0, 100, 10);
	mortal_send(&world, DOOMED, 2, 100, 10);
	right = right && messages_arrive(0, 2) && messages_arrive(2, 0);
	mortal_kill(&world, DOOMED);
	return right && !seen_by(0, 2)->events[STN_PEER_SUSPECT] &&
	       !seen_by(2, 0)->events[STN_PEER_SUSPECT] &&
	       seen_by(0, DOOMED)->handled == 1 &&
	       seen_by(2, DOOMED)->handled == 1;
}

/* Nodes 1 and 2 stop. Normally node 1 would probe node 2, the next in rank. */
static bool
vanish_together(void)
{
	uint64_t begin = now();
	bool right = introduce();

	mortal_stop(&world, 1);
	mortal_stop(&world, 2);
	right = right && mortal_event(&world, 0, 1, STN_PEER_DEAD) &&
		mortal_event(&world, 0, 2, STN_PEER_DEAD);
	printf("# node 0 knew of both after %u ms\n",
	       (unsigned)((now() - begin) / 1000000));
	mortal_kill(&world, 1);
	mortal_kill(&world, 2);
	return right && messages_arrive(0, 3) && messages_arrive(3, 0);
}

/* The doomed node stops for half the silence only, and recovers. */
static bool
recover(void)
{
	bool right = introduce();

	mortal_stop(&world, DOOMED);
	right = right && mortal_event(&world, 0, DOOMED, STN_PEER_SUSPECT);
	mortal_go(&world, DOOMED);
	return right && mortal_event(&world, 0, DOOMED, STN_PEER_UP) &&
	       messages_arrive(0, DOOMED) && messages_arrive(DOOMED, 0) &&
	       !seen_by(0, DOOMED)->events[STN_PEER_DEAD];
}

static const struct scenario {
	bool (*run)(void);
	const char *what;
	uint32_t nodes;
	bool apart;
	uint64_t silence_ns;
} scenarios[] = {
	{ die_idle, "a node that dies idle is reported dead", 3, false, 0 },
	{ die_talking, "a node that dies with small messages both ways", 3,
	  false, 0 },
	{ die_deaf, "a node that was offered payloads it never took", 3, false,
	  0 },
	{ die_pulling, "a node that dies in the middle of large payloads", 3,
	  false, 0 },
	{ die_unknown, "a node that was never sent to", 3, false, 0 },
	{ vanish,
	  "a node that doesn't answer becomes suspect, then dead; one that "
	  "answers doesn't",
	  3, true, PATIENT_SILENCE_NS },
	{ die_pulling, "a node that dies on another host, with large payloads",
	  3, true, SILENCE_NS },
	{ vanish_together,
	  "of two nodes that stop answering, both are reported dead", 4, true,
	  SILENCE_NS },
	{ recover, "a suspect that answers at last is up again", 3, true,
	  LONG_SILENCE_NS },
};

static void
run(const struct scenario *scenario, const char *transport,
    const char *provider, const char *const *places)
{
	bool numbers = !strcmp(transport, "shm") || !strcmp(provider, "shm");
	bool locks = !strcmp(transport, "ofi") && numbers;
	const struct mortal_plan plan = {
		transport,	 provider,	  places,
		scenario->nodes, scenario->apart, scenario->silence_ns
	};
	struct stn_why why = { "" };
	enum stn_err err;
	bool right;

	if (scenario->apart && numbers) {
		tap_skip(scenario->what,
			 "shared memory finds nodes by their process numbers");
		return;
	}
	if (locks &&
	    (scenario->run == die_talking || scenario->run == die_pulling)) {
		tap_skip(scenario->what,
			 "libfabric's shm may wait without end for a lock that "
			 "a dead process holds");
		return;
	}
	if (!strcmp(transport, "ofi") && !strcmp(provider, "tcp") &&
	    scenario->run == die_talking) {
		tap_skip(scenario->what,
			 "libfabric's tcp, told of the death, reads messages "
			 "until it has none, and the other node always sends");
		return;
	}
	if (!strcmp(transport, "ucx") && numbers &&
	    scenario->run == die_talking) {
		tap_skip(scenario->what,
			 "a node that dies while it writes to a queue of UCX's "
			 "shared memory blocks that queue for all others");
		return;
	}
	if (!strcmp(transport, "ucx") && numbers &&
	    scenario->run == die_pulling) {
		tap_skip(scenario->what,
			 "after this UCX's shared memory sometimes keeps a "
			 "survivor waiting without end");
		return;
	}
	err = mortal_create(&world, &plan, &why);
	if (err == STN_MISSING) {
		tap_skip(scenario->what, why.text);
		return;
	}
	if (err) {
		tap_ok(false, "%s: %s", scenario->what, why.text);
		return;
	}
	mortal_connect(&world);
	right = scenario->run();
	right = mortal_destroy(&world) && right;
	tap_ok(right, "%s", scenario->what);
}

int
mortal_run(const char *transport, const char *provider,
	   const char *const *places)
{
	tap_begin();
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
		run(&scenarios[i], transport, provider, places);
	return tap_end();
}
