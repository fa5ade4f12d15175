/*
 * sateen.h: divide and conquer on clusters, and on clusters of clusters.
 *
 * A program declares tasks, spawns calls of them, and syncs:
 *
 *	STN_TASK(long, fib, int, n)
 *	{
 *		long x, y;
 *
 *		if (n < 2)
 *			return n;
 *		STN_SPAWN(fib, n - 1);
 *		y = STN_CALL(fib, n - 2);
 *		x = STN_SYNC(fib);
 *		return x + y;
 *	}
 *
 *	STN_MAIN(argc, argv)
 *	{
 *		long x = STN_CALL(fib, argc > 1 ? atoi(argv[1]) : 30);
 *
 *		printf("%ld\n", x);
 *		return 0;
 *	}
 *
 * The model is Satin's (van Nieuwpoort, Kielmann, Bal: "Efficient load
 * balancing for wide-area divide-and-conquer applications", PPoPP 2001): a
 * spawned call may run at any time until the sync, on any worker of any node.
 *
 * The one rule: a task computes from its arguments alone, and changes nothing
 * but its result and its out and inout buffers. Run where it was spawned, it
 * sees its caller's memory; stolen by another node, it sees copies, and its
 * outputs travel back. A program that keeps the rule can't tell which happened.
 *
 * Everything here may be used by any thread that is inside a task or inside
 * STN_MAIN's body, and by no other. Only STN_SYNC waits, and while it does the
 * worker runs other tasks.
 */
#ifndef STN_SATEEN_H
#define STN_SATEEN_H

#include <stdio.h>
#include "sateen_task.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * STN_TASK(result, name, type, argument, ...) { body }
 *
 * Declares and defines a task, static to its file, and begins its body.
 * @result  its result type: any complete type but an array, of at most
 *     STN_ARGUMENT_BYTES (88); larger results belong in an out buffer
 * @type, @argument  any number of pairs. A type is a scalar, a structure
 *     without pointers, or one of the three buffer types below. All together
 *     must fit STN_ARGUMENT_BYTES; larger data belongs in a buffer.
 *
 * A program's task names are unique: together with their argument types they
 * identify a task to every node of a run. Every STN_SPAWN in the body has its
 * STN_SYNC before the body returns; the runtime stops a program where not.
 */
#define STN_TASK(result, name, ...)                                            \
	STN_TASK_DECLARE_(VALUE, result, name, __VA_ARGS__)                    \
	STN_TASK_DEFINE_(result, name, __VA_ARGS__)

/* STN_TASK_VOID: as STN_TASK, for a task without a result. */
#define STN_TASK_VOID(name, ...)                                               \
	STN_TASK_DECLARE_(VOID, void, name, __VA_ARGS__)                       \
	STN_TASK_DEFINE_(void, name, __VA_ARGS__)

/*
 * STN_TASK_FORWARD, STN_TASK_VOID_FORWARD and STN_TASK_BODY: the two halves of
 * STN_TASK, for tasks that call each other.
 */
#define STN_TASK_FORWARD(result, name, ...)                                    \
	STN_TASK_DECLARE_(VALUE, result, name, __VA_ARGS__)
#define STN_TASK_VOID_FORWARD(name, ...)                                       \
	STN_TASK_DECLARE_(VOID, void, name, __VA_ARGS__)
#define STN_TASK_BODY(result, name, ...)                                       \
	STN_TASK_DEFINE_(result, name, __VA_ARGS__)

/*
 * STN_SPAWN(task, arguments...): this call of task may run elsewhere, until
 * its STN_SYNC. Buffers must live, and keep their contents, as long. Never
 * blocks; when the deque is full it runs the call in place.
 */
#define STN_SPAWN(task, ...) task##_spawn(stn_frame __VA_OPT__(, ) __VA_ARGS__)

/* STN_CALL(task, arguments...): calls task here and now; its result. */
#define STN_CALL(task, ...)                                                    \
	task##_call(stn_frame->deque,                                          \
		    stn_frame->head __VA_OPT__(, ) __VA_ARGS__)

/*
 * STN_SYNC(task): waits for the last call that this task (or STN_MAIN's body)
 * has spawned and not yet synced, which must be one of @task; its result. Its
 * outputs are in place. So syncs come in the reverse order of spawns; they are
 * looked at as far as costs nothing, and everywhere in programs compiled
 * without optimisation or with STN_CHECK defined. While it waits for a stolen
 * call it runs other work.
 */
#define STN_SYNC(task) task##_sync(stn_frame)

/*
 * A run has a clock: the machine's, or, under `sateen sim`, that of its virtual
 * time. Inside a task, or STN_MAIN's body:
 *
 * STN_SECONDS()     seconds on that clock, a double; differences count
 * STN_SLEEP(ns)     this worker does nothing for so long
 * STN_WORK(units)   this task has done so much, in units of the program's
 *     choice. A simulation may count by that what computing costs, and the
 *     statistics have the sum; it takes an addition.
 */
#define STN_SECONDS() stn_seconds(stn_frame->deque)
#define STN_SLEEP(ns) stn_sleep(stn_frame->deque, ns)
#define STN_WORK(units) stn_work(stn_frame->deque, units)
double stn_seconds(struct stn_deque *deque);
void stn_sleep(struct stn_deque *deque, uint64_t ns);

/*
 * Buffers: memory of the caller that a task reads (in), writes (out), or both
 * (inout). A task that was stolen by another node has copies of its in and
 * inout buffers; an out buffer's first contents are undefined there.
 *
 * @at      the first element
 * @rows    how many rows, each @row_bytes (under 4 GiB) long
 * @stride  bytes from the start of a row to the start of the next. It may
 *     differ from what the caller gave: copies are packed. Always use it.
 *
 * Out and inout buffers of calls that may run at the same time must not
 * overlap each other or any in buffer.
 */
struct stn_in {
	const void *at;
	uint32_t rows, row_bytes;
	uint64_t stride;
};
struct stn_out {
	void *at;
	uint32_t rows, row_bytes;
	uint64_t stride;
};
struct stn_inout {
	void *at;
	uint32_t rows, row_bytes;
	uint64_t stride;
};

/* A buffer of @count elements of the type that @pointer points to. */
#define STN_IN(pointer, count) STN_BUFFER_(stn_in, pointer, 1, count, count)
#define STN_OUT(pointer, count) STN_BUFFER_(stn_out, pointer, 1, count, count)
#define STN_INOUT(pointer, count)                                              \
	STN_BUFFER_(stn_inout, pointer, 1, count, count)

/* @rows rows of @count elements each, their starts @step elements apart. */
#define STN_IN_ROWS(pointer, rows, count, step)                                \
	STN_BUFFER_(stn_in, pointer, rows, count, step)
#define STN_OUT_ROWS(pointer, rows, count, step)                               \
	STN_BUFFER_(stn_out, pointer, rows, count, step)
#define STN_INOUT_ROWS(pointer, rows, count, step)                             \
	STN_BUFFER_(stn_inout, pointer, rows, count, step)

/*
 * STN_MAIN(argc, argv) { body }
 *
 * Defines main(). Its body runs on worker 0 of node 0, and may spawn; the
 * other nodes of the run serve until it returns. What it returns is the
 * program's exit status.
 */
#define STN_MAIN(argc, argv)                                                   \
	STN_TASK_TABLE_                                                        \
	static int stn_main_body(struct stn_frame *, int, char **);            \
	int main(int stn_argc, char **stn_argv)                                \
	{                                                                      \
		return stn_main(stn_argc, stn_argv, stn_main_body,             \
				STN_TASK_TABLE_BEGIN_, STN_TASK_TABLE_END_);   \
	}                                                                      \
	static int stn_main_body(                                              \
		__attribute__((unused)) struct stn_frame *stn_frame,           \
		__attribute__((unused)) int argc,                              \
		__attribute__((unused)) char **argv)

/*
 * stn_main: what STN_MAIN's main() calls. Reads the run's configuration from
 * STN_* variables, joins the run, runs @body on node 0 and serves elsewhere.
 * @tasks, @end  the program's task table
 * Returns the process's exit status: what @body returned on node 0, 0 on other
 * nodes; EXIT_FAILURE, after one line on stderr, if the run could not begin, or
 * if standard output could not be written. A run that breaks off ends the
 * process the same way.
 */
int stn_main(int argc, char **argv,
	     int (*body)(struct stn_frame *, int, char **),
	     const struct stn_task *const *tasks,
	     const struct stn_task *const *end);

/*
 * stn_launch: starts a program as the nodes of a run on this host and waits
 * for all of them; what `sateen run` does. If the transport is sim, this
 * process becomes the simulation.
 * @argc, @argv  options, then the program and its arguments; argv[0] is the
 *     command's name: with "sim", nothing but a simulation will do
 * Returns an exit status: node 0's, or EXIT_FAILURE, after one line on stderr
 * that says what was wrong. When it returns, all nodes have ended.
 * Blocks; for a process without other children.
 */
int stn_launch(int argc, char **argv);

/*
 * stn_launch_tool: starts one of Sateen's own tools as a run of two nodes with
 * a worker each, unless the arguments say otherwise.
 * @argc, @argv  argv[0] is the tool's file; behind it stand settings, as those
 *     of `sateen run`, and the tool's own arguments, in any order
 * Returns an exit status, as stn_launch.
 */
int stn_launch_tool(int argc, char **argv);

/*
 * stn_info: writes which transports were built and can be used here, and every
 * setting with its value, default, unit and help; what `sateen info` does.
 * Returns an exit status, as stn_launch.
 */
int stn_info(FILE *out);

#ifdef __cplusplus
}
#endif

#endif
