#include "launch/interrupt.h"

#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "node/node.h"

static void
only_interrupts(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
}

void
stn_interrupt_hold(struct stn_interrupt *interrupt,
		   const struct stn_config *config)
{
	struct sigaction action;
	sigset_t set;

	*interrupt = (struct stn_interrupt){ .signals = -1, .stop = -1 };
	sigaction(SIGINT, NULL, &action);
	if (!stn_config_traces(config) || action.sa_handler == SIG_IGN)
		return;
	interrupt->on = true;
	only_interrupts(&set);
	pthread_sigmask(SIG_BLOCK, &set, &interrupt->before);
}

static void
let_services_act(const struct stn_node *node)
{
	for (size_t i = 0; node->services[i]; i++)
		if (node->services[i]->cut)
			node->services[i]->cut(node->states[i]);
}

/* The signal's effect, which the process may survive. */
static void
interrupt_take(const struct stn_interrupt *interrupt)
{
	struct signalfd_siginfo info;
	sigset_t set;

	if (read(interrupt->signals, &info, sizeof(info)) != sizeof(info))
		return;
	let_services_act(interrupt->node);
	only_interrupts(&set);
	raise(SIGINT);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void *
interrupt_main(void *arg)
{
	const struct stn_interrupt *interrupt = arg;
	struct pollfd fds[] = { { interrupt->signals, POLLIN, 0 },
				{ interrupt->stop, POLLIN, 0 } };

	while (!fds[1].revents)
		if (poll(fds, 2, -1) > 0 && fds[0].revents)
			interrupt_take(interrupt);
	return NULL;
}

void
stn_interrupt_begin(struct stn_interrupt *interrupt, struct stn_node *node)
{
	sigset_t set;

	/* Of several nodes in one process, node 0 takes the signal. */
	if (!interrupt->on ||
	    (node->rank && node->start.local_nodes > 1 &&
	     !strcmp(stn_config_transport(node->config), "loop")))
		return;
	only_interrupts(&set);
	interrupt->node = node;
	interrupt->signals = signalfd(-1, &set, SFD_CLOEXEC);
	interrupt->stop = eventfd(0, EFD_CLOEXEC);
	if (interrupt->signals >= 0 && interrupt->stop >= 0 &&
	    !pthread_create(&interrupt->thread, NULL, interrupt_main,
			    interrupt))
		return;
	close(interrupt->stop);
	interrupt->stop = -1;
	stn_interrupt_end(interrupt);
}

void
stn_interrupt_end(struct stn_interrupt *interrupt)
{
	if (!interrupt->on)
		return;
	if (interrupt->stop >= 0) {
		eventfd_write(interrupt->stop, 1);
		pthread_join(interrupt->thread, NULL);
		close(interrupt->stop);
	}
	if (interrupt->signals >= 0)
		close(interrupt->signals);
	pthread_sigmask(SIG_SETMASK, &interrupt->before, NULL);
	interrupt->on = false;
}
