#include "launch/simulate_events.h"

#include <inttypes.h>
#include <stdlib.h>

#include "launch/settings.h"
#include "launch/wireup/wireup_sim.h"
#include "transport/transport.h"

/* An event of the schedule: the argument of its callbacks. */
struct planned {
	struct stn_simulate_events *all;
	const struct stn_schedule_event *event;
};

struct stn_simulate_events {
	struct stn_simulate_run run;
	struct stn_schedule schedule;
	struct planned *planned; /* one for each event of the schedule */
	stn_simulate_noticed *noticed;
	void *arg;
	/* What each node has died of; NULL: it lives. */
	const struct stn_schedule_event *causes[];
};

/* What to tell about an event that ends the run. */
static const char *const tales[] = {
	[STN_SCHEDULE_KILL] = "died",
	[STN_SCHEDULE_VANISH] = "vanished",
	[STN_SCHEDULE_SUSPECT] = "is suspected to be dead",
	[STN_SCHEDULE_LEAVE] = "is asked to leave",
	[STN_SCHEDULE_JOIN] = "is asked to join",
};

/* The default of what a run does about an event. @arg: the events */
static void
end_run(void *arg, enum stn_schedule_what what, uint32_t rank)
{
	const struct stn_simulate_events *all = arg;
	const struct stn_schedule_event *cause = all->causes[rank];
	uint64_t at = cause ? cause->at_ns : stn_sim_now(all->run.sim);
	struct stn_why why;

	stn_because(&why, STN_LOST, "node %" PRIu32 " %s at %.3f s; %s", rank,
		    tales[what], (double)at * 1e-9,
		    cause ? "this run can't go on without it"
			  : "this run's nodes can't change");
	all->run.fail(why.text);
}

/* The run notices a death, some time after it. */
static void
notice_death(void *arg)
{
	const struct planned *planned = arg;
	const struct stn_schedule_event *event = planned->event;
	const struct stn_simulate_events *all = planned->all;

	for (uint32_t i = event->first; i <= event->last; i++)
		if (all->causes[i] == event)
			all->noticed(all->arg, event->what, i);
}

/* After how long a run notices that a node is gone; STN_FOREVER: never. */
static uint64_t
notice_delay(const struct stn_config *config, enum stn_schedule_what what)
{
	if (what == STN_SCHEDULE_KILL)
		return config->lan.latency_ns;
	return config->silence_ns ? config->silence_ns : STN_FOREVER;
}

static void
die_now(void *arg)
{
	struct planned *planned = arg;
	const struct stn_schedule_event *event = planned->event;
	struct stn_simulate_events *all = planned->all;
	const struct stn_simulate_run *run = &all->run;
	uint64_t delay = notice_delay(run->config, event->what);

	for (uint32_t i = event->first; i <= event->last; i++) {
		if (!stn_sim_kill(run->sim, i))
			continue;
		all->causes[i] = event;
		stn_wireup_sim_died(run->wireup, i);
	}
	if (delay < STN_FOREVER - event->at_ns)
		stn_sim_at(run->sim, event->at_ns + delay, notice_death,
			   planned);
}

static void
notice_now(void *arg)
{
	const struct planned *planned = arg;
	const struct stn_schedule_event *event = planned->event;
	const struct stn_simulate_events *all = planned->all;

	for (uint32_t i = event->first; i <= event->last; i++)
		if (!all->causes[i])
			all->noticed(all->arg, event->what, i);
}

static bool
is_death(const struct stn_schedule_event *event)
{
	return event->what == STN_SCHEDULE_KILL ||
	       event->what == STN_SCHEDULE_VANISH;
}

static void
register_events(struct stn_simulate_events *all)
{
	for (size_t i = 0; i < all->schedule.count; i++) {
		const struct stn_schedule_event *event =
			&all->schedule.events[i];

		all->planned[i] = (struct planned){ all, event };
		stn_sim_at(all->run.sim, event->at_ns,
			   is_death(event) ? die_now : notice_now,
			   &all->planned[i]);
	}
}

enum stn_err
stn_simulate_events_create(const struct stn_simulate_run *run,
			   struct stn_simulate_events **events_p,
			   struct stn_why *why)
{
	struct stn_simulate_events *all;
	enum stn_err err;

	all = calloc(1, sizeof(*all) +
				run->topology->nodes * sizeof(all->causes[0]));
	if (!all)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	all->run = *run;
	stn_simulate_events_tell(all, end_run, all);
	err = stn_schedule_read(stn_config_events(run->config), run->topology,
				&all->schedule, why);
	if (!err && all->schedule.count) {
		all->planned =
			calloc(all->schedule.count, sizeof(all->planned[0]));
		if (!all->planned)
			err = stn_because(why, STN_NO_MEMORY,
					  "out of memory for events");
	}
	if (err) {
		stn_simulate_events_destroy(all);
		return err;
	}
	register_events(all);
	*events_p = all;
	return STN_OK;
}

void
stn_simulate_events_destroy(struct stn_simulate_events *events)
{
	if (!events)
		return;
	stn_schedule_fini(&events->schedule);
	free(events->planned);
	free(events);
}

void
stn_simulate_events_tell(struct stn_simulate_events *events,
			 stn_simulate_noticed *noticed, void *arg)
{
	events->noticed = noticed;
	events->arg = arg;
}

/* Has an event before the @number-th happened to node @rank? */
static bool
happened_before(const struct stn_schedule *schedule, size_t number,
		uint32_t rank)
{
	for (size_t i = 0; i < number; i++)
		if (rank >= schedule->events[i].first &&
		    rank <= schedule->events[i].last)
			return true;
	return false;
}

enum stn_err
stn_simulate_events_reserve(const struct stn_simulate_events *events,
			    struct stn_topology *topology, struct stn_why *why)
{
	const struct stn_schedule *schedule = &events->schedule;
	enum stn_err err = STN_OK;

	for (size_t i = 0; !err && i < schedule->count; i++) {
		const struct stn_schedule_event *event = &schedule->events[i];

		if (event->what != STN_SCHEDULE_JOIN)
			continue;
		for (uint32_t j = event->first; !err && j <= event->last; j++)
			if (!happened_before(schedule, i, j))
				err = stn_topology_reserve(topology, j, 1);
	}
	if (err)
		return stn_because(why, err, "out of memory for events");
	if (stn_topology_reserved(topology, 0))
		return stn_because(why, STN_INVALID,
				   "node 0 can't join later, because it runs "
				   "main first; let other nodes join");
	return STN_OK;
}

bool
stn_simulate_events_died(const struct stn_simulate_events *events,
			 uint32_t rank)
{
	return events->causes[rank];
}
