#include "steal/program.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "steal/keep.h"
#include "steal/steal.h"
#include "steal/virtual_cost.h"

/* The output of main is the result of the run, so lost output is a failure. */
int
stn_program_flush(int status)
{
	errno = 0; /* an earlier write may have failed */
	if ((!fflush(stdout) && !ferror(stdout)) || status)
		return status;
	fprintf(stderr, "sateen: can't write standard output%s%s\n",
		errno ? ": " : "", errno ? strerror(errno) : "");
	return EXIT_FAILURE;
}

static const struct stn_task main_task = { .name = "STN_MAIN" };

/*
 * Programs that parse their options may change argv. Statistics and traces show
 * the original, and in a simulation another run of main begins with it. The
 * service's state owns the copy, because a simulated node may die inside main.
 */
static char **
copy_argv(struct stn_steal *steal)
{
	const struct stn_program *program = steal->program;
	size_t bytes = ((size_t)program->argc + 1) * sizeof(program->argv[0]);

	free(steal->argv);
	steal->argv = malloc(bytes);
	if (!steal->argv)
		stn_node_fail(steal->node, "out of memory");
	return memcpy(steal->argv, program->argv, bytes);
}

int
stn_program_main(void *arg, struct stn_worker *worker)
{
	const struct stn_program *program = arg;
	struct stn_steal *steal =
		stn_node_state(worker->node, &stn_steal_service);
	struct stn_owner *owner = &steal->owners[worker->number];
	struct stn_frame frame = { &owner->deque, owner->deque.slots, 0 };
	int status;

	/*
	 * If the root has died, this is not the first run of main; in a
	 * simulation it is not the first one in this process, and the program
	 * parses its options again.
	 */
	if (worker->node->rank) {
		stn_set_redoing(owner, STN_RECORD_REDONE | STN_RECORD_ANEW);
		optind = 0;
	}
	stn_keep_look(owner);
	owner->span.path_ns = 0;
	owner->main_frame = &frame;
	stn_computes(owner);
	status = program->body(&frame, program->argc, copy_argv(steal));
	stn_computed(owner, 0);
	worker->graph.span_ns = owner->span.path_ns;
	if (frame.pending)
		stn_unsynced(&owner->deque, &main_task);
	return status;
}
