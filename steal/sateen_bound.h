/*
 * sateen_bound.h: values that any task may improve, and all tasks read. A part
 * of <sateen.h>, which programs include.
 *
 * Branch and bound: a search keeps the best solution that it has found, and
 * leaves out what can't be better. With tasks on many nodes, all of them should
 * know the best value that any has found. A bound is such a value. For example,
 * the heaviest subset of 64 things:
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
 * The rule: the search finds all solutions, in an order that does not depend on
 * where its tasks run, except those below a node of the search that
 * STN_CUTS_MIN or STN_CUTS_MAX cuts. If a program keeps the rule, its answer,
 * the value of STN_BEST and its witness, is the same on any number of nodes,
 * with any balancer, and after the deaths of nodes. The number of nodes of the
 * search that it visits depends on when improvements arrive. So may the results
 * and the out buffers of tasks that have a bound among their arguments; these
 * tasks usually have neither.
 *
 * The key is a place in search order: of equally good solutions, the one with
 * the lowest key counts. A node of the search has the lowest key of all
 * solutions below it. Solutions that one call finds, one after the other, may
 * share a key; so it is enough to number the calls that spawn nothing.
 */
#ifndef STN_SATEEN_BOUND_H
#define STN_SATEEN_BOUND_H

#include "sateen_incumbent.h"
#include "sateen_record.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A bound, as an argument of a task: an argument of its own, not a member of a
 * structure or of a buffer, because the runtime must see it.
 */
struct stn_bound {
	uint64_t number;
};

/*
 * STN_BOUND_MIN(limit), STN_BOUND_MAX(limit): makes a bound of a minimum or a
 * maximum. Solutions count if their values are less, or more, than @limit, an
 * int64_t. STN_MAIN's body or a task makes it, and passes it to the tasks that
 * it spawns or calls. The runtime keeps it until the run ends.
 */
#define STN_BOUND_MIN(limit) stn_bound_make(stn_frame->deque, false, limit)
#define STN_BOUND_MAX(limit) stn_bound_make(stn_frame->deque, true, limit)

/*
 * STN_BOUND_AT(bound): this node's copy of the incumbent, a const struct
 * stn_incumbent *. Valid until the call ends that has asked for it. A call asks
 * once, and plain functions that it calls get the pointer.
 */
#define STN_BOUND_AT(bound) stn_bound_at(stn_frame->deque, bound)

/*
 * STN_BOUND_READ(at): the value of the incumbent, by one load; the limit, if
 * there is no incumbent yet. It changes at any time, but only for the better.
 *
 * STN_CUTS_MIN(at, value, key), STN_CUTS_MAX(at, value, key): whether the
 * search may leave out a node below which no solution is less, or more, than
 * @value, or earlier than @key. One load, or three if @value is the
 * incumbent's.
 */
#define STN_BOUND_READ(at) stn_incumbent_value(at)
#define STN_CUTS_MIN(at, value, key) stn_incumbent_cuts_min(at, value, key)
#define STN_CUTS_MAX(at, value, key) stn_incumbent_cuts_max(at, value, key)

/*
 * STN_IMPROVE(bound, value, key, witness, bytes): a solution was found: if it
 * is better than this node's incumbent, or as good and earlier in search order,
 * it becomes the incumbent here, and spreads to the other nodes in the
 * background.
 * @witness  what the program wants to know of the solution: @bytes bytes, which
 *     are copied, without pointers. 4096 at most, and the same number for all
 *     solutions. With 0 bytes, NULL.
 */
#define STN_IMPROVE(bound, value, key, witness, bytes)                         \
	stn_bound_improve(stn_frame->deque, bound, value, key, witness, bytes)

/*
 * STN_BEST(bound, witness, bytes): the value of the best solution, whose
 * witness it copies to @witness. If there is no solution, the limit, and
 * @witness stays unchanged. Called by the task that has made the bound, after
 * the last sync of a call that has got it.
 */
#define STN_BEST(bound, witness, bytes)                                        \
	stn_bound_best(stn_frame->deque, bound, witness, bytes)

/*
 * STN_SCOPE(): a bound for searches that end early: any solution is as good as
 * another, and a solution closes the scope. Its value is struct stn_bound.
 *
 * STN_CLOSED(at, key): whether the search may leave out what comes at @key or
 * later. @at is STN_BOUND_AT(scope). A call asks at its beginning, and again
 * and again if it goes on for long without a call; then all calls return soon
 * after the scope was closed, queued ones without doing anything.
 *
 * STN_CLOSE(scope, key, witness, bytes): a solution was found at @key: closes
 * the scope for what comes later. So the answer is the first solution in search
 * order, on any number of nodes. @key is less than UINT64_MAX.
 * STN_CLOSE_ANY(scope, witness, bytes): closes the scope for everything. The
 * answer may differ between runs.
 *
 * STN_SOLVED(scope, witness, bytes): whether there is a solution; copies its
 * witness, as STN_BEST does.
 */
#define STN_SCOPE() STN_BOUND_MIN(INT64_MAX)
#define STN_CLOSED(at, key) (stn_incumbent_value(at) <= stn_close_value(key))
#define STN_CLOSE(scope, key, witness, bytes)                                  \
	STN_IMPROVE(scope, stn_close_value(key), 0, witness, bytes)
#define STN_CLOSE_ANY(scope, witness, bytes)                                   \
	STN_CLOSE(scope, 0, witness, bytes)
#define STN_SOLVED(scope, witness, bytes)                                      \
	(STN_BEST(scope, witness, bytes) < INT64_MAX)

/*
 * STN_POLL(units): STN_WORK, in a search that goes on for long without a spawn,
 * call or sync: in a simulation, improvements arrive meanwhile, at their
 * virtual time. It costs an addition and a comparison.
 */
#define STN_POLL(units) stn_poll(stn_frame->deque, units)

struct stn_bound stn_bound_make(struct stn_deque *deque, bool max,
				int64_t limit);
const struct stn_incumbent *stn_bound_at(struct stn_deque *deque,
					 struct stn_bound bound);
void stn_bound_improve(struct stn_deque *deque, struct stn_bound bound,
		       int64_t value, uint64_t key, const void *witness,
		       size_t bytes);
int64_t stn_bound_best(struct stn_deque *deque, struct stn_bound bound,
		       void *witness, size_t bytes);
void stn_poll_slow(struct stn_deque *deque);

/* The value of a solution at @key: in the order of keys. */
STN_INLINE_ int64_t
stn_close_value(uint64_t key)
{
	return (int64_t)(key ^ UINT64_C(1) << 63);
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
