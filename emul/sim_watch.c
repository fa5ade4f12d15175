/*
 * sim_watch.c: what somebody at a terminal sees of a long simulation, and their
 * Ctrl-C, which ends it between two events, as does a SIGTERM. A second one,
 * after a moment, ends the process at once: it may be inside a long leaf.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "emul/sim.h"

static const int signals[SIM_SIGNALS] = { SIGINT, SIGTERM };

/* timeout(1) sends two at once: to the process, and to its group. */
#define MOMENT_NS 100000000

/* Which one came, and when; a handler has nothing else to write to. */
static volatile sig_atomic_t interrupted;
static uint64_t interrupted_ns; /* the handler's own */

static void
interrupt(int number)
{
	uint64_t now = stn_machine_now(NULL);

	if (!interrupted) {
		interrupted_ns = now;
		interrupted = number;
	} else if (now - interrupted_ns > MOMENT_NS) {
		signal(number, SIG_DFL);
		raise(number); /* when this handler has returned */
	}
}

/* Those that the program has no plans for. */
static void
listen(struct sim_watch *watch)
{
	struct sigaction action = { .sa_handler = interrupt };

	interrupted = 0;
	for (int i = 0; i < SIM_SIGNALS; i++)
		sigaddset(&action.sa_mask, signals[i]);
	for (int i = 0; i < SIM_SIGNALS; i++) {
		struct sigaction now;

		watch->ours[i] = !sigaction(signals[i], NULL, &now) &&
				 now.sa_handler == SIG_DFL &&
				 !sigaction(signals[i], &action, NULL);
	}
}

void
sim_watch_begin(struct sim_watch *watch)
{
	*watch = (struct sim_watch){ .begin_ns = stn_machine_now(NULL),
				     .terminal = isatty(STDERR_FILENO) };
	watch->told_ns = watch->begin_ns;
	listen(watch);
}

static void
tell(const struct stn_sim *sim, uint64_t took_ns)
{
	const struct stn_sim_model *model = &sim->model;

	fprintf(stderr,
		"\rsateen: %.3f s, %" PRIu64 " tasks, %.2f million events a "
		"second ",
		(double)sim->now * 1e-9,
		model->tasks ? model->tasks(model->arg) : 0,
		(double)sim->happened * 1e3 / (double)took_ns);
}

int
sim_watch(struct sim_watch *watch, const struct stn_sim *sim)
{
	uint64_t now = stn_machine_now(NULL);

	if (watch->terminal && now - watch->told_ns >= STN_SECOND_NS) {
		watch->told_ns = now;
		watch->told = true;
		tell(sim, now - watch->begin_ns);
	}
	return interrupted;
}

uint64_t
sim_watch_end(struct sim_watch *watch)
{
	if (watch->told)
		fputs("\r\033[K", stderr);
	for (int i = 0; i < SIM_SIGNALS; i++)
		if (watch->ours[i])
			signal(signals[i], SIG_DFL);
	return stn_machine_now(NULL) - watch->begin_ns;
}
