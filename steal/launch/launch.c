/*
 * launch.c: starts the nodes of a run, wires them up, and sees to it that none
 * is left when one fails.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "steal/launch/agent.h"
#include "steal/join/join_far.h"
#include "steal/launch/launch.h"
#include "steal/sateen.h"

static void
agent_ended(void *arg, pid_t pid, int status)
{
	struct launch *launch = arg;

	stn_agents_reaped(&launch->agents, pid, status);
}

static void
take_signal(struct launch *launch)
{
	struct signalfd_siginfo info;

	if (read(launch->signals, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo == SIGCHLD) {
		stn_crew_reap(&launch->crew, agent_ended, launch);
		return;
	}
	if (stn_join_far_offered())
		launch->failed = true; /* its gateway has said why */
	launch_complain(launch, "interrupted by signal %u", info.ssi_signo);
	launch->status = 128 + (int)info.ssi_signo;
	launch_kill(launch);
}

void
launch_wait(struct launch *launch, unsigned ms)
{
	clock_gettime(CLOCK_MONOTONIC, &launch->deadline);
	launch->deadline.tv_sec += ms / 1000;
	launch->deadline.tv_nsec += ms % 1000 * 1000000;
	launch->timed = true;
}

/* Milliseconds until there is something to complain about; -1: never. */
static int
patience(const struct launch *launch)
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

/* Nodes have ended as they should, but an ssh goes on: that is its affair. */
static bool
is_over(const struct launch *launch)
{
	return launch->server.finished && launch->hosts.count &&
	       !stn_agents_nodes(&launch->agents);
}

/* Nobody is late while the nodes' output waits for who reads it. */
static bool
output_waits(const struct launch *launch)
{
	struct pollfd output = { STDOUT_FILENO, POLLOUT, 0 };

	return !launch->killed && !launch->server.aborted &&
	       (stn_bytes_count(&launch->agents.output) ||
		!poll(&output, 1, 0));
}

static void
lose_patience(struct launch *launch)
{
	if (output_waits(launch)) {
		launch_wait(launch, 1000 * LAUNCH_READ_SECONDS);
		return;
	}
	launch->timed = false;
	if (!is_over(launch))
		launch_explain_wait(launch);
	if (is_over(launch) || launch->killed)
		stn_agents_abandon(&launch->agents);
	launch_kill(launch);
}

void
launch_kill(struct launch *launch)
{
	stn_crew_kill(&launch->crew);
	if (launch->killed)
		return;
	launch->killed = true;
	launch->timed = false;
	if (!launch->agents.list)
		return;
	stn_agents_hang_up(&launch->agents);
	launch_wait(launch, 1000 * LAUNCH_KILLED_SECONDS);
}

static void
watch(struct launch *launch, struct pollfd *fds)
{
	struct pollfd *agents = fds + 1, *crew;
	uint32_t count;

	fds[0] = (struct pollfd){ launch->signals, POLLIN, 0 };
	crew = agents + stn_agents_fds(&launch->agents, agents);
	count = (uint32_t)(crew - fds) + stn_crew_fds(&launch->crew, crew);
	if (!stn_crew_poll(fds, count, patience(launch))) {
		lose_patience(launch);
		return;
	}
	/* Deaths first: what the others then say of it is a consequence. */
	if (fds[0].revents)
		take_signal(launch);
	stn_agents_listen(&launch->agents, agents);
	stn_crew_listen(&launch->crew, crew);
}

static void
start_crew(struct launch *launch)
{
	struct stn_why why;

	launch->crew = (struct stn_crew){
		.config = &launch->config,
		.events = &launch_nodes,
		.arg = launch,
		.program = launch->program,
		.count = launch->processes,
		.old_mask = &launch->old_mask,
		.per = launch->config.per,
		.begin_ns = launch->topology.begin_ns,
		.links = launch->links,
		.terminal = isatty(STDIN_FILENO),
	};
	launch_begin_waiting(launch);
	if (!stn_crew_start(&launch->crew, &why))
		return;
	launch_complain(launch, "%s", why.text);
	launch_kill(launch);
}

/* How many descriptors are polled at most. */
static size_t
fds_count(const struct launch *launch)
{
	if (launch->hosts.count)
		return 1 + STN_AGENTS_MORE +
		       STN_AGENTS_FDS * (size_t)launch->hosts.count;
	return 1 + STN_CREW_FDS * (size_t)launch->processes;
}

static void
run(struct launch *launch)
{
	struct pollfd *fds = calloc(2 * fds_count(launch), sizeof(fds[0]));

	if (!fds) {
		launch_complain(launch, "out of memory");
		return;
	}
	if (launch->hosts.count)
		launch_call_hosts(launch);
	else
		start_crew(launch);
	while (launch->crew.running || stn_agents_busy(&launch->agents))
		watch(launch, fds);
	launch_explain_abort(launch);
	stn_crew_fini(&launch->crew);
	free(fds);
}

/* On other hosts nodes do this by themselves. */
static bool
prepare_links(struct launch *launch)
{
	size_t bytes = stn_topology_queue_bytes(&launch->topology);

	stn_topology_begin(&launch->topology);
	if (!stn_topology_slow(&launch->topology) || launch->hosts.count)
		return true;
	launch->links = memfd_create("sateen-links", MFD_CLOEXEC);
	return launch->links >= 0 && !ftruncate(launch->links, (off_t)bytes);
}

enum stn_err
launch_prepare(struct launch *launch, struct stn_why *why)
{
	const struct stn_config *config = &launch->config;

	launch->inside = !strcmp(stn_config_transport(config), "loop");
	launch->processes = launch->inside ? 1 : (uint32_t)config->nodes;
	launch->joined = calloc(launch->processes, sizeof(launch->joined[0]));
	if (!launch->joined || stn_config_export(config) ||
	    stn_wireup_server_init(&launch->server, launch->processes,
				   launch_tell, launch))
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	if (!prepare_links(launch))
		return stn_because(why, STN_IO, "can't prepare the run: %s",
				   strerror(errno));
	return STN_OK;
}

/* Of a run on several hosts not all can be known before they are asked. */
static bool
prepare(struct launch *launch)
{
	struct stn_why why;
	enum stn_err err = STN_OK;

	launch->links = -1;
	launch->signals = stn_crew_signals(&launch->old_mask);
	if (launch->signals < 0)
		err = stn_because(&why, STN_IO, "can't wait for signals: %s",
				  strerror(errno));
	if (!err && !launch->hosts.count)
		err = launch_prepare(launch, &why);
	if (err)
		launch_complain(launch, "%s", why.text);
	return !err;
}

/* A simulation is one process, which needs nobody to watch over it. */
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

static void
finish(struct launch *launch)
{
	stn_agents_fini(&launch->agents);
	stn_hosts_fini(&launch->hosts);
	stn_wireup_server_fini(&launch->server);
	free(launch->joined);
	stn_topology_fini(&launch->topology);
	close(launch->signals);
	if (launch->links >= 0)
		close(launch->links);
	sigprocmask(SIG_SETMASK, &launch->old_mask, NULL);
}

/* What is opened must not take the place of one that is closed. */
static void
open_standard(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int
stn_launch(int argc, char **argv)
{
	struct launch launch = { .status = EXIT_FAILURE };

	open_standard();
	if (!strcmp(argv[0], "agent"))
		return stn_agent(argc, argv);
	if (!launch_settings(&launch, argc, argv))
		return EXIT_FAILURE;
	if (!strcmp(stn_config_transport(&launch.config), "sim"))
		return become_simulation(&launch);
	if (!strcmp(argv[0], "sim")) {
		launch_complain(&launch, "a simulation has its own transport; "
					 "leave --transport out, or use "
					 "`sateen run`");
		return EXIT_FAILURE;
	}
	if (!prepare(&launch))
		return EXIT_FAILURE;
	run(&launch);
	finish(&launch);
	return launch.status;
}
