/*
 * launch.c: the launcher. It starts the nodes of a run, serves their wire-up,
 * and kills all nodes when one fails. Its files, each of which calls only later
 * ones: launch.c, launch_settings.c, launch_control.c, launch_hosts.c,
 * launch_nodes.c, launch_late.c, launch_membership.c, launch_input.c,
 * launch_gateway.c, launch_summary.c, launch_wait.c, launch_explain.c.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/gateway/meeting.h"
#include "launch/join_far.h"
#include "launch/run/agents_lease.h"
#include "launch/run/descriptors.h"
#include "launch/run/launch_control.h"
#include "launch/run/launch_gateway.h"
#include "launch/run/launch_hosts.h"
#include "launch/run/launch_input.h"
#include "launch/run/launch_late.h"
#include "launch/run/launch_live.h"
#include "launch/run/launch_membership.h"
#include "launch/run/launch_wait.h"
#include "launch/signals.h"
#include "launch/standard.h"
#include "steal/sateen.h"

#define OVERDUE 100 /* looks at ready descriptors after a deadline */
#define REPETITION_MS 50
#define OWN_FDS 6 /* polled descriptors of the launcher itself */

/*
 * Stops this process, as the user wants (Control-Z). The agents would miss it,
 * so it suspends their leases before.
 */
static void
launch_suspend(struct launch *launch)
{
	stn_agents_pause(&launch->agents, true);
	stn_agents_flush(&launch->agents);
	raise(SIGSTOP);
}

/*
 * The user has interrupted the run. Open MPI's mpirun then ends its processes
 * by SIGTERM. The root of a traced run writes the events so far, whichever
 * signal ends the run.
 */
static bool
is_interrupt(const struct launch *launch, uint32_t signal)
{
	return signal == SIGINT || (signal == SIGTERM && launch->muster) ||
	       stn_config_traces(&launch->config);
}

/* timeout(1) sends its signal twice at once, and means it once. */
static bool
is_repetition(const struct launch *launch)
{
	const int all = 1000 * LAUNCH_INTERRUPT_SECONDS;

	return launch->interrupted && !launch->killed &&
	       launch_milliseconds_left(launch) > all - REPETITION_MS;
}

/*
 * After SIGINT the root may print what main knows so far, and ends. If the user
 * has typed Control-C, it may have the signal already. Without a handler it
 * ends at once. Then launch_nodes_ended kills the other nodes.
 */
static bool
interrupts_root(struct launch *launch, const struct signalfd_siginfo *info)
{
	bool typed = info->ssi_signo == SIGINT && info->ssi_code == SI_KERNEL;

	if (!is_interrupt(launch, info->ssi_signo) || launch->interrupted ||
	    launch->killed)
		return false;
	launch->interrupted = true;
	if (!stn_process_group_interrupt(&launch->group, launch->root, typed) &&
	    !stn_agents_interrupt(&launch->agents, launch->root))
		return false;
	launch_wait(launch, 1000 * LAUNCH_INTERRUPT_SECONDS);
	return true;
}

static void
launch_take_signal(struct launch *launch)
{
	struct signalfd_siginfo info;

	if (read(launch->signals, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo == SIGCHLD) {
		stn_process_group_reap(&launch->group, stn_agents_reaped,
				       &launch->agents);
		return;
	}
	if (info.ssi_signo == SIGTSTP) {
		launch_suspend(launch);
		return;
	}
	if (info.ssi_signo == SIGTERM && launch_membership_leave_all(launch))
		return;
	if (is_repetition(launch))
		return;
	if (stn_join_far_offered())
		launch->failed = true; /* the gateway has told the user why */
	launch_complain(launch, "interrupted by signal %u", info.ssi_signo);
	launch->status = 128 + (int)info.ssi_signo;
	if (!interrupts_root(launch, &info))
		launch_kill(launch);
}

/*
 * Does the gateway tell the user why the run fails? If it did not know, other
 * clusters would go on without the nodes that are killed here.
 */
static bool
gateway_tells(struct launch *launch, const char *why)
{
	return !launch->failed && !launch->server.finished &&
	       launch_gateway_failed(launch, why);
}

static void
launch_print(struct launch *launch)
{
	struct stn_why why;

	if (!stn_output_write(&launch->output, STDOUT_FILENO, &why))
		return;
	if (gateway_tells(launch, why.text)) {
		launch->failed = true;
		launch->status = EXIT_FAILURE;
	}
	launch_complain(launch, "%s", why.text);
	launch_kill(launch);
}

/* If standard error can't be written, the text is dropped without a word. */
static void
launch_print_errors(struct launch *launch)
{
	struct stn_why why;

	if (stn_output_write(&launch->errors, STDERR_FILENO, &why))
		return;
}

/* While too much output waits for its reader, no more is read from nodes. */
static void
launch_pause(struct launch *launch)
{
	bool full = stn_output_is_full(&launch->output) ||
		    stn_output_is_full(&launch->errors);
	bool pause = full && !launch->killed;

	launch->group.paused = pause;
	stn_agents_pause(&launch->agents, pause);
}

/*
 * Are hosts given up that don't answer? If the run does not survive that, the
 * gateway of several clusters misses the nodes there, and tells the user.
 */
static bool
gives_up_hosts(const struct launch *launch)
{
	return !stn_join_far_offered() || launch_membership_begun(launch);
}

/* The sooner of two waits; -1 is for ever. */
static int
launch_sooner(int ms, int other)
{
	return ms < 0 || (other >= 0 && other < ms) ? other : ms;
}

/* Milliseconds until something is due; -1 if nothing is. */
static int
launch_poll_time(const struct launch *launch)
{
	int left = launch_late_milliseconds_left(launch);
	int lease = gives_up_hosts(launch)
			    ? stn_agents_lease_wait(&launch->agents)
			    : -1;
	left = launch_sooner(left, lease);
	left = launch_sooner(left, launch_live_wait(launch));
	return launch_sooner(left, launch_input_wait(launch));
}

/*
 * Called after each poll. While descriptors are ready, the deadline has no effect
 * at first: if this process was stopped, they may have messages that came before
 * the deadline. After OVERDUE looks it counts all the same, because nodes that
 * print without pause make some descriptor ready each time.
 */
static void
launch_check_deadline(struct launch *launch, bool ready)
{
	if (launch_late_milliseconds_left(launch)) {
		launch->overdue = 0;
		return;
	}
	if (ready && launch->overdue++ < OVERDUE)
		return;
	launch->overdue = 0;
	if (!launch_late_timed_out(launch))
		launch_timed_out(launch);
}

static void
launch_watch(struct launch *launch, struct pollfd *fds)
{
	struct pollfd *agents, *group, *control = fds + OWN_FDS;
	bool prints = stn_output_waits(&launch->output);
	bool errs = stn_output_waits(&launch->errors);
	uint32_t count;
	int ready;

	launch_pause(launch);
	fds[0] = (struct pollfd){ launch->signals, POLLIN, 0 };
	fds[1] = (struct pollfd){ prints ? STDOUT_FILENO : -1, POLLOUT, 0 };
	agents = control + stn_control_fds(launch->control, control);
	fds[2] = (struct pollfd){ launch_gateway_fd(launch), POLLIN, 0 };
	fds[3] = launch_input_poll(launch);
	fds[4] = (struct pollfd){ launch_live_fd(launch), POLLIN, 0 };
	fds[5] = (struct pollfd){ errs ? STDERR_FILENO : -1, POLLOUT, 0 };
	group = agents + stn_agents_fds(&launch->agents, agents);
	count = (uint32_t)(group - fds) +
		stn_process_group_fds(&launch->group, group);
	ready = stn_descriptors_poll(fds, count, launch_poll_time(launch));
	launch_live_hide(launch);
	/* Ends of nodes first: other nodes' complaints follow from them. */
	if (fds[0].revents)
		launch_take_signal(launch);
	stn_agents_listen(&launch->agents, agents);
	stn_process_group_listen(&launch->group, group);
	if (gives_up_hosts(launch))
		stn_agents_lease_check(&launch->agents);
	stn_control_listen(launch->control, control);
	if (fds[2].revents)
		launch_membership_listen(launch);
	launch_late_check(launch);
	launch_input_ready(launch, &fds[3]);
	launch_membership_issue(launch);
	launch_control_check(launch);
	if (fds[1].revents && stn_output_waits(&launch->output))
		launch_print(launch);
	if (fds[5].revents && stn_output_waits(&launch->errors))
		launch_print_errors(launch);
	launch_live_check(launch);
	launch_check_deadline(launch, ready > 0);
}

/* The offset in the file that is standard input; -1 if it is none. */
static int64_t
input_offset(void)
{
	struct stat is;

	return fstat(STDIN_FILENO, &is) || !S_ISREG(is.st_mode)
		       ? -1
		       : lseek(STDIN_FILENO, 0, SEEK_CUR);
}

static void
start_process_group(struct launch *launch)
{
	struct stn_why why;
	enum stn_err err;

	launch_input_begin(launch);
	launch->group = (struct stn_process_group){
		.config = &launch->config,
		.events = &launch_nodes,
		.arg = launch,
		.program = launch->program,
		.count = launch->ranks,
		.later = launch->ranks - launch->processes,
		.before = &launch->before,
		.per = launch->config.per,
		.begin_ns = launch->topology.begin_ns,
		.links = launch->links,
		.live = &launch->live.pages,
		.replay = launch->survives ? input_offset() : -1,
		.terminal = isatty(STDIN_FILENO) && !launch->fed,
		.piped = launch->survives,
		.pipe_ignored = launch->pipe_ignored,
		.shows = isatty(STDOUT_FILENO),
		.fed = launch->fed,
		.heirs = launch->fed,
	};
	launch_await_nodes(launch);
	err = stn_process_group_start(&launch->group, &why);
	if (!err)
		return;
	launch_complain(launch, "%s", why.text);
	if (err == STN_INVALID)
		launch->status = LAUNCH_USAGE;
	launch_kill(launch);
}

/* The number of polled descriptors, at most. */
static size_t
fds_count(const struct launch *launch)
{
	if (launch->hosts.count)
		return OWN_FDS + STN_CONTROL_FDS + STN_AGENTS_MORE +
		       STN_AGENTS_FDS * (size_t)launch->hosts.count;
	return OWN_FDS + STN_CONTROL_FDS +
	       STN_PROCESS_GROUP_FDS * (size_t)launch->ranks;
}

/* Makes room for the descriptors, of which hosts that join bring more. */
static bool
launch_make_room(struct launch *launch, struct pollfd **fds_p, size_t *room_p)
{
	size_t room = 2 * fds_count(launch);
	struct pollfd *fds;

	if (room <= *room_p)
		return true;
	fds = reallocarray(*fds_p, room, sizeof(fds[0]));
	if (!fds) {
		launch_complain(launch, "out of memory");
		return false;
	}
	*fds_p = fds;
	*room_p = room;
	return true;
}

static void
launch_run(struct launch *launch)
{
	struct pollfd *fds = NULL;
	size_t room = 0;

	if (!launch_make_room(launch, &fds, &room))
		return;
	launch->pipe_ignored = stn_signal_is_ignored(SIGPIPE);
	signal(SIGPIPE, SIG_IGN); /* a client or a reader may be gone */
	launch_control_open(launch);
	if (launch->hosts.count)
		launch_call_hosts(launch);
	else
		start_process_group(launch);
	launch->watches = true;
	while (launch->group.running || stn_agents_busy(&launch->agents) ||
	       launch_has_output(launch)) {
		if (!launch_make_room(launch, &fds, &room))
			break;
		launch_watch(launch, fds);
	}
	launch->watches = false;
	launch_control_close(launch);
	launch_live_close(launch);
	launch_explain_abort(launch);
	launch_input_end(launch);
	stn_process_group_fini(&launch->group);
	free(fds);
}

/* Returns a descriptor from which the launcher's signals are read, or -1. */
static int
launch_open_signals(struct launch *launch)
{
	sigset_t mask;

	stn_signals_block(&mask, &launch->before);
	if (!stn_signal_is_ignored(SIGTSTP))
		sigaddset(&mask, SIGTSTP);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	return signalfd(-1, &mask, SFD_CLOEXEC);
}

/*
 * Prepares the launcher. With several hosts, launch_prepare must wait for the
 * agents' answers, which say how many nodes there are.
 */
static bool
launch_prepare_one(struct launch *launch)
{
	struct stn_why why;
	enum stn_err err = STN_OK;

	launch->links = -1;
	launch->signals = launch_open_signals(launch);
	if (launch->signals < 0)
		err = stn_because(&why, STN_IO, "can't wait for signals: %s",
				  strerror(errno));
	if (!err)
		err = launch_live_open(launch, &why);
	if (!err && !launch->hosts.count)
		err = launch_prepare(launch, &why);
	if (err)
		launch_complain(launch, "%s", why.text);
	if (err == STN_INVALID)
		launch->status = LAUNCH_USAGE;
	return !err;
}

void
launch_carry_out(struct launch *launch)
{
	if (launch_prepare_one(launch))
		launch_run(launch);
}

/* A simulation is a single process, so it replaces the launcher. */
static int
become_simulation(struct launch *launch)
{
	if (stn_config_export(&launch->config)) {
		launch_complain(launch, "out of memory");
		return EXIT_FAILURE;
	}
	execvp(launch->program[0], launch->program);
	launch_complain(launch, "can't run %s: %s", launch->program[0],
			strerror(errno));
	return EXIT_FAILURE;
}

void
launch_finish(struct launch *launch)
{
	launch_live_close(launch);
	launch_late_fini(launch);
	launch_membership_fini(launch);
	stn_output_fini(&launch->output);
	stn_output_fini(&launch->errors);
	stn_agents_fini(&launch->agents);
	stn_hosts_fini(&launch->hosts);
	stn_wireup_server_fini(&launch->server);
	free(launch->joined);
	stn_topology_fini(&launch->topology);
	if (launch->signals >= 0)
		close(launch->signals);
	if (launch->links >= 0)
		close(launch->links);
	stn_signals_restore(&launch->before);
}

int
stn_launch(int argc, char **argv)
{
	return stn_launch_serving(argc, argv, NULL);
}

int
stn_launch_serving(int argc, char **argv, const struct stn_http_ops *http)
{
	struct launch launch = { .status = EXIT_FAILURE, .http = http };

	stn_standard_open();
	unsetenv(STN_MEETING_PASSWORD); /* nodes and ssh don't need it */
	if (!strcmp(argv[0], "agent"))
		return stn_agent(argc, argv);
	if (!launch_settings(&launch, argc, argv))
		return launch.status;
	if (!strcmp(stn_config_transport(&launch.config), "sim"))
		return become_simulation(&launch);
	if (!strcmp(argv[0], "sim")) {
		launch_complain(&launch, "a simulation has its own transport; "
					 "leave --transport out, or use "
					 "`sateen run`");
		return LAUNCH_USAGE;
	}
	launch_carry_out(&launch);
	launch_finish(&launch);
	return launch.status;
}
