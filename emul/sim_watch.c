/*
 * sim_watch.c: what somebody at a terminal sees of a long simulation, and their
 * Ctrl-C, which ends it between two events, as does a SIGTERM. A second one
 * ends the process at once: it may be inside a long leaf.
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "emul/sim.h"

static const int signals[SIM_SIGNALS] = { SIGINT, SIGTERM };

/* Which one came; a handler has nothing else to write to. */
static volatile sig_atomic_t interrupted;

static void
interrupt(int number)
{
	interrupted = number;
}

/* Those that the program has no plans for. */
static void
listen(struct sim_watch *watch)
{
	struct sigaction action = { .sa_handler = interrupt,
				    .sa_flags = (int)SA_RESETHAND };

	interrupted = 0;
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

int
sim_watch(struct sim_watch *watch, const struct stn_sim *sim)
{
	uint64_t now = stn_machine_now(NULL);

	if (watch->terminal && now - watch->told_ns >= STN_SECOND_NS) {
		watch->told_ns = now;
		watch->told = true;
		fprintf(stderr,
			"\rsateen: %.3f s, %.1f million events, %.2f million "
			"a second ",
			(double)sim->now * 1e-9, (double)sim->happened * 1e-6,
			(double)sim->happened * 1e3 /
				(double)(now - watch->begin_ns));
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
