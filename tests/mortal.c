/*
 * mortal.c: the deaths. Node 1 dies; node 0 has to do with it, as node 2 may;
 * both must learn of it, lose nothing but what was meant for it, and go on.
 */
#include <stdio.h>
#include <string.h>

#include "tests/mortal.h"
#include "tests/tap.h"
#include "transport/ops.h"

#define VICTIM 1
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

/* A message from each to each, since connections take messages, too. */
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

/* Messages of both sizes between two that live, sent only now, arrive. */
static bool
go_on(uint32_t from, uint32_t to)
{
	unsigned before;

	if (!mortal_handled(&world, to, from, 0))
		return false;
	before = seen_by(to, from)->taken;
	mortal_send(&world, from, to, 1000, 200);
	mortal_send(&world, from, to, LARGE, 4);
	return mortal_handled(&world, to, from, before + 204);
}

/* Each node but the victim learns of its death, at some time after @begin. */
static bool
learn(uint32_t victim, uint64_t begin)
{
	bool right = true;

	for (uint32_t i = 0; i < world.plan.nodes; i++) {
		if (!world.processes[i] || i == victim)
			continue;
		if (!mortal_news(&world, i, victim, STN_PEER_DEAD)) {
			right = false;
			continue;
		}
		printf("# node %u knew after %u ms: %s\n", i,
		       (unsigned)((now() - begin) / 1000000),
		       seen_by(i, victim)->how);
	}
	return right;
}

/* Kills the victim: now it's dead, known to be, once, and all others go on. */
static bool
mourn(void)
{
	uint64_t begin = now();

	mortal_kill(&world, VICTIM);
	/* Unseen, it is missed only by those who want something of it. */
	if (world.plan.apart)
		mortal_send(&world, 2, VICTIM, 100, 1);
	return learn(VICTIM, begin) && go_on(0, 2) && go_on(2, 0);
}

static bool
die_idle(void)
{
	return introduce() && mourn();
}

/* Small messages both ways, and between the survivors as well. */
static bool
die_talking(void)
{
	if (!introduce())
		return false;
	mortal_stream(&world, 0, VICTIM, 100, 50);
	mortal_stream(&world, VICTIM, 0, 100, 50);
	mortal_stream(&world, 0, 2, 100, 50);
	mortal_stream(&world, 2, VICTIM, 5000, 10);
	return mortal_handled(&world, 0, VICTIM, 1000) &&
	       mortal_ended(&world, 0, VICTIM, 1000) && mourn();
}

/* It was offered what it never takes. */
static bool
die_deaf(void)
{
	if (!introduce())
		return false;
	mortal_freeze(&world, VICTIM);
	mortal_send(&world, 0, VICTIM, LARGE, 10);
	mortal_send(&world, 2, VICTIM, LARGE, 1);
	/* An order has been obeyed when the next one has. */
	return mortal_handled(&world, 0, 2, 1) &&
	       mortal_handled(&world, 2, 0, 1) && mourn() &&
	       seen_by(0, VICTIM)->ok == 1 && seen_by(2, VICTIM)->ok == 1;
}

/* In the middle of pulls from it and by it. */
static bool
die_pulling(void)
{
	if (!introduce())
		return false;
	mortal_stream(&world, 0, VICTIM, LARGE, 8);
	mortal_stream(&world, VICTIM, 0, LARGE, 8);
	mortal_stream(&world, VICTIM, 2, LARGE, 8);
	mortal_stream(&world, 2, 0, LARGE, 2);
	return mortal_handled(&world, 0, VICTIM, 20) &&
	       mortal_ended(&world, 0, VICTIM, 20) && mourn();
}

/* Nobody has ever sent to it. */
static bool
die_unknown(void)
{
	bool right = go_on(0, 2);

	mortal_kill(&world, VICTIM);
	mortal_send(&world, 0, VICTIM, 100, 10);
	mortal_send(&world, 0, VICTIM, LARGE, 2);
	return right && learn(VICTIM, now()) && go_on(2, 0);
}

/* A host that no longer answers: what it was asked last is never known. */
static bool
vanish(void)
{
	uint64_t begin = now();
	bool right = introduce();

	mortal_stop(&world, VICTIM);
	mortal_send(&world, 2, VICTIM, 100, 1);
	right = right && mortal_news(&world, 0, VICTIM, STN_PEER_SUSPECT) &&
		mortal_news(&world, 2, VICTIM, STN_PEER_SUSPECT) &&
		learn(VICTIM, begin);
	/* It comes back, and is heard by nobody. */
	mortal_go(&world, VICTIM);
	mortal_send(&world, VICTIM, 0, 100, 10);
	mortal_send(&world, VICTIM, 2, 100, 10);
	right = right && go_on(0, 2) && go_on(2, 0);
	mortal_kill(&world, VICTIM);
	return right && !seen_by(0, 2)->news[STN_PEER_SUSPECT] &&
	       !seen_by(2, 0)->news[STN_PEER_SUSPECT] &&
	       seen_by(0, VICTIM)->handled == 1 &&
	       seen_by(2, VICTIM)->handled == 1;
}

/* Two neighbours in rank vanish: who asks the second one? */
static bool
vanish_together(void)
{
	uint64_t begin = now();
	bool right = introduce();

	mortal_stop(&world, 1);
	mortal_stop(&world, 2);
	right = right && mortal_news(&world, 0, 1, STN_PEER_DEAD) &&
		mortal_news(&world, 0, 2, STN_PEER_DEAD);
	printf("# node 0 knew of both after %u ms\n",
	       (unsigned)((now() - begin) / 1000000));
	mortal_kill(&world, 1);
	mortal_kill(&world, 2);
	return right && go_on(0, 3) && go_on(3, 0);
}

/* It is silent for half the time only, and all is well again. */
static bool
hesitate(void)
{
	bool right = introduce();

	mortal_stop(&world, VICTIM);
	right = right && mortal_news(&world, 0, VICTIM, STN_PEER_SUSPECT);
	mortal_go(&world, VICTIM);
	return right && mortal_news(&world, 0, VICTIM, STN_PEER_UP) &&
	       go_on(0, VICTIM) && go_on(VICTIM, 0) &&
	       !seen_by(0, VICTIM)->news[STN_PEER_DEAD];
}

static const struct scenario {
	bool (*run)(void);
	const char *what;
	uint32_t nodes;
	bool apart;
	uint64_t silence_ns;
} scenarios[] = {
	{ die_idle, "a node that dies idle is missed", 3, false, 0 },
	{ die_talking, "one that dies with small messages both ways", 3, false,
	  0 },
	{ die_deaf, "one that was offered what it never took", 3, false, 0 },
	{ die_pulling, "one in the middle of large payloads", 3, false, 0 },
	{ die_unknown, "one that was never sent to", 3, false, 0 },
	{ vanish,
	  "who doesn't answer becomes suspect, then dead; who answers doesn't",
	  3, true, PATIENT_SILENCE_NS },
	{ die_pulling, "one that dies elsewhere, with large payloads", 3, true,
	  SILENCE_NS },
	{ vanish_together, "of two that vanish, both are missed", 4, true,
	  SILENCE_NS },
	{ hesitate, "who answers at last is up again", 3, true,
	  LONG_SILENCE_NS },
};

static void
run(const struct scenario *scenario, const char *transport,
    const char *provider)
{
	bool numbers = !strcmp(transport, "shm") || !strcmp(provider, "shm");
	bool locks = !strcmp(transport, "ofi") && numbers;
	const struct mortal_plan plan = { transport, provider, scenario->nodes,
					  scenario->apart,
					  scenario->silence_ns };
	struct stn_why why = { "" };
	enum stn_err err;
	bool right;

	if (scenario->apart && numbers) {
		tap_skip(scenario->what,
			 "shared memory is found by numbers of processes");
		return;
	}
	if (locks &&
	    (scenario->run == die_talking || scenario->run == die_pulling)) {
		tap_skip(scenario->what, "libfabric's shm waits for ever for a "
					 "lock that a dead process holds");
		return;
	}
	if (!strcmp(transport, "ofi") && !strcmp(provider, "tcp") &&
	    scenario->run == die_talking) {
		tap_skip(scenario->what, "the tcp of libfabric 1.17 sometimes "
					 "never returns from fi_cq_read then");
		return;
	}
	if (!strcmp(transport, "ucx") && numbers &&
	    scenario->run == die_talking) {
		tap_skip(scenario->what,
			 "who dies while it writes to a queue of UCX's shared "
			 "memory stops it for all others");
		return;
	}
	if (!strcmp(transport, "ucx") && numbers &&
	    scenario->run == die_pulling) {
		tap_skip(scenario->what, "UCX's shared memory sometimes keeps "
					 "a survivor waiting for ever then");
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
	mortal_meet(&world);
	right = scenario->run();
	right = mortal_destroy(&world) && right;
	tap_ok(right, "%s", scenario->what);
}

int
mortality(const char *transport, const char *provider)
{
	tap_begin();
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
		run(&scenarios[i], transport, provider);
	return tap_end();
}
