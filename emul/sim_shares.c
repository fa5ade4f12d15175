/*
 * sim_shares.c: the threads of a simulation. Each runs the events of its share
 * in a window of virtual time, from the first event of all shares on. Then it
 * reports when its next event is, waits for the others, and takes the events
 * that they have caused in its share. All threads compute the next window from
 * the same reports. With one share there is one window, unless a signal or the
 * progress line ends it early.
 */
#include "emul/sim_private.h"

#include "emul/sim_watch.h"
#include "emul/sim_window.h"

/* What the reports of all shares say. */
struct agreed {
	uint64_t next;
	uint64_t alive;
	bool stopped, shows;
};

static uint64_t
first_of(const struct stn_event_list *list, uint64_t first)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->events[i].at < first)
			first = list->events[i].at;
	return first;
}

static void
report(struct stn_sim *sim)
{
	struct sim_report *report = &sim->reports[sim->turn];
	const struct sim_world *world = sim->world;

	*report = (struct sim_report){ .next = stn_events_next(&sim->events),
				       .alive = sim->alive };
	for (uint32_t i = 0; i < world->share_count; i++)
		report->next =
			first_of(&sim->outboxes[sim->turn][i], report->next);
	if (sim->number)
		return;
	report->stopped = sim_watch_signal();
	report->shows = sim_watch_due(world->watch);
}

static struct agreed
agree(const struct stn_sim *sim)
{
	struct agreed agreed = { .next = UINT64_MAX };

	for (uint32_t i = 0; i < sim->world->share_count; i++) {
		const struct sim_report *other =
			&sim->world->shares[i]->reports[sim->turn];

		if (other->next < agreed.next)
			agreed.next = other->next;
		agreed.alive += other->alive;
		agreed.stopped |= other->stopped;
		agreed.shows |= other->shows;
	}
	return agreed;
}

/* Takes the events that the other shares have caused in this one. */
static void
take_in(struct stn_sim *sim)
{
	for (uint32_t i = 0; i < sim->world->share_count; i++) {
		struct stn_event_list *box =
			&sim->world->shares[i]
				 ->outboxes[sim->turn][sim->number];

		for (size_t j = 0; j < box->count; j++)
			if (!stn_events_put(&sim->events, &box->events[j]))
				sim_no_memory(sim);
		stn_event_list_empty(box);
	}
}

/* Waits until all shares have come here. */
static void
meet(struct sim_world *world)
{
	if (world->share_count > 1)
		pthread_barrier_wait(&world->windows);
}

/* Goes on to the next window. */
static struct agreed
next_window(struct stn_sim *sim)
{
	struct sim_world *world = sim->world;
	struct agreed agreed;

	report(sim);
	meet(world);
	agreed = agree(sim);
	if (agreed.shows) {
		if (!sim->number)
			sim_watch_show(world->watch, sim);
		meet(world);
	}
	take_in(sim);
	sim->turn ^= 1;
	sim->end = UINT64_MAX;
	if (world->share_count > 1 &&
	    agreed.next < UINT64_MAX - world->lookahead_ns)
		sim->end = agreed.next + world->lookahead_ns;
	return agreed;
}

static struct agreed
run_share(struct stn_sim *sim)
{
	struct agreed agreed;

	stn_fiber_adopt(&sim->scheduler);
	while ((agreed = next_window(sim)).alive && !agreed.stopped &&
	       agreed.next < UINT64_MAX)
		sim_run_window(sim);
	return agreed;
}

static void *
share_main(void *sim)
{
	run_share(sim);
	return NULL;
}

static void
start_threads(const struct sim_world *world, pthread_t threads[])
{
	const struct stn_sim *first = world->shares[0];

	for (uint32_t i = 1; i < world->share_count; i++)
		if (pthread_create(&threads[i], NULL, share_main,
				   world->shares[i]))
			first->model.fail("can't start a thread");
}

void
stn_sim_hide(void)
{
	sim_watch_hide();
}

enum stn_err
stn_sim_run(struct stn_sim *sim, struct stn_why *why)
{
	struct sim_world *world = sim->world;
	pthread_t threads[SIM_SHARES];
	struct sim_watch watch;
	struct agreed agreed;

	sim_watch_begin(&watch);
	world->watch = &watch;
	start_threads(world, threads);
	agreed = run_share(world->shares[0]);
	for (uint32_t i = 1; i < world->share_count; i++)
		pthread_join(threads[i], NULL);
	/* A signal may come when all nodes have ended. */
	agreed.stopped = agreed.stopped && agreed.alive;
	if (agreed.stopped)
		world->signal = sim_watch_signal();
	world->took_ns = sim_watch_end(&watch);
	if (agreed.stopped)
		return stn_because(why, STN_CANCELLED,
				   "interrupted by signal %d", world->signal);
	if (agreed.alive)
		return stn_because(why, STN_LOST,
				   "the simulation can't go on: every node "
				   "waits, and no event is left");
	return STN_OK;
}
