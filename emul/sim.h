/*
 * sim.h: the simulator: a run in virtual time. All nodes of the run are fibers.
 * The simulator switches to a node when its time has come, and delivers each
 * message at the time when it would arrive. The code is in emul/sim*.c.
 *
 * A node's main function computes, says by stn_sim_spend how long that takes,
 * and waits by stn_sim_wait. The simulator handles a message at its arrival, as
 * a progress thread would, even if the node computes at that time. This is
 * exact because state that handlers see doesn't change between two calls of
 * the simulator: a main function must call stn_sim_spend before it changes
 * state that handlers see.
 *
 * Events of the same time happen in the order in which they were caused; but
 * those caused by nodes of other clusters come first, ordered by the rank of
 * that node. Times are in ns from the start of the run.
 *
 * Several threads can run the simulation, each a share of the clusters
 * (sim_run.h). Calls for a node are for the thread of its share, or for any
 * thread while the simulation doesn't run.
 *
 * The simulator also calls functions at given times (stn_sim_at), for example a
 * function that kills a node.
 */
#ifndef STN_EMUL_SIM_H
#define STN_EMUL_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stn_sim; /* a share of the clusters */

/*
 * stn_sim_attend: sets the function for the work that node @rank does on its
 * own, without a message or a task. The simulator calls @look after each
 * message and each completed send of the node, whenever the node begins to
 * wait, and at the time that @look last returned (STN_FOREVER: never). NULL
 * removes it.
 */
typedef uint64_t stn_sim_look(void *arg);
void stn_sim_attend(struct stn_sim *sim, uint32_t rank, stn_sim_look *look,
		    void *arg);

/*
 * stn_sim_hint: node @rank uses these @bytes in most of its events, as long as
 * the simulation lasts. The simulator loads them into the processor's cache
 * ahead of the node's next event. It ignores a hint that it has no room for.
 */
void stn_sim_hint(struct stn_sim *sim, uint32_t rank, const void *memory,
		  size_t bytes);

/*
 * stn_sim_measure: the processor time that this thread has used since the last
 * call, in ns of the machine's time.
 */
uint64_t stn_sim_measure(struct stn_sim *sim);

/*
 * stn_sim_spend: for a node's main function: the node has computed for @ns, and
 * for the overheads of messages that it sent or received meanwhile. Returns
 * when these have passed; other events happen before.
 */
void stn_sim_spend(struct stn_sim *sim, uint64_t ns);

/*
 * stn_sim_wait: for a node's main function: returns at @until_ns, or when
 * stn_sim_wake is called for the node; at once if it was called since the last
 * wait.
 */
void stn_sim_wait(struct stn_sim *sim, uint64_t until_ns);

/*
 * stn_sim_steps: for a node's main function: the simulator calls @step(@arg)
 * now, as if the main function did. If it returns true, the node waits until
 * the time that it has set, as in stn_sim_wait, and then @step is called again;
 * else stn_sim_steps returns. @step must not wait or spend time. It runs on the
 * simulator's stack: that of the node, which is seldom in a cache if there are
 * many nodes, is not touched, and can be small.
 */
typedef bool stn_sim_step(void *arg, uint64_t *until_ns);
void stn_sim_steps(struct stn_sim *sim, stn_sim_step *step, void *arg);

/*
 * stn_sim_aside: for a node's main function: calls @call(@arg), which must not
 * wait or spend time, on the simulator's stack. So the node's stack, of which
 * each node of many has one, needs no room for what @call calls.
 */
void stn_sim_aside(struct stn_sim *sim, void (*call)(void *arg), void *arg);

/* stn_sim_wake: ends node @rank's wait; its next one if it doesn't wait. */
void stn_sim_wake(struct stn_sim *sim, uint32_t rank);

/*
 * stn_sim_look_by: lets the look of node @rank (stn_sim_attend) be called at
 * the time @at, if it would be called later. For the node itself.
 */
void stn_sim_look_by(struct stn_sim *sim, uint32_t rank, uint64_t at);

/*
 * stn_sim_nudge: calls the look of node @rank (stn_sim_attend) now. For a
 * callback of stn_sim_at.
 */
void stn_sim_nudge(struct stn_sim *sim, uint32_t rank);

/* stn_sim_now: the virtual time of the share. */
uint64_t stn_sim_now(const struct stn_sim *sim);

/*
 * stn_sim_running: the rank of the share's running node; in the scheduler
 * STN_NOBODY.
 */
uint32_t stn_sim_running(const struct stn_sim *sim);

/*
 * stn_sim_at: lets the scheduler call @callback(@arg) at the time @at_ns, or,
 * if that has passed, at the present time after all earlier events. Any caller,
 * also before stn_sim_run. The callback must not call stn_sim_spend or
 * stn_sim_wait.
 */
typedef void stn_sim_callback(void *arg);
void stn_sim_at(struct stn_sim *sim, uint64_t at_ns, stn_sim_callback *callback,
		void *arg);

/*
 * stn_sim_tell: as stn_sim_at, but node @from or a callback in its share lets
 * the share of node @to call @callback(@arg), after the least latency between
 * clusters; at once if there is one cluster, or if that latency is 0.
 */
void stn_sim_tell(struct stn_sim *sim, uint32_t from, uint32_t to,
		  stn_sim_callback *callback, void *arg);

/*
 * stn_sim_kill: node @rank dies: its main function never goes on, its look is
 * removed, and its transport (sim_transport.h) handles no message. Messages
 * that it has sent arrive nevertheless. Returns false, and does nothing, if the
 * node has ended or was killed before.
 *
 * Only if there is one thread. Must not be called while a node runs, so only by
 * a callback of stn_sim_at or outside stn_sim_run. The node is then inside
 * stn_sim_spend or stn_sim_wait, or has not begun; a node that wants to die
 * asks for a callback and waits.
 */
bool stn_sim_kill(struct stn_sim *sim, uint32_t rank);

#endif
