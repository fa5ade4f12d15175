#include "steal/guard.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define HANDLER_BYTES 65536
#define PATIENCE_S 2

/* Whose stack this thread's is. Law 3's one thread-local. */
static _Thread_local struct stn_worker *current;

static bool
overflowed(const struct stn_worker *worker, const char *fault)
{
	uint64_t bytes = worker->node->config.stack_bytes;
	const char *lowest = worker->stack - bytes;

	/* What lies above the guard can be read and written, and is no fault.
	 */
	return fault < worker->stack && fault >= lowest - 2 * STN_GUARD_BYTES;
}

/*
 * The thread may hold any lock of the C library, or of ours. So this may hang
 * where it tells the others, and the alarm ends it.
 */
static void
handle(int signal_number, siginfo_t *info, void *context)
{
	struct stn_worker *worker = current;

	(void)context;
	if (worker && overflowed(worker, info->si_addr)) {
		signal(SIGALRM, SIG_DFL);
		alarm(PATIENCE_S);
		stn_node_fail(worker->node,
			      "worker %" PRIu32 " ran out of its stack of "
			      "%" PRIu64 " bytes; raise --stack (STN_STACK), "
			      "or recurse less deeply",
			      worker->number, worker->node->config.stack_bytes);
	}
	signal(signal_number, SIG_DFL); /* and again, without us */
}

/* False if the program has its own. */
static bool
install(void)
{
	struct sigaction action = { .sa_sigaction = handle,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK };
	struct sigaction now;

	sigemptyset(&action.sa_mask);
	if (sigaction(SIGSEGV, NULL, &now))
		return false;
	if (now.sa_sigaction == handle)
		return true;
	return now.sa_handler == SIG_DFL && !sigaction(SIGSEGV, &action, NULL);
}

void
stn_guard_enter(struct stn_worker *worker)
{
	stack_t stack = { .ss_size = HANDLER_BYTES };

	current = worker;
	if (worker->node->sim && worker->node->rank)
		return; /* node 0's handler is the thread's */
	if (!install())
		return;
	worker->handler_stack = stack.ss_sp = malloc(HANDLER_BYTES);
	if (stack.ss_sp)
		sigaltstack(&stack, NULL);
}

void
stn_guard_switch(struct stn_worker *worker)
{
	current = worker;
}

void
stn_guard_leave(struct stn_worker *worker)
{
	stack_t none = { .ss_flags = SS_DISABLE };

	current = NULL;
	if (worker->handler_stack)
		sigaltstack(&none, NULL);
	free(worker->handler_stack);
}
