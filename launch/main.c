/*
 * main.c: the main function of a Sateen program. It joins a run, as one or
 * several of the nodes that run the program's tasks.
 */
#include <stdlib.h>

#include "launch/join.h"
#include "launch/signals.h"
#include "launch/standard.h"
#include "steal/fence.h"
#include "steal/program.h"
#include "steal/sateen.h"

int
stn_main(int argc, char **argv, int (*body)(struct stn_frame *, int, char **))
{
	struct stn_program program = { .body = body,
				       .argc = argc,
				       .argv = argv };
	struct stn_why why;
	int status;

	stn_standard_open();
	stn_signals_ignore_xfsz();
	stn_fence_prepare(); /* cheap while the process has one thread */
	if (stn_table_init(&program.table, &why)) {
		stn_join_complain(why.text);
		return EXIT_FAILURE;
	}
	status = stn_join(stn_start_node, &program);
	stn_table_fini(&program.table);
	return status;
}
