/*
 * sleep.h: sleeping and waking of the threads of a node.
 *
 *	any thread	wake, sleep, await	at any time
 */
#ifndef STN_NODE_SLEEP_H
#define STN_NODE_SLEEP_H

#include "node/node.h"

/*
 * stn_node_wake: wakes all sleeping threads of the node, as something that they
 * wait for may have happened. The caller has stored its change before the call;
 * the generation's increment here publishes it. Takes the event lock only if
 * threads sleep.
 */
void stn_node_wake(struct stn_node *node);

/*
 * stn_node_dozes: in virtual time, whether a sleep goes on that began after
 * @generation was read and ends at @until_ns.
 */
bool stn_node_dozes(const struct stn_node *node, uint32_t generation,
		    uint64_t until_ns);

/*
 * stn_node_sleep: the worker sleeps until the node has work for it, until
 * stn_node_wake is called, or until the time @until_ns. Not in virtual time.
 * @generation  read from the node before the caller looked for work
 * @any_work  whether the worker may run any work. If not, the worker sleeps
 *     even if the node has work.
 */
void stn_node_sleep(struct stn_node *node, uint32_t generation,
		    uint64_t until_ns, bool any_work);

/*
 * stn_node_await: the calling thread sleeps until @is_so returns true. A thread
 * that makes it true calls stn_node_wake afterwards.
 */
void stn_node_await(struct stn_node *node, bool (*is_so)(void *arg), void *arg);

#endif
