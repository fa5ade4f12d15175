/*
 * simulate_events.c: a schedule is carried out: which nodes die, and when the
 * run notices which event.
 */
#include "launch/simulate_events.h"

#include <string.h>
#include <unistd.h>

#include "launch/settings.h"
#include "launch/wireup/wireup_sim.h"
#include "tests/tap.h"

#define US 1000ull
#define MS 1000000ull
#define NODES 4
#define NOTICES 8

struct notice {
	uint64_t at_ns;
	enum stn_schedule_what what;
	uint32_t rank;
};

static struct stn_sim *sim;
static struct stn_wireup *wireup;
static struct notice notices[NOTICES];
static unsigned count, passed;

static void
note(void *arg, enum stn_schedule_what what, uint32_t rank)
{
	(void)arg;
	notices[count++ % NOTICES] =
		(struct notice){ stn_sim_now(sim), what, rank };
}

static void
live(void *arg)
{
	struct stn_why why;

	(void)arg;
	stn_sim_spend(sim, 3 * STN_SECOND_NS);
	passed += !stn_wireup_barrier(
		stn_wireup_sim_of(wireup, stn_sim_running(sim)), &why);
}

static void
bail_out(const char *text)
{
	printf("Bail out! %s\n", text);
	exit(EXIT_FAILURE);
}

static bool
noticed(unsigned number, uint64_t at_ns, enum stn_schedule_what what,
	uint32_t rank)
{
	const struct notice *notice = &notices[number];

	return number < count && notice->at_ns == at_ns &&
	       notice->what == what && notice->rank == rank;
}

/* Writes a file of events, and returns its name. */
static const char *
write_events(void)
{
	static char name[] = "events.XXXXXX";
	int fd = mkstemp(name);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (!out)
		bail_out("can't write a file");
	fputs("400ms leave nodes 0-1\n"
	      "100ms kill node 1\n"
	      "200ms vanish nodes 1-2\n"
	      "300ms suspect node 3\n"
	      "500ms kill node 1\n"
	      "9s kill node 0\n",
	      out);
	fclose(out);
	return name;
}

static void
test_events(struct stn_config *config, const struct stn_topology *topology)
{
	const struct stn_simulate_run run = { config, topology, sim, wireup,
					      bail_out };
	struct stn_simulate_events *events = NULL;
	struct stn_why why;

	if (stn_simulate_events_create(&run, &events, &why))
		bail_out(why.text);
	stn_simulate_events_tell(events, note, NULL);
	for (uint32_t i = 0; i < NODES; i++)
		if (stn_sim_start(sim, i, live, NULL))
			bail_out("can't start a node");
	tap_ok(!stn_sim_run(sim, &why) && passed == 2 &&
		       stn_sim_now(sim) == 3 * STN_SECOND_NS,
	       "the living pass the barrier without the dead");
	tap_ok(!stn_simulate_events_died(events, 0) &&
		       stn_simulate_events_died(events, 1) &&
		       stn_simulate_events_died(events, 2) &&
		       !stn_simulate_events_died(events, 3),
	       "two nodes have died");
	tap_ok(noticed(0, 100 * MS + 10 * US, STN_SCHEDULE_KILL, 1),
	       "a kill is noticed after the latency of the LAN");
	tap_ok(noticed(1, 300 * MS, STN_SCHEDULE_SUSPECT, 3) &&
		       noticed(2, 400 * MS, STN_SCHEDULE_LEAVE, 0),
	       "other events are noticed at once, and not for dead nodes");
	tap_ok(noticed(3, 1200 * MS, STN_SCHEDULE_VANISH, 2) && count == 4,
	       "a vanished host is noticed after its silence; none dies twice");
	stn_simulate_events_destroy(events);
}

int
main(void)
{
	const struct stn_topology topology = { .nodes = NODES, .clusters = 1 };
	struct stn_config config;
	struct stn_sim_model model = { .topology = &topology,
				       .stack_bytes = 1 << 20,
				       .fail = bail_out };
	struct stn_why why;
	const char *name;

	tap_begin();
	name = write_events();
	setenv("STN_EVENTS", name, 1);
	stn_config_defaults(&config);
	if (stn_config_environment(&config, &why))
		bail_out(why.text);
	config.silence_ns = STN_SECOND_NS;
	model.lan = config.lan;
	sim = stn_sim_create(&model);
	wireup = stn_wireup_sim(sim, NODES, bail_out);
	test_events(&config, &topology);
	stn_wireup_destroy(wireup);
	stn_sim_destroy(sim);
	unlink(name);
	return tap_end();
}
