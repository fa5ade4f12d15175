/*
 * service.h: the contract of a service, a part of the runtime that runs on each
 * node. Stealing is a service; the end of a run, with its statistics, is
 * another. A service is one constant table. launch/services.c lists all
 * services, one line for each. The core in node/ knows services by their tables
 * only.
 *
 * Each node has a state for each of its services, which open makes. Calls that
 * come with the net lock held (node/node.h) come one at a time and must not
 * block. Members marked optional may be NULL.
 */
#ifndef STN_NODE_SERVICE_H
#define STN_NODE_SERVICE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "transport/transport.h"

#define STN_SERVICES_MOST 12	      /* services of a node, at most */
#define STN_KINDS_MOST 96	      /* kinds are 1 to STN_KINDS_MOST - 1 */
#define STN_AT_REST (STN_FOREVER - 1) /* see look_after */

struct stn_count_table;
struct stn_live;
struct stn_node;
struct stn_notice;
struct stn_setting_table;
struct stn_tally;
struct stn_trace_event;
struct stn_trace_kind;
struct stn_worker;

/* A kind of message. No two kinds of a run have the same number or name. */
struct stn_kind {
	uint8_t number;	  /* on the wire */
	const char *name; /* in statistics and logs */

	/*
	 * For message logs: whether the header has a 32-bit number, and its
	 * offset.
	 */
	bool numbered;
	uint8_t number_at;
};

/*
 * stn_kind_number: the number in a header of this kind; 0 if the header has
 * none, or is too short.
 */
static inline uint32_t
stn_kind_number(const struct stn_kind *kind, const void *header, size_t bytes)
{
	uint32_t number = 0;

	if (kind->numbered && bytes >= kind->number_at + sizeof(number))
		memcpy(&number, (const char *)header + kind->number_at,
		       sizeof(number));
	return number;
}

struct stn_service {
	const char *name;

	/* The kinds of messages that the service sends and receives. */
	const struct stn_kind *kinds;
	size_t kind_count;

	/*
	 * Optional: the service's tables of settings by number, from 0; NULL
	 * behind the last.
	 */
	const struct stn_setting_table *(*settings)(size_t number);

	/* Optional: the service's counts (node/stats/count.h). */
	const struct stn_count_table *counts;

	/* Optional: the kinds of events it records (node/trace/event.h). */
	const struct stn_trace_kind *traced;
	size_t traced_count;

	/*
	 * Optional: a name for an event of these kinds, which is shown instead
	 * of the name of the kind; NULL: there is none, or the event is not the
	 * service's. The event may come from another node: its number is
	 * arbitrary.
	 */
	const char *(*trace_name)(void *state,
				  const struct stn_trace_event *event);

	/*
	 * Makes the service's state. @node has its workers, but no thread of
	 * the node runs, and its transport is not open yet. On failure *state_p
	 * stays NULL and the run ends with @why. A service that is not used in
	 * this run may leave it NULL, and then gets NULL in all other calls
	 * but close, which is not made.
	 */
	enum stn_err (*open)(struct stn_node *node, void **state_p,
			     struct stn_why *why);

	/*
	 * Optional: the transport is open, the node has not met the others,
	 * and none of its threads runs. The first messages may come between
	 * this call and the start of the threads. A failure ends the run with
	 * @why.
	 */
	enum stn_err (*begin)(void *state, struct stn_why *why);

	/* Frees the state. No thread of the node runs. */
	void (*close)(void *state);

	/*
	 * Optional if there are no kinds: a message of one of the kinds has
	 * arrived. Net lock held. STN_MALFORMED ends the run with a line that
	 * names the sender and the kind.
	 */
	enum stn_err (*handle)(void *state, const struct stn_message *message);

	/*
	 * Optional: @worker's thread has begun, on the core that it is bound
	 * to. Called on that thread.
	 */
	void (*enter)(void *state, struct stn_worker *worker);

	/*
	 * Optional: runs one item of work on @worker's thread. Returns false if
	 * there was none. Calls stn_worker_found before it runs the item.
	 */
	bool (*work)(void *state, struct stn_worker *worker);

	/*
	 * Optional: false if work and help would find nothing. Then a waiting
	 * worker does not call them in virtual time. Without this function it
	 * always does.
	 */
	bool (*has_work)(void *state);

	/*
	 * Optional: like work, but only an item that neither waits nor needs
	 * much stack. Workers that wait for something else run it, too, because
	 * other nodes may wait for the item.
	 */
	bool (*help)(void *state, struct stn_worker *worker);

	/*
	 * Optional: @worker has found no work on this node and polls the
	 * network. Asks other nodes for work without waiting for an answer.
	 * Returns when to call it again if nothing wakes the worker before, or
	 * STN_FOREVER. No lock held.
	 */
	uint64_t (*seek)(void *state, struct stn_worker *worker);

	/*
	 * Optional: a worker is about to sleep, and is counted as a sleeper.
	 * Returns false if the service has work for it. If the service returns
	 * true, it must wake the node when it has work. If it might not notice
	 * new work at once, it lowers *until_ns, the time at which the worker
	 * wakes up by itself. Not called in virtual time. No lock held.
	 */
	bool (*may_sleep)(void *state, uint64_t *until_ns);

	/*
	 * Optional: whether another node owes this node an answer. A hint: a
	 * worker without work then counts as communicating, otherwise as idle.
	 */
	bool (*owed)(void *state);

	/*
	 * Optional: does the service's timed work. Net lock held. Returns when
	 * to call it again, or STN_FOREVER. It may be called earlier. After it
	 * has returned STN_AT_REST it is not called until stn_attend_to
	 * (node/attend.h).
	 */
	uint64_t (*look_after)(void *state, uint64_t now);

	/*
	 * Optional: node @rank has died or left, and the view that says so is
	 * about to be applied: does what would take too long with the net lock
	 * held. Not in virtual time, and not on a node that has not begun or
	 * has ended its work. No lock held.
	 */
	void (*prepare)(void *state, uint32_t rank);

	/*
	 * Optional: node @rank has died or left. The transport has forgotten
	 * it: everything that was under way to it has completed, and nothing
	 * from it will arrive. Net lock held. Services are told in the order of
	 * the list.
	 */
	void (*died)(void *state, uint32_t rank);

	/*
	 * Optional: node @rank has joined the run, possibly this node itself.
	 * Net lock held.
	 */
	void (*joined)(void *state, uint32_t rank);

	/*
	 * Optional: node @rank has been told to leave the run, possibly this
	 * node itself; it is still a member. Net lock held.
	 */
	void (*leaving)(void *state, uint32_t rank);

	/*
	 * Optional: this node has been told to leave the run: hands over the
	 * service's work. Called often, from then on; returns true when the
	 * service has nothing left on this node that other nodes need. If
	 * @stop, it no longer waits for work that it has begun, only for
	 * messages that are under way. Net lock held, but not inside a handler.
	 */
	bool (*leave)(void *state, bool stop);

	/*
	 * Optional: the node has applied a view of the membership: sends
	 * notices by stn_membership_notice. Net lock held.
	 */
	void (*notices)(void *state);

	/*
	 * Optional: all nodes have applied the view, and these are the notices
	 * of all of them, of all services. Net lock held.
	 */
	void (*noticed)(void *state, const struct stn_notice *notices,
			size_t count);

	/*
	 * Optional: main has returned on this node, the root. Net lock held.
	 */
	void (*over)(void *state);

	/*
	 * Optional: all workers of this node have ended. Sends the service's
	 * last messages; may block. Services finish in the order of the list,
	 * and each must be settled before the next finishes. No lock held. An
	 * error changes the exit status of the node.
	 */
	enum stn_err (*finish)(void *state);

	/*
	 * Optional: all nodes have settled, and nothing is sent any more. An
	 * error changes the exit status of the node. No lock held.
	 */
	enum stn_err (*ended)(void *state);

	/*
	 * Optional: whether this service waits for nothing any more, so that
	 * the run may end. Called again after each stn_node_wake. No lock held.
	 */
	bool (*settled)(void *state);

	/*
	 * Optional: the run was interrupted, and ends after this call. On each
	 * node, in the machine's time. No lock held.
	 */
	void (*cut)(void *state);

	/*
	 * Optional: a simulation was interrupted. Called once, not for each
	 * node: finds the states by stn_node_state, and shows what all nodes
	 * have done so far. @nodes is by rank; NULL for a node that has not
	 * begun, or has ended.
	 */
	void (*interrupted)(struct stn_node *const *nodes, uint32_t count);

	/*
	 * Optional: stores what others may see of the service while the run
	 * goes on (node/live/live.h). Called twice a second, not in a
	 * simulation. Net lock held.
	 */
	void (*show)(void *state, struct stn_live *live);

	/*
	 * Optional: adds the service's counts to the node's tally, which has
	 * the core's counts already. No thread of the node counts any more.
	 */
	void (*count)(void *state, struct stn_tally *tally);
};

#endif
