/*
 * sim_watch.c: what somebody at a terminal sees of a long simulation, and their
 * Ctrl-C, which ends it between two events. A second one ends the process at
 * once: it may be inside a long leaf.
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "emul/sim.h"

/* A handler has nothing else to write to. */
static volatile sig_atomic_t interrupted;

static void
interrupt(int number)
{
	(void)number;
	interrupted = 1;
}

void
sim_watch_begin(struct sim_watch *watch)
{
	struct sigaction action = { .sa_handler = interrupt,
				    .sa_flags = (int)SA_RESETHAND };

	*watch = (struct sim_watch){ .begin_ns = stn_machine_now(NULL),
				     .terminal = isatty(STDERR_FILENO) };
	watch->told_ns = watch->begin_ns;
	sigaction(SIGINT, NULL, &watch->before);
	watch->ours = watch->before.sa_handler == SIG_DFL &&
		      !sigaction(SIGINT, &action, NULL);
	interrupted = 0;
}

bool
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
	if (watch->ours)
		sigaction(SIGINT, &watch->before, NULL);
	return stn_machine_now(NULL) - watch->begin_ns;
}
