/*
 * tasklib.h: a library of tasks, for tests/house.t. The library and the
 * programs are C and C++ at once: the test compiles both as either language.
 */
#ifndef TESTS_APPS_TASKLIB_H
#define TESTS_APPS_TASKLIB_H

#include <sateen.h>

/* As fib.c has it, so that calls of library and program nest. */
STN_TASK_EXTERN(long, tasklib_fib, int, n);

/* Numbers that begin with @first. */
STN_TASK_VOID_EXTERN(tasklib_fill, struct stn_out, to, int32_t, first);

/* The process that runs the call, after a short sleep. */
STN_TASK_EXTERN(int32_t, tasklib_where);

#ifdef __cplusplus
extern "C" {
#endif

/* Spawns @count calls of tasklib_where, which the caller syncs. */
void tasklib_spread(STN_FRAME, int count);

/*
 * Spawns and syncs @count calls of a task that only the library knows; how many
 * of them ran in this process.
 */
int tasklib_count_here(STN_FRAME, int count);

#ifdef __cplusplus
}
#endif

#endif
