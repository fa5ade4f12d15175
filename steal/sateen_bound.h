/*
 * sateen_bound.h: values that any task may improve, and all tasks read. A part
 * of <sateen.h>, which programs include.
 *
 * Branch and bound: a search keeps the best solution that it has found, and
 * leaves out the subtrees that can't contain a better one. If the search has
 * tasks on many nodes, a solution that one task finds should help all others. A
 * bound is the value of the best solution so far, which all tasks share. For
 * example, the heaviest subset of 64 things:
 *
 *	STN_TASK_VOID(subset, struct stn_bound, most, uint64_t, chosen, int, i,
 *		      int64_t, sum)
 *	{
 *		const struct stn_incumbent *at = STN_BOUND_AT(most);
 *
 *		if (STN_CUTS_MAX(at, sum + most_of_rest(i), chosen))
 *			return;
 *		if (i == 64) {
 *			STN_IMPROVE(most, sum, chosen, &chosen, sizeof(chosen));
 *			return;
 *		}
 *		STN_SPAWN(subset, most, chosen | 1ull << (63 - i), i + 1,
 *			  sum + weight(i));
 *		STN_CALL(subset, most, chosen, i + 1, sum);
 *		STN_SYNC(subset);
 *	}
 *
 *	struct stn_bound most = STN_BOUND_MAX(-1);
 *	uint64_t chosen = 0;
 *
 *	STN_CALL(subset, most, 0, 0, 0);
 *	sum = STN_BEST(most, &chosen, sizeof(chosen));
 *
 * The key of a solution is its place in search order: of equally good
 * solutions, the one with the lowest key counts. The key of a subtree is the
 * lowest key of its solutions. Solutions that one call finds, one after the
 * other, may share a key; so it is enough to number the calls that spawn
 * nothing.
 *
 * The rule: the search finds all solutions except those in subtrees that
 * STN_CUTS_MIN or STN_CUTS_MAX allows it to leave out, and the key of a
 * solution does not depend on where tasks run. If a program keeps the rule, its
 * answer, the value of STN_BEST and its witness, is the same on any number of
 * nodes, with any balancer, and after the deaths of nodes. How many places the
 * search visits depends on when improvements arrive. The results and the out
 * buffers of tasks that have a bound among their arguments may depend on that,
 * too; so these tasks usually have neither.
 *
 * Threads: all these calls are for STN_MAIN's body, for tasks, and for the
 * functions that help them; only stn_watch_look is for other threads of the
 * program, too. None waits for another node. STN_BOUND_MIN, STN_BOUND_MAX,
 * STN_IMPROVE, STN_BEST, STN_SCOPE, STN_CLOSE, STN_CLOSE_ANY, STN_SOLVED and
 * stn_watch_look take a lock of the node. So does STN_BOUND_AT, when the node
 * does not know the bound yet. The others take no lock, except STN_POLL in a
 * simulation.
 *
 * Errors: the run ends with one line if there is no memory for a bound or a
 * witness, if a witness is longer than 4096 bytes, or if STN_BEST asks for
 * another number of bytes than the witness has.
 */
#ifndef STN_SATEEN_BOUND_H
#define STN_SATEEN_BOUND_H

#include "sateen_incumbent.h"
#include "sateen_record.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A bound. A task gets it as an argument of its own, not as a member of a
 * structure or of a buffer, because the runtime must know which tasks have a
 * bound.
 */
struct stn_bound {
	uint64_t number;
};

/*
 * STN_BOUND_MIN(limit), STN_BOUND_MAX(limit): makes a bound of a minimum, or of
 * a maximum. Solutions count if their values are less, or more, than @limit, an
 * int64_t. STN_MAIN's body or a task makes the bound, and passes it to the
 * tasks that it spawns or calls. The runtime keeps it, with its witness, until
 * the run ends; a program can't free it.
 */
#define STN_BOUND_MIN(limit) stn_bound_make(stn_frame->deque, false, limit)
#define STN_BOUND_MAX(limit) stn_bound_make(stn_frame->deque, true, limit)

/*
 * STN_BOUND_AT(bound): this node's copy of the incumbent, which is the best
 * solution that the node knows: a const struct stn_incumbent *, never NULL. The
 * runtime owns it and changes it when an improvement arrives. The pointer is
 * valid until the task that has asked for it ends. A task asks once, and passes
 * the pointer to the plain functions that it calls, but not to other tasks.
 */
#define STN_BOUND_AT(bound) stn_bound_at(stn_frame->deque, bound)

/*
 * STN_BOUND_READ(at): the value of the incumbent, by one load; the limit, if
 * there is no incumbent yet. It changes at any time, but only for the better.
 *
 * STN_CUTS_MIN(at, value, key), STN_CUTS_MAX(at, value, key): whether the
 * search may leave out a subtree in which no solution is less, or more, than
 * @value, and none has a lower key than @key. One load, or three if @value is
 * the incumbent's.
 */
#define STN_BOUND_READ(at) stn_incumbent_value(at)
#define STN_CUTS_MIN(at, value, key) stn_incumbent_cuts_min(at, value, key)
#define STN_CUTS_MAX(at, value, key) stn_incumbent_cuts_max(at, value, key)

/*
 * STN_IMPROVE(bound, value, key, witness, bytes): the task has found a
 * solution. If it is better than this node's incumbent, or as good and with a
 * lower key, it becomes the incumbent of this node at once, and of the other
 * nodes later, in the background. Otherwise the call does nothing.
 * @witness  describes the solution to the program: @bytes bytes without
 *     pointers, which the call copies; 4096 at most, and the same number for
 *     all solutions of the bound. May be NULL if @bytes is 0.
 */
#define STN_IMPROVE(bound, value, key, witness, bytes)                         \
	stn_bound_improve(stn_frame->deque, bound, value, key, witness, bytes)

/*
 * STN_BEST(bound, witness, bytes): returns the value of the best solution, and
 * copies its witness to the @bytes bytes at @witness. If there is no solution,
 * it returns the limit and leaves @witness unchanged. For the task that has
 * made the bound, when it has synced all calls that have got the bound; at
 * other times, and in other tasks, a better solution may still be on its way.
 */
#define STN_BEST(bound, witness, bytes)                                        \
	stn_bound_best(stn_frame->deque, bound, witness, bytes)

/*
 * STN_SCOPE(): makes a bound for a search that needs one solution: a solution
 * closes the scope, and the search ends early. The macro's value is a struct
 * stn_bound.
 *
 * STN_CLOSED(at, key): whether the scope is closed at @key: then the search may
 * leave out that place and all later ones. @at is STN_BOUND_AT(scope). A task
 * asks at its beginning, and again from time to time if it goes on for long.
 * Then all tasks return soon after the scope was closed; those that begin later
 * return at once.
 *
 * STN_CLOSE(scope, key, witness, bytes): the task has found a solution at @key:
 * closes the scope at @key and all later places. So the answer is the first
 * solution in search order, on any number of nodes. @key is less than
 * UINT64_MAX, or else the run ends with one line. @witness and @bytes are as in
 * STN_IMPROVE.
 * STN_CLOSE_ANY(scope, witness, bytes): closes the scope at all places. The
 * answer may differ between runs.
 *
 * STN_SOLVED(scope, witness, bytes): whether there is a solution; copies its
 * witness to @witness. Called when STN_BEST may be.
 */
#define STN_SCOPE() STN_BOUND_MIN(INT64_MAX)
#define STN_CLOSED(at, key) stn_scope_closed(at, key)
#define STN_CLOSE(scope, key, witness, bytes)                                  \
	stn_scope_close(stn_frame->deque, scope, key, witness, bytes)
#define STN_CLOSE_ANY(scope, witness, bytes)                                   \
	STN_CLOSE(scope, 0, witness, bytes)
#define STN_SOLVED(scope, witness, bytes)                                      \
	(STN_BEST(scope, witness, bytes) < INT64_MAX)

/*
 * STN_POLL(units): like STN_WORK, for a search that goes on for long without a
 * spawn, call or sync. In a simulation, improvements of other nodes arrive
 * during the call, at their virtual time. It costs an addition and a
 * comparison.
 */
#define STN_POLL(units) stn_poll(stn_frame->deque, units)

/*
 * STN_WATCH(bound): returns a struct stn_watch, by which a thread of the
 * program that runs no tasks can look at the bound, for example to show its
 * value to the user. STN_MAIN's body calls it. The watch is valid until the
 * body returns; it needs no freeing.
 * @search    NULL in a simulation, where no other thread may look
 * @terminal  whether the run's standard output goes to a terminal. `sateen run`
 *     may pass the output of nodes on, and tells nodes of its own host by the
 *     variable STN_TERMINAL that it writes to a terminal
 *
 * stn_watch_look(watch, sighting, witness, bytes): whether this node knows a
 * solution; if so, copies it to *@sighting, and its witness to the @bytes bytes
 * at @witness. Also false if the witness has another length, and in a
 * simulation. Any thread; takes a lock of the node for a short time, so not in
 * a signal handler.
 */
struct stn_search;
struct stn_watch {
	struct stn_search *search;
	uint64_t number;
	bool terminal;
};
struct stn_sighting {
	int64_t value;
	uint32_t node;	/* the node that has found it */
	double seconds; /* when this node learned of it, as by STN_SECONDS */

	/*
	 * The sums of STN_PROGRESS. Set even if no solution is known, but not
	 * in a simulation.
	 */
	uint64_t done, total;
};
#define STN_WATCH(bound) stn_bound_watch(stn_frame->deque, bound)
#define STN_TERMINAL "STN_TERMINAL"

struct stn_watch stn_bound_watch(struct stn_deque *deque,
				 struct stn_bound bound);
bool stn_watch_look(const struct stn_watch *watch,
		    struct stn_sighting *sighting, void *witness, size_t bytes);
struct stn_bound stn_bound_make(struct stn_deque *deque, bool max,
				int64_t limit);
const struct stn_incumbent *stn_bound_at(struct stn_deque *deque,
					 struct stn_bound bound);
void stn_bound_improve(struct stn_deque *deque, struct stn_bound bound,
		       int64_t value, uint64_t key, const void *witness,
		       size_t bytes);
int64_t stn_bound_best(struct stn_deque *deque, struct stn_bound bound,
		       void *witness, size_t bytes);
void stn_scope_close(struct stn_deque *deque, struct stn_bound scope,
		     uint64_t key, const void *witness, size_t bytes);
void stn_poll_slow(struct stn_deque *deque);

/* The value of a solution of a scope at @key: lower keys have lower values. */
STN_INLINE_ int64_t
stn_close_value(uint64_t key)
{
	return (int64_t)(key ^ UINT64_C(1) << 63);
}

/* An open scope has the highest value, which no solution has. */
STN_INLINE_ bool
stn_scope_closed(const struct stn_incumbent *at, uint64_t key)
{
	int64_t value = stn_incumbent_value(at);

	return value <= stn_close_value(key) && value != INT64_MAX;
}

STN_INLINE_ void
stn_poll(struct stn_deque *deque, uint64_t units)
{
	deque->work += units;
	if (!STN_LIKELY(deque->work < deque->poll))
		stn_poll_slow(deque);
}

#ifdef __cplusplus
}
#endif

#endif
