/*
 * progress.c: the progress thread of a node whose workers compute. The
 * transport is a table of the test's functions.
 */
#include <sched.h>

#include <sateen.h>
#include "node/progress.h"
#include "tests/lone_node.h"
#include "tests/tap.h"

STN_TASK(int, nothing, int, n)
{
	return n;
}

static _Atomic(unsigned) looks; /* at the only service */

static uint64_t
count_look(void *state, uint64_t now)
{
	(void)state;
	(void)now;
	looks++;
	return STN_FOREVER;
}

static unsigned
find_one(struct stn_transport *transport)
{
	(void)transport;
	return 1;
}

static uint64_t
never_idle(struct stn_transport *transport)
{
	(void)transport;
	abort();
}

int
main(void)
{
	static const struct stn_service service = { .name = "counts",
						    .look_after = count_look };
	static const struct stn_service *const services[] = { &service, NULL };
	static const struct stn_transport_ops ops = {
		.progress = find_one,
		.arm = never_idle,
		.now = stn_machine_now,
	};
	struct stn_node *node = lone_node(&ops, &nothing_task, NULL);
	uint64_t end = stn_machine_now(NULL) + tap_patience_ns();

	tap_begin();
	node->services = services;
	node->attended = 1;
	node->transport->limits.fd = node->transport->ends = -1;
	stn_progress_start(node);
	while (looks < 2 && stn_machine_now(NULL) < end)
		sched_yield();
	tap_ok(looks >= 2, "services are looked after while messages come "
			   "all the time");
	stn_progress_stop(node);
	return tap_end();
}
