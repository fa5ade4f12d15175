/*
 * sateen.h: divide and conquer on clusters, and on clusters of clusters.
 *
 * A program declares tasks, spawns calls of them, and syncs:
 *
 *	#include <stdio.h>
 *	#include <stdlib.h>
 *	#include <sateen.h>
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
 * balancing for wide-area divide-and-conquer applications", PPoPP 2001). A
 * spawned call may run at any time until its sync, on any worker of any node.
 *
 * The rule: a task computes from its arguments alone, and changes nothing but
 * its result and its out and inout buffers. A task that runs on the node that
 * spawned it sees its caller's memory. A task that another node has stolen sees
 * copies, and its outputs travel back. If a program keeps the rule, it can't
 * tell where its tasks ran. In particular, nodes share no global variables,
 * except where all nodes are in one process (the transports loop and sim).
 *
 * Threads: a task runs on one worker from its beginning to its end. A worker is
 * a thread; in a simulation all nodes of a cluster share one, and with
 * --threads several threads simulate clusters at the same time. STN_SPAWN,
 * STN_CALL, STN_SYNC, STN_SECONDS, STN_SLEEP, STN_WORK and STN_PROGRESS are for
 * the threads that run a task or STN_MAIN's body. They stand in a task, in
 * STN_MAIN's body, or in a helper (see STN_FRAME). While a task waits in
 * STN_SYNC, its worker runs other tasks on the same stack. So a task holds no
 * lock, and keeps nothing in thread-local variables, from before an STN_SPAWN
 * or STN_SYNC until after it.
 *
 * Errors: these macros return no errors. If memory runs out, the stack
 * overflows, or spawns and syncs don't match, all processes of the run end,
 * with one line on stderr and a status that isn't 0. They end in the
 * same way when a node dies in a run that does not survive deaths (--survive).
 *
 * C++: from C++11 with GNU extensions. Arguments and results are trivially
 * copyable, and no exception leaves a task. <sateen.hpp> has typed calls for
 * C++17.
 */
#ifndef STN_SATEEN_H
#define STN_SATEEN_H

#include "sateen_bound.h"
#include "sateen_const.h"
#include "sateen_range.h"
#include "sateen_task.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * STN_TASK(result, name, type, argument, ...) { body }
 *
 * Declares and defines a task that is static to its file, and begins its body.
 * @result  type of the result: any complete type but an array, of at most
 *     STN_ARGUMENT_BYTES (88). A larger result belongs in an out buffer.
 * @name  differs from the names of all other tasks of the program and of its
 *     libraries: names, result types and argument types identify the tasks to
 *     all nodes of a run. If two tasks have one name, or if nodes have
 *     different tasks, the run ends before it begins. The macro declares
 *     identifiers that begin with it: name_task, name_arguments, name_body,
 *     name_call, name_run, name_spawn, name_sync and some others.
 * @type, @argument  any number of pairs. A type is a scalar, a structure
 *     without pointers, or one of the three buffer types below. In memory, one
 *     after the other as in a structure, the arguments take at most
 *     STN_ARGUMENT_BYTES; a buffer takes 24. Larger data belongs in a buffer.
 *     No type is aligned to more than 8 bytes.
 *
 * An address means nothing on another node. So the compiler refuses arguments
 * and results that are pointers to data or to functions, and in C++ references
 * and pointers to members. The compiler can't look into structures: a structure
 * that contains a pointer compiles, and the pointer is dangling where another
 * node runs the call. All this also holds for tasks that the program only
 * calls; a helper (STN_FRAME) may take pointers.
 *
 * Every STN_SPAWN in the body has its STN_SYNC before the body returns. If one
 * has none, the runtime stops the program with a line that names the task.
 */
#define STN_TASK(result, name, ...)                                            \
	STN_TASK_DECLARE_(VALUE, result, name, __VA_ARGS__)                    \
	STN_TASK_DEFINE_(result, name, __VA_ARGS__)

/* STN_TASK_VOID: like STN_TASK, for a task without a result. */
#define STN_TASK_VOID(name, ...)                                               \
	STN_TASK_DECLARE_(VOID, void, name, __VA_ARGS__)                       \
	STN_TASK_DEFINE_(void, name, __VA_ARGS__)

/*
 * STN_TASK_FORWARD(result, name, type, argument, ...);
 * STN_TASK_VOID_FORWARD(name, type, argument, ...);
 * STN_TASK_BODY(result, name, type, argument, ...) { body }
 *
 * The two halves of STN_TASK, for tasks that call each other: the declaration,
 * and, later in the same file and with the same types, the body. The result of
 * a body that belongs to STN_TASK_VOID_FORWARD is void.
 */
#define STN_TASK_FORWARD(result, name, ...)                                    \
	STN_TASK_DECLARE_(VALUE, result, name, __VA_ARGS__)                    \
	struct name##_arguments
#define STN_TASK_VOID_FORWARD(name, ...)                                       \
	STN_TASK_DECLARE_(VOID, void, name, __VA_ARGS__)                       \
	struct name##_arguments
#define STN_TASK_BODY(result, name, ...)                                       \
	STN_TASK_DEFINE_(result, name, __VA_ARGS__)

/*
 * STN_TASK_EXTERN(result, name, type, argument, ...);
 * STN_TASK_VOID_EXTERN(name, type, argument, ...);
 * STN_TASK_DEFINE(result, name, type, argument, ...) { body }
 * STN_TASK_VOID_DEFINE(name, type, argument, ...) { body }
 *
 * A task that several files share, for example a task of a library. A header
 * declares the task, and all files that include the header may spawn, call and
 * sync it:
 *
 *	STN_TASK_EXTERN(long, fib, int, n);
 *
 * One file includes the header and defines the task, with the same types:
 *
 *	STN_TASK_DEFINE(long, fib, int, n)
 *	{
 *		...
 *	}
 *
 * The compiler inlines calls of the task only in the file that defines it.
 *
 * A library of tasks may be static or shared, in C or in C++, and may also have
 * tasks by STN_TASK, with names that no other task of the process has. A shared
 * library of tasks needs the shared libsateen. The program links the library,
 * or loads it by dlopen before stn_main is called. The library stays loaded. If
 * it is loaded later, the process ends, after one line on stderr.
 */
#define STN_TASK_EXTERN(result, name, ...)                                     \
	STN_TASK_EXTERN_(VALUE, result, name, __VA_ARGS__)                     \
	struct name##_arguments
#define STN_TASK_VOID_EXTERN(name, ...)                                        \
	STN_TASK_EXTERN_(VOID, void, name, __VA_ARGS__)                        \
	struct name##_arguments
#define STN_TASK_DEFINE(result, name, ...)                                     \
	STN_TASK_OBJECT_(, STN_DEFINED_, VALUE, result, name, __VA_ARGS__)     \
	STN_TASK_DEFINE_(result, name, __VA_ARGS__)
#define STN_TASK_VOID_DEFINE(name, ...)                                        \
	STN_TASK_OBJECT_(, STN_DEFINED_, VOID, void, name, __VA_ARGS__)        \
	STN_TASK_DEFINE_(void, name, __VA_ARGS__)

/*
 * STN_SPAWN(task, arguments...): lets a call of the task run at any time until
 * its STN_SYNC, here or on another worker or node. Arguments are copied. Until
 * the STN_SYNC the caller frees none of the memory behind the buffers, writes
 * to none of it, and does not read the out and inout buffers. Has no value.
 * Never waits; if the worker's deque is full, it runs the call in place.
 */
#define STN_SPAWN(task, ...) task##_spawn(stn_frame __VA_OPT__(, ) __VA_ARGS__)

/*
 * STN_CALL(task, arguments...): calls the task on this worker, like a function.
 * Its value is the task's result.
 */
#define STN_CALL(task, ...) task##_enter(stn_frame __VA_OPT__(, ) __VA_ARGS__)

/*
 * STN_SYNC(task): waits for the last call that this task (or STN_MAIN's body)
 * has spawned and not yet synced, and runs it if nobody has taken it. Its value
 * is the call's result, and the call's outputs are in place. While a stolen
 * call isn't finished, the worker runs other tasks.
 *
 * The last spawned call must be one of @task, so syncs come in the reverse
 * order of spawns. The runtime always stops a program if the order is wrong and
 * the call was stolen. Programs that are compiled without optimisation, or with
 * STN_CHECK defined before <sateen.h>, check the order of all syncs.
 */
#define STN_SYNC(task) task##_sync(stn_frame)

/*
 * STN_FRAME, STN_PASS_FRAME: helpers, which are plain functions that spawn,
 * call and sync for the task (or STN_MAIN's body) that calls them. A helper
 * declares STN_FRAME as a parameter, and each of its calls passes
 * STN_PASS_FRAME there:
 *
 *	static long
 *	sum(STN_FRAME, int n)
 *	{
 *		long x = 0;
 *
 *		for (int i = 0; i < n; i++)
 *			STN_SPAWN(fib, i);
 *		for (int i = 0; i < n; i++)
 *			x += STN_SYNC(fib);
 *		return x;
 *	}
 *
 *	STN_TASK(long, sums, int, n)
 *	{
 *		return sum(STN_PASS_FRAME, n) + sum(STN_PASS_FRAME, n + 1);
 *	}
 *
 * A call that a helper spawns belongs to the task: the helper or the task syncs
 * it. A helper runs on its caller's worker, so its parameters may be pointers.
 * The task's own thread calls the helper, before the task returns. In C++ a
 * helper may also be a member function; a lambda captures the frame instead.
 *
 * STN_FRAME declares the name stn_frame, to which STN_SPAWN and the other
 * macros refer. If a compiler reports that stn_frame is not declared, the
 * function lacks STN_FRAME.
 */
#define STN_FRAME struct stn_frame *stn_frame
#define STN_PASS_FRAME stn_frame

/*
 * Time. A run's clock is the machine's, or under `sateen sim` the simulation's
 * virtual clock.
 *
 * STN_SECONDS()     the time on that clock in seconds, a double. Only
 *     differences between two times on one node mean something. If a node's
 *     death or leaving makes the body of STN_MAIN run again, calls of arrays
 *     that it has made before return at once; until it has made the last of
 *     them, its clock shows when the next of them was made.
 * STN_SLEEP(ns)     blocks this worker for that many nanoseconds on that clock,
 *     a uint64_t, without running other tasks
 * STN_WORK(units)   tells that this task has done that much work, a uint64_t.
 *     The program chooses the unit: a thing that takes about the same time
 *     everywhere, for example a board that was looked at. A simulation may
 *     charge time by it (`sateen sim --cost counted`), and the run's statistics
 *     have the sum. It costs an addition, so a leaf does it once.
 *
 * STN_FUSES()       whether the program may use instructions for fused
 *     multiply-add. The answer is the same on all nodes of a run, so that
 *     results have the same bits everywhere: true if the processors of all
 *     nodes with which the run begins have them, unless --fuse is no.
 */
#define STN_SECONDS() stn_seconds(stn_frame->deque)
#define STN_SLEEP(ns) stn_sleep(stn_frame->deque, ns)
#define STN_WORK(units) stn_work(stn_frame->deque, units)
#define STN_FUSES() stn_fuses(stn_frame->deque)
double stn_seconds(struct stn_deque *deque);
bool stn_fuses(struct stn_deque *deque);
void stn_sleep(struct stn_deque *deque, uint64_t ns);

/*
 * STN_PROGRESS(done, known): tells the user how far the run is, by a progress
 * bar, `sateen top` and --metrics of `sateen run`. The task has done @done more
 * units of work, and has found that the run has @known more units than all
 * tasks have told so far. Usually main tells all units once, before its first
 * spawn: STN_PROGRESS(0, leaves); and each leaf tells that it has done its
 * part: STN_PROGRESS(1, 0).
 * @done, @known  uint64_t; the program chooses the unit. All units should take
 *     about the same time, because the bar estimates from them when the run
 *     ends. The sums of both over all tasks of the run are less than 2^64.
 * The thread is that of a task, of STN_MAIN's body or of a helper, as for
 * STN_WORK. The call costs two additions on the worker's own memory (two loads,
 * two stores, no atomic read-modify-write), and never waits. The sums travel to
 * the root in the background, at most twice a second. Nothing depends on them.
 * If a node dies, units may count again or be lost; the bar never shows more
 * than 100 %. A simulation ignores them.
 */
#define STN_PROGRESS(done, known) stn_progress(stn_frame->deque, done, known)

/*
 * STN_PROGRESS_END(): the program has done its work, and STN_MAIN's body is
 * going to print. Removes the progress bar from the terminal, and no bar is
 * shown from then on. Without a bar it does nothing. Costs a lock of the node
 * and, if there was a bar, a write to the terminal.
 */
#define STN_PROGRESS_END() stn_progress_end(stn_frame->deque)
void stn_progress_end(struct stn_deque *deque);

/*
 * Buffers: the caller's memory that a task reads (in), writes (out), or both
 * (inout). The caller owns the memory. If another node has stolen the call, the
 * task sees copies of its in and inout buffers, and the contents of an out
 * buffer are undefined until the task writes them. The runtime owns the copies,
 * and frees them when the task has returned. A task writes an out buffer whole:
 * all bytes of it travel back.
 *
 * @at         the first element. Copies are aligned to 64 bytes.
 * @rows       number of rows, less than 2^32
 * @row_bytes  bytes of a row, less than 4 GiB. A program that makes a buffer
 *     with more or longer rows ends, after one line on stderr.
 * @stride     bytes from the start of a row to the start of the next. A task
 *     always uses the stride of the buffer that it gets: copies are packed, so
 *     there the stride differs from the caller's.
 *
 * An out or inout buffer of a call overlaps none of its other buffers. The out
 * and inout buffers of calls that may run at the same time overlap neither each
 * other nor an in buffer.
 *
 * In C++ a class that is derived from a buffer is a buffer, too. It has no
 * further members.
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

/*
 * STN_IN(pointer, count), STN_OUT, STN_INOUT: a buffer of one row, with @count
 * elements of the type that @pointer points to (not void). @count may be
 * evaluated twice.
 */
#define STN_IN(pointer, count) STN_BUFFER_(stn_in, pointer, 1, count, count)
#define STN_OUT(pointer, count) STN_BUFFER_(stn_out, pointer, 1, count, count)
#define STN_INOUT(pointer, count)                                              \
	STN_BUFFER_(stn_inout, pointer, 1, count, count)

/*
 * STN_IN_ROWS(pointer, rows, count, step), STN_OUT_ROWS, STN_INOUT_ROWS: a
 * buffer of @rows rows with @count elements each, for example a block of a
 * matrix. The starts of two neighbouring rows are @step elements apart.
 */
#define STN_IN_ROWS(pointer, rows, count, step)                                \
	STN_BUFFER_(stn_in, pointer, rows, count, step)
#define STN_OUT_ROWS(pointer, rows, count, step)                               \
	STN_BUFFER_(stn_out, pointer, rows, count, step)
#define STN_INOUT_ROWS(pointer, rows, count, step)                             \
	STN_BUFFER_(stn_inout, pointer, rows, count, step)

/*
 * STN_MAIN(argc, argv) { body }
 *
 * Defines main(). The body runs on worker 0 of node 0, with the program's own
 * arguments, and may do all that a task may do. The other workers and nodes run
 * stolen tasks until the body returns. The body returns an int, which is the
 * run's exit status.
 *
 * If node 0 dies or leaves in a run that survives deaths, the body runs again
 * from its beginning, on the living node with the lowest rank. The run does not
 * print again what the first body had printed; all else that the body does, for
 * example writing a file, may happen twice.
 */
#define STN_MAIN(argc, argv)                                                   \
	static int stn_main_body(struct stn_frame *, int, char **);            \
	int main(int stn_argc, char **stn_argv)                                \
	{                                                                      \
		return stn_main(stn_argc, stn_argv, stn_main_body);            \
	}                                                                      \
	static int stn_main_body(__attribute__((unused)) STN_FRAME,            \
				 __attribute__((unused)) int argc,             \
				 __attribute__((unused)) char **argv)

/*
 * stn_main: makes this process a node of a run, or all nodes. STN_MAIN's main()
 * calls it; a program with a main() of its own calls it once, before it starts
 * threads. Reads the run's settings from STN_* variables and joins the
 * run. On the root, the living node with the lowest rank, it runs @body; other
 * nodes run stolen tasks. Blocks until the run has ended. Returns the process's
 * exit status: on the root what @body has returned, on other nodes 0. Returns
 * EXIT_FAILURE, after one line on stderr, if the run could not begin, or if
 * standard output could not be written. If a run breaks off, the process ends
 * at once, also with one line and EXIT_FAILURE.
 */
int stn_main(int argc, char **argv,
	     int (*body)(struct stn_frame *, int, char **));

/*
 * stn_launch: starts a program as the nodes of a run and waits for all nodes,
 * as `sateen run` does. If the transport is sim, this process becomes the
 * simulation.
 * @argc, @argv  argv[0] is the command's name, then come the options of
 *     `sateen run`, then the program and its arguments. If argv[0] is "sim",
 *     another transport than sim is refused. If it is "agent", this process is
 *     the agent of a host, which `sateen run` starts by ssh.
 * Returns an exit status: node 0's; or EXIT_FAILURE, or 2 if an option or a
 * variable is wrong, after one line on stderr. Blocks until all nodes have
 * ended. The calling process has no other child processes.
 */
int stn_launch(int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif
