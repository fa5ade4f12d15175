/*
 * advice.c: the rules. Each looks at shares of the workers' time, so it says
 * nothing about causes that cost little.
 */
#include "apps/sateen/report/advice.h"

#include <inttypes.h>
#include <string.h>

/* A cause is worth advice if it costs this share of the workers' time. */
#define MUCH 0.1
/* A stolen call should take this many times as long as its steal. */
#define SHORT_CALLS 3
/* Work is scarce if at most this share of the steal requests is granted. */
#define FEW_GRANTS 0.05
/* Few workers, compared with the parallelism, are this many times fewer. */
#define AMPLE 10
/* The span is worth advice if it is this share of the run time. */
#define LONG_SPAN 0.4

struct speaker {
	void (*say)(void *arg, const char *text);
	void *arg;
	unsigned count;
};

static void
speak(struct speaker *speaker, const char *text)
{
	speaker->say(speaker->arg, text);
	speaker->count++;
}

/* The steals of all nodes. */
struct steals {
	uint64_t asked, granted;
	double granted_ns; /* from the requests to the records */
};

static struct steals
sum_steals(const struct run *run)
{
	struct steals sum = { 0, 0, 0 };

	for (uint32_t i = 0; i < run->node_count; i++)
		for (uint32_t j = 0; j < run->nodes[i].steal_count; j++) {
			const struct steal *steal = &run->nodes[i].steals[j];

			sum.asked++;
			sum.granted += steal->granted;
			if (steal->granted)
				sum.granted_ns += (double)(steal->end_ns -
							   steal->begin_ns);
		}
	return sum;
}

static void
about_links(const struct run *run, const struct profile *profile,
	    struct speaker *speaker)
{
	uint32_t worst = 0;
	double share = 0;
	char text[ADVICE_ROOM], room[RUN_CLUSTER_ROOM];

	for (uint32_t i = 0; i < run->cluster_count; i++) {
		const struct shares *cluster = &profile->clusters[i];
		double here =
			cluster->all ? cluster->asks_wide / cluster->all : 0;

		if (here > share) {
			share = here;
			worst = i;
		}
	}
	if (share < MUCH)
		return;
	snprintf(text, sizeof(text),
		 "In %.0f %% of the time the workers of %.60s were without "
		 "work while a steal request was on its way to another "
		 "cluster. %s",
		 100 * share, run_cluster(run, worst, "cluster ", room),
		 run->balancer && strcmp(run->balancer, "lrs")
			 ? "Try --balancer lrs, or larger tasks near the root "
			   "of the tree."
			 : "Try larger tasks near the root of the tree, or "
			   "fewer clusters.");
	speak(speaker, text);
}

static void
about_grain(const struct run *run, const struct profile *profile,
	    const struct steals *steals, struct speaker *speaker)
{
	double call =
		run->calls ? (double)run->call_ns / (double)run->calls : 0;
	double steal = steals->granted
			       ? steals->granted_ns / (double)steals->granted
			       : 0;
	char text[ADVICE_ROOM];

	if (!run->calls || call > SHORT_CALLS * steal ||
	    profile->all.works > (1 - MUCH) * profile->all.all)
		return;
	snprintf(text, sizeof(text),
		 "A stolen call took %.1f us on average, and its steal "
		 "%.1f us. Stop spawning at larger subproblems, so that calls "
		 "are worth their steals.",
		 call * 1e-3, steal * 1e-3);
	speak(speaker, text);
}

static void
about_refusals(const struct profile *profile, const struct steals *steals,
	       struct speaker *speaker)
{
	double granted = (double)steals->granted;
	double idle = profile->all.all - profile->all.works;
	char text[ADVICE_ROOM];

	if (!steals->asked || granted > FEW_GRANTS * (double)steals->asked ||
	    idle < MUCH * profile->all.all)
		return;
	snprintf(text, sizeof(text),
		 "Only %" PRIu64 " of %" PRIu64 " steal requests found work: "
		 "the program has too few tasks for so many workers. Spawn "
		 "more and smaller ones, or use fewer nodes.",
		 steals->granted, steals->asked);
	speak(speaker, text);
}

static void
about_syncs(const struct profile *profile, struct speaker *speaker)
{
	char text[ADVICE_ROOM];

	if (profile->all.waits < MUCH * profile->all.all)
		return;
	snprintf(text, sizeof(text),
		 "Workers waited in syncs for stolen calls, or for arrays, in "
		 "%.0f %% of the time. If the calls differ much in size, spawn "
		 "the largest ones first: thieves take the oldest.",
		 100 * profile->all.waits / profile->all.all);
	speak(speaker, text);
}

/*
 * A run that takes little more than its span: only another program, with a
 * shorter span, would take less.
 */
static void
about_span(const struct run *run, struct speaker *speaker)
{
	double took = (double)(run->end_ns - run->begin_ns);
	double share = took > 0 ? (double)run->span_ns / took : 0;
	char text[ADVICE_ROOM];

	if (share < LONG_SPAN)
		return;
	snprintf(text, sizeof(text),
		 "The span is %.0f %% of the run time: more nodes can make "
		 "the run at most %.2f times as fast. To shorten the span, "
		 "spawn earlier, and divide long calls.",
		 100 * share, 1 / share);
	speak(speaker, text);
}

/* Compares the parallelism with the number of workers. */
static void
about_parallelism(const struct run *run, const struct profile *profile,
		  struct speaker *speaker)
{
	double took = (double)(run->end_ns - run->begin_ns);
	double workers = took > 0 ? profile->all.all / took : 0;
	double parallelism = run_parallelism(run);
	char text[ADVICE_ROOM];

	if (!run->span_ns || parallelism > AMPLE * workers)
		return;
	if (parallelism < workers)
		snprintf(text, sizeof(text),
			 "The parallelism, work divided by span, is %.1f, and "
			 "there are %.0f workers: some of them can't have "
			 "work. Use fewer, or shorten the span.",
			 parallelism, workers);
	else if (profile->all.works < (1 - MUCH) * profile->all.all)
		snprintf(text, sizeof(text),
			 "The parallelism, work divided by span, is only %.1f "
			 "times the number of workers. %d times as much keeps "
			 "workers busy; a larger problem often has it.",
			 parallelism / workers, AMPLE);
	else
		return;
	speak(speaker, text);
}

/* A program that only sweeps arrays: its steal requests find nothing. */
static void
about_arrays(const struct profile *profile, struct speaker *speaker)
{
	const struct shares *all = &profile->all;
	char text[ADVICE_ROOM];

	if (all->works >= (1 - MUCH) * all->all)
		return;
	snprintf(text, sizeof(text),
		 "In %.0f %% of the time workers had no part of an array to "
		 "sweep: they waited for points of other nodes, or for other "
		 "nodes to end. Try a larger array, fewer nodes or clusters, "
		 "or, if the program calls STN_SWEEP many times, STN_SWEEPS.",
		 100 * (all->all - all->works) / all->all);
	speak(speaker, text);
}

/* No rule has found anything. */
static void
about_rest(const struct profile *profile, struct speaker *speaker)
{
	const struct shares *all = &profile->all;
	char text[ADVICE_ROOM];

	if (all->works >= (1 - MUCH) * all->all) {
		speak(speaker, "Nothing costs more than a tenth of the "
			       "workers' time.");
		return;
	}
	snprintf(text, sizeof(text),
		 "In %.0f %% of the time workers had no work. No rule of this "
		 "report found the cause.",
		 100 * (all->all - all->works) / all->all);
	speak(speaker, text);
}

void
advice_write(const struct run *run, const struct profile *profile,
	     void (*say)(void *arg, const char *text), void *arg)
{
	struct speaker speaker = { say, arg, 0 };
	const struct steals steals = sum_steals(run);

	about_span(run, &speaker);
	about_parallelism(run, profile, &speaker);
	if (run->lost_events) {
		speak(&speaker, "Raise --trace-memory: the trace lacks events, "
				"so its shares may mislead.");
		return;
	}
	if (run->arrays && !steals.granted) {
		about_arrays(profile, &speaker);
	} else {
		about_links(run, profile, &speaker);
		about_grain(run, profile, &steals, &speaker);
		about_refusals(profile, &steals, &speaker);
		about_syncs(profile, &speaker);
	}
	if (!speaker.count)
		about_rest(profile, &speaker);
}
