/*
 * program.h: a Sateen program: its tasks and the body of its STN_MAIN.
 */
#ifndef STN_STEAL_PROGRAM_H
#define STN_STEAL_PROGRAM_H

#include "steal/task.h"

struct stn_worker;

struct stn_program {
	struct stn_table table;
	int (*body)(struct stn_frame *frame, int argc, char **argv);
	int argc;
	char **argv;
};

/*
 * stn_program_main: runs the body on @worker, worker 0 of node 0, as struct
 * stn_start's main; @program is a struct stn_program. Returns the body's
 * status. The body gets a copy of argv, which the node owns.
 * stn_program_flush: as struct stn_start's flush: writes out standard output.
 * Returns @status; or EXIT_FAILURE instead of 0, after a line on stderr, if
 * that failed.
 */
int stn_program_main(void *program, struct stn_worker *worker);
int stn_program_flush(int status);

#endif
