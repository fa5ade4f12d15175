#include "launch/run/launch_wait.h"

#include <unistd.h>

#include "launch/join_far.h"
#include "launch/run/descriptors.h"

void
launch_wait(struct launch *launch, unsigned ms)
{
	clock_gettime(CLOCK_MONOTONIC, &launch->deadline);
	launch->deadline.tv_sec += ms / 1000;
	launch->deadline.tv_nsec += ms % 1000 * 1000000;
	launch->timed = true;
}

int
launch_milliseconds_left(const struct launch *launch)
{
	struct timespec now;
	int64_t left;

	if (!launch->timed)
		return -1;
	clock_gettime(CLOCK_MONOTONIC, &now);
	left = (launch->deadline.tv_sec - now.tv_sec) * 1000 +
	       (launch->deadline.tv_nsec - now.tv_nsec) / 1000000;
	return left > 0 ? (int)left : 0;
}

void
launch_begin_waiting(struct launch *launch)
{
	if (!launch->inside)
		launch_wait(launch, 1000 * LAUNCH_JOIN_SECONDS);
}

void
launch_await_nodes(struct launch *launch)
{
	launch->timed = false;
	if (!stn_join_far_offered())
		launch_begin_waiting(launch);
}

/* All nodes have ended as expected. An ssh may go on, for another session. */
static bool
launch_is_over(const struct launch *launch)
{
	return launch->server.finished && launch->hosts.count &&
	       !stn_agents_nodes(&launch->agents);
}

bool
launch_has_output(const struct launch *launch)
{
	return stn_output_waits(&launch->output) ||
	       stn_output_waits(&launch->errors);
}

/* No deadline holds while output waits until a reader takes it. */
static bool
output_waits(const struct launch *launch)
{
	return !launch->killed && !launch->server.aborted &&
	       (launch_has_output(launch) ||
		!stn_descriptor_is_writable(STDOUT_FILENO));
}

/*
 * Whether the text that waits for standard error has become shorter since the
 * last deadline, after all nodes were killed. Then a reader takes it, and gets
 * the rest: it often says why the run has failed.
 */
static bool
errors_are_read(struct launch *launch)
{
	size_t before = launch->unread;

	launch->unread = stn_bytes_count(&launch->errors.waiting);
	return launch->killed && launch->unread && launch->unread < before;
}

void
launch_timed_out(struct launch *launch)
{
	if (launch_is_over(launch))
		stn_agents_abandon(&launch->agents);
	if (output_waits(launch) || errors_are_read(launch)) {
		launch_wait(launch, 1000 * LAUNCH_READ_SECONDS);
		return;
	}
	launch->timed = false;
	if (!launch_is_over(launch))
		launch_explain_wait(launch);
	if (launch_is_over(launch) || launch->killed) {
		stn_agents_abandon(&launch->agents);
		stn_output_drop(&launch->output);
		stn_output_drop(&launch->errors);
	}
	launch_kill(launch);
}

void
launch_kill(struct launch *launch)
{
	stn_process_group_kill(&launch->group);
	if (launch->killed)
		return;
	launch->killed = true;
	launch->timed = false;
	launch->unread = stn_bytes_count(&launch->errors.waiting);
	if (!launch->agents.list && !launch->group.piped)
		return;
	stn_agents_hang_up(&launch->agents);
	launch_wait(launch, 1000 * LAUNCH_KILLED_SECONDS);
}
