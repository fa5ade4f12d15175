/*
 * sim_watch.c: SIGINT (Ctrl-C) or SIGTERM ends the simulation between two
 * events. A second signal ends the process at once, because the next event may
 * be far away: the program may be inside a long leaf.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "emul/sim_private.h"
#include "emul/sim_watch.h"

static const int signals[SIM_SIGNALS] = { SIGINT, SIGTERM };

/*
 * Two signals within this time count as one: timeout(1) sends one to the
 * process and one to its process group.
 */
#define DEBOUNCE_NS 100000000

/*
 * The first signal, and its time; global, as a handler gets no argument. Any
 * thread may run the handler, and reads the signal; they pair with nothing.
 */
static atomic_int interrupted;
static _Atomic(uint64_t) interrupted_ns;

/*
 * Is a line on the terminal? Global, as stn_sim_fail gets no argument. Only the
 * thread of share 0 sets it, while the others wait at the barrier.
 */
static bool shown;

static void
on_signal(int number)
{
	uint64_t now = stn_machine_now(NULL), first = 0;

	if (atomic_compare_exchange_strong(&interrupted_ns, &first, now)) {
		interrupted = number;
	} else if (now > first + DEBOUNCE_NS) {
		signal(number, SIG_DFL);
		raise(number); /* takes effect when this handler returns */
	}
}

/* Leaves alone the signals that the program handles or ignores itself. */
static void
install_handlers(struct sim_watch *watch)
{
	struct sigaction action = { .sa_handler = on_signal };

	interrupted = 0;
	interrupted_ns = 0;
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
	watch->shown_ns = watch->begin_ns;
	shown = false;
	install_handlers(watch);
}

bool
sim_watch_due(const struct sim_watch *watch)
{
	return watch->terminal &&
	       stn_machine_now(NULL) - watch->shown_ns >= STN_SECOND_NS;
}

void
sim_watch_show(struct sim_watch *watch, const struct stn_sim *sim)
{
	const struct stn_sim_model *model = &sim->model;
	struct stn_sim_account account = stn_sim_account(sim);

	watch->shown_ns = stn_machine_now(NULL);
	shown = true;
	fprintf(stderr,
		"\r\033[Ksateen: %.3f s, %" PRIu64 " tasks, %.2f million "
		"events a second\r",
		(double)account.now_ns * 1e-9,
		model->tasks ? model->tasks(model->arg) : 0,
		(double)account.events * 1e3 /
			(double)(watch->shown_ns - watch->begin_ns));
}

void
sim_watch_hide(void)
{
	if (shown)
		fputs("\r\033[K", stderr);
}

int
sim_watch_signal(void)
{
	return atomic_load_explicit(&interrupted, memory_order_relaxed);
}

uint64_t
sim_watch_end(struct sim_watch *watch)
{
	sim_watch_hide();
	for (int i = 0; i < SIM_SIGNALS; i++)
		if (watch->ours[i])
			signal(signals[i], SIG_DFL);
	return stn_machine_now(NULL) - watch->begin_ns;
}
