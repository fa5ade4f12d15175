#include "steal/show.h"

#include <stdio.h>
#include <unistd.h>

#include "node/live/live.h"
#include "node/progress.h"
#include "steal/sateen.h"
#include "steal/steal.h"

#define LENGTH_MOST 1000 /* records of a deque that are counted */

static void
show_requests(const struct stn_steal *steal, struct stn_live *live)
{
	uint64_t asked = 0, refused = 0;

	for (int asynchronous = 0; asynchronous < 2; asynchronous++)
		for (int wide = 0; wide < 2; wide++) {
			const struct stn_steals *steals =
				&steal->counts.steals[asynchronous][wide];

			asked += steals->asked;
			refused += steals->refused;
		}
	stn_live_set(live, STN_LIVE_ASKED, asked);
	stn_live_set(live, STN_LIVE_REFUSED, refused);
}

/* Relaxed, like the stores: a hint. */
static uint64_t
seen(const uint64_t *count)
{
	return __atomic_load_n(count, __ATOMIC_RELAXED);
}

void
stn_steal_show(void *state, struct stn_live *live)
{
	struct stn_steal *steal = state;
	uint64_t node = 0, lan = 0, wan = 0, done = 0, known = 0;
	/* Relaxed: a hint. */
	uint64_t queue = atomic_load_explicit(&steal->inbox.waiting,
					      memory_order_relaxed);

	for (uint32_t i = 0; i < steal->node->worker_count; i++) {
		const struct stn_owner *owner = &steal->owners[i];

		node += seen(&owner->counts.stolen_node);
		lan += seen(&owner->counts.stolen_lan);
		wan += seen(&owner->counts.stolen_wan);
		done += seen(&owner->deque.done);
		known += seen(&owner->deque.known);
		queue += stn_deque_length(&owner->deque, LENGTH_MOST);
	}
	stn_live_set(live, STN_LIVE_STOLEN_NODE, node);
	stn_live_set(live, STN_LIVE_STOLEN_LAN, lan);
	stn_live_set(live, STN_LIVE_STOLEN_WAN, wan);
	stn_live_set(live, STN_LIVE_QUEUE, queue);
	stn_live_set(live, STN_LIVE_DONE, done);
	stn_live_set(live, STN_LIVE_KNOWN, known);
	show_requests(steal, live);
}

/*
 * Another process may draw the bar. It looks at this word before; between its
 * look and its write a few microseconds pass, in which the bar may reappear. In
 * the background there is no bar, and a write to the terminal may stop this
 * process.
 */
void
stn_progress_end(struct stn_deque *deque)
{
	struct stn_node *node = stn_owner_of(deque)->node;

	if (!node->live)
		return;
	stn_node_enter(node); /* the host may be drawing */
	stn_live_set(node->live, STN_LIVE_ENDED, 1);
	stn_node_leave(node);
	if (stn_live_get(node->live, STN_LIVE_ALL_KNOWN) &&
	    !stn_live_get(node->live, STN_LIVE_BOUND_SHOWN) &&
	    tcgetpgrp(STDERR_FILENO) == getpgrp()) {
		fprintf(stderr, "\r\033[K");
		fflush(stderr);
	}
}
