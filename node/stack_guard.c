#include "node/stack_guard.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "emul/sim_run.h"

#define HANDLER_BYTES 65536
#define PATIENCE_S 2

/*
 * The worker whose stack this thread uses. The only thread-local of the
 * runtime.
 */
static _Thread_local struct stn_worker *current;

static bool
overflowed(const struct stn_worker *worker, const char *fault)
{
	uint64_t bytes = worker->node->config->stack_bytes;
	const char *lowest = worker->stack - bytes;

	/* Accesses to the stack itself do not fault. */
	return fault < worker->stack &&
	       fault >= lowest - 2 * STN_STACK_GUARD_BYTES;
}

/*
 * The thread may hold any lock of the C library or of the runtime, so the
 * message to the other nodes may hang; the alarm then ends the process.
 */
static void
stack_guard_handle(int signal_number, siginfo_t *info, void *context)
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
			      worker->number,
			      worker->node->config->stack_bytes);
	}
	signal(signal_number, SIG_DFL); /* the fault repeats: default action */
	if (info->si_code <= 0)
		raise(signal_number); /* no fault: another process sent it */
}

/* Installs the handler. False if the program has a handler of its own. */
static bool
install(void)
{
	struct sigaction action = { .sa_sigaction = stack_guard_handle,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK };
	struct sigaction now;

	sigemptyset(&action.sa_mask);
	if (sigaction(SIGSEGV, NULL, &now))
		return false;
	if (now.sa_sigaction == stack_guard_handle)
		return true;
	return now.sa_handler == SIG_DFL && !sigaction(SIGSEGV, &action, NULL);
}

void
stn_stack_guard_enter(struct stn_worker *worker)
{
	stack_t stack = { .ss_size = HANDLER_BYTES };

	current = worker;
	if (worker->node->sim &&
	    !stn_sim_leads(worker->node->sim, worker->node->rank))
		return; /* its thread runs other nodes that have done this */
	if (!install())
		return;
	worker->handler_stack = stack.ss_sp = malloc(HANDLER_BYTES);
	if (stack.ss_sp)
		sigaltstack(&stack, NULL);
}

void
stn_stack_guard_switch(struct stn_worker *worker)
{
	current = worker;
}

struct stn_worker *
stn_stack_guard_worker(void)
{
	return current;
}

void
stn_stack_guard_leave(struct stn_worker *worker)
{
	stack_t none = { .ss_flags = SS_DISABLE };

	current = NULL;
	if (worker->handler_stack)
		sigaltstack(&none, NULL);
	free(worker->handler_stack);
}
