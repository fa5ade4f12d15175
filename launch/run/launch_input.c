#include "launch/run/launch_input.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/run/descriptors.h"
#include "launch/run/process_group_input.h"

#define BACKGROUND_MS 1000 /* until the launcher asks for the terminal again */

/* Node 0 reads other devices, as /dev/null, itself. */
static bool
needs_pipe(void)
{
	struct stat is;

	return isatty(STDIN_FILENO) ||
	       (!fstat(STDIN_FILENO, &is) &&
		(S_ISFIFO(is.st_mode) || S_ISSOCK(is.st_mode)));
}

void
launch_input_begin(struct launch *launch)
{
	launch->fed = launch->survives && !launch->hosts.count && needs_pipe();
	stn_input_init(&launch->input,
		       launch->survives && (launch->fed || launch->hosts.count));
	if (launch->fed)
		signal(SIGTTIN, SIG_IGN); /* read() fails instead */
}

/* What main has not read stays in standard input. */
void
launch_input_end(struct launch *launch)
{
	if (launch->fed)
		stn_input_taken(&launch->input,
				stn_process_group_input_left(&launch->group));
	stn_input_fini(&launch->input);
}

/* Input is read when main has read all that it got before. */
struct pollfd
launch_input_poll(const struct launch *launch)
{
	if (!launch->fed || launch->killed || launch->group.input < 0)
		return (struct pollfd){ -1, 0, 0 };
	if (launch->input_waits)
		return (struct pollfd){ launch->group.input, POLLOUT, 0 };
	return (struct pollfd){ stn_input_fd(&launch->input), POLLIN, 0 };
}

int
launch_input_wait(const struct launch *launch)
{
	struct pollfd poll = launch_input_poll(launch);

	return poll.events && poll.fd < 0 ? BACKGROUND_MS : -1;
}

/* Since poll(), the root may have died. Reading could block then. */
void
launch_input_ready(struct launch *launch, const struct pollfd *polled)
{
	ssize_t got;

	if (!polled->revents || launch_input_poll(launch).fd != polled->fd)
		return;
	if (launch->input_waits) {
		stn_input_taken(&launch->input, 0);
		launch->input_waits = false;
		return;
	}
	got = stn_input_offer(&launch->input, launch->group.input);
	if (!got)
		stn_descriptor_close(&launch->group.input);
	launch->input_waits = got > 0;
}

void
launch_input_follow(struct launch *launch)
{
	if (launch->hosts.count) {
		stn_agents_replay(&launch->agents, launch->root);
		return;
	}
	if (!launch->fed)
		return;
	stn_input_taken(&launch->input,
			stn_process_group_input_left(&launch->group));
	stn_process_group_input_restart(&launch->group);
	stn_input_restart(&launch->input);
	launch->input_waits = false;
}
