/*
 * launch.c: starts the nodes of a run on this host, wires them up, and sees to
 * it that none is left when one fails.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "steal/join/card.h"
#include "steal/config.h"
#include "steal/join/join.h"
#include "steal/launch/launch.h"
#include "steal/sateen.h"
#include "transport/transport.h"

static void
set_number(const char *name, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	setenv(name, text, 1);
}

/* In the child: becomes node @rank. Does not return. */
static void
become_node(struct launch *launch, uint32_t rank, int wireup)
{
	/* No node outlives the launcher. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != launch->self)
		_exit(EXIT_FAILURE);
	if (rank || !launch->terminal)
		setpgid(0, 0);
	sigprocmask(SIG_SETMASK, &launch->old_mask, NULL);
	fcntl(wireup, F_SETFD, 0);
	if (launch->links >= 0)
		fcntl(launch->links, F_SETFD, 0);
	if (rank && freopen("/dev/null", "r", stdin) == NULL)
		_exit(127);
	set_number(STN_JOIN_RANK, rank);
	set_number(STN_JOIN_WIREUP, wireup);
	set_number(STN_JOIN_LINKS, launch->links);
	set_number(STN_JOIN_BEGIN, (int64_t)launch->topology.begin_ns);
	/* A handler that libinfinipath would set can hang in exit(). */
	setenv("IPATH_NO_BACKTRACE", "1", 0);
	execvp(launch->program[0], launch->program);
	stn_because(&launch->server.reason, STN_IO, "can't run %s: %s",
		    launch->program[0], strerror(errno));
	if (stn_frame_write(wireup, STN_FRAME_ABORT, launch->server.reason.text,
			    strlen(launch->server.reason.text)))
		_exit(126);
	_exit(127);
}

static bool
start_node(struct launch *launch, uint32_t rank)
{
	const struct timeval patience = { LAUNCH_JOIN_SECONDS, 0 };
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
		launch_complain(launch,
				"can't make a socket for node %" PRIu32 ": %s",
				rank, strerror(errno));
		return false;
	}
	pid = fork();
	if (!pid)
		become_node(launch, rank, ends[1]);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		launch_complain(launch, "can't start node %" PRIu32 ": %s",
				rank, strerror(errno));
		return false;
	}
	if (rank || !launch->terminal)
		setpgid(pid, pid);
	setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &patience,
		   sizeof(patience));
	launch->server.clients[rank].fd = ends[0];
	launch->children[rank] = pid;
	launch->running++;
	return true;
}

/* A node with all it has started, unless it shares our process group. */
static void
kill_node(const struct launch *launch, uint32_t rank)
{
	pid_t pid = launch->children[rank];

	if (pid > 0)
		kill(!rank && launch->terminal ? pid : -pid, SIGKILL);
}

static void
kill_all(struct launch *launch)
{
	for (uint32_t i = 0; i < launch->processes; i++)
		kill_node(launch, i);
}

static void
close_socket(struct launch *launch, uint32_t rank)
{
	struct stn_wireup_client *client = &launch->server.clients[rank];

	if (client->fd >= 0)
		close(client->fd);
	client->fd = -1;
}

/* What a dead node leaves on this host, by the address on its card. */
static void
sweep(struct launch *launch, uint32_t rank)
{
	const struct stn_wireup_client *client = &launch->server.clients[rank];
	struct stn_card card = { client->card, client->card_size };
	struct stn_hello hello;

	if (!client->shown || stn_card_read(&card, rank, &hello, NULL))
		return;
	stn_transport_sweep(stn_config_transport(&launch->config),
			    hello.address, hello.address_bytes);
	free(hello.tasks);
}

static void
ended(struct launch *launch, uint32_t rank, int status)
{
	bool clean;

	kill_node(launch, rank); /* what it left running */
	launch_hear_out(launch, rank);
	close_socket(launch, rank);
	clean = WIFEXITED(status) && !launch->server.aborted &&
		(launch->server.finished || launch->inside);
	launch->children[rank] = 0;
	launch->running--;
	if (!rank && WIFEXITED(status) && !launch->failed)
		launch->status = WEXITSTATUS(status);
	if (!clean) {
		launch_explain_end(launch, rank, status);
		kill_all(launch);
	}
	sweep(launch, rank);
}

static void
reap(struct launch *launch)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (uint32_t i = 0; i < launch->processes; i++)
			if (launch->children[i] == pid)
				ended(launch, i, status);
}

static void
take_signal(struct launch *launch)
{
	struct signalfd_siginfo info;

	if (read(launch->signals, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo == SIGCHLD) {
		reap(launch);
		return;
	}
	launch_complain(launch, "interrupted by signal %u", info.ssi_signo);
	launch->status = 128 + (int)info.ssi_signo;
	kill_all(launch);
}

static void
set_deadline(struct launch *launch, time_t seconds)
{
	clock_gettime(CLOCK_MONOTONIC, &launch->deadline);
	launch->deadline.tv_sec += seconds;
}

/* Milliseconds until there is something to complain about; -1: never. */
static int
patience(const struct launch *launch)
{
	bool joining = launch->server.shown < launch->processes;
	struct timespec now;
	int64_t left;

	if ((!joining && !launch->server.finished) || launch->inside)
		return -1;
	clock_gettime(CLOCK_MONOTONIC, &now);
	left = (launch->deadline.tv_sec - now.tv_sec) * 1000 +
	       (launch->deadline.tv_nsec - now.tv_nsec) / 1000000;
	return left > 0 ? (int)left : 0;
}

static void
lose_patience(struct launch *launch)
{
	launch_explain_wait(launch);
	set_deadline(launch, 1);
	kill_all(launch);
}

static void
listen_to(struct launch *launch, uint32_t rank)
{
	bool finished = launch->server.finished;
	enum stn_err err = stn_wireup_server_read(&launch->server, rank);

	if (err == STN_MALFORMED)
		launch_complain(launch,
				"node %" PRIu32
				" is of another version of Sateen; "
				"rebuild it",
				rank);
	if (err == STN_NO_MEMORY)
		launch_complain(launch, "out of memory; lower --nodes");
	if (launch->server.aborted)
		launch_explain_abort(launch);
	if (err)
		close_socket(launch, rank);
	if (launch->failed)
		kill_all(launch);
	else if (launch->server.finished && !finished)
		set_deadline(launch, LAUNCH_LEAVE_SECONDS);
}

static void
watch(struct launch *launch, struct pollfd *fds)
{
	uint32_t count = launch->processes;

	for (uint32_t i = 0; i < count; i++)
		fds[i] = (struct pollfd){ launch->server.clients[i].fd, POLLIN,
					  0 };
	fds[count] = (struct pollfd){ launch->signals, POLLIN, 0 };
	if (!poll(fds, count + 1, patience(launch))) {
		lose_patience(launch);
		return;
	}
	/* Deaths first: what the others then say of it is a consequence. */
	if (fds[count].revents)
		take_signal(launch);
	for (uint32_t i = 0; i < count; i++)
		if (fds[i].revents && launch->server.clients[i].fd >= 0)
			listen_to(launch, i);
}

static void
run(struct launch *launch)
{
	struct pollfd *fds;

	launch->self = getpid();
	launch->terminal = isatty(STDIN_FILENO);
	fds = calloc(launch->processes + 1, sizeof(fds[0]));
	if (!fds) {
		launch_complain(launch, "out of memory");
		return;
	}
	set_deadline(launch, LAUNCH_JOIN_SECONDS);
	for (uint32_t i = 0; i < launch->processes; i++)
		if (!start_node(launch, i)) {
			kill_all(launch);
			break;
		}
	while (launch->running)
		watch(launch, fds);
	free(fds);
}

/* Signals come in through a descriptor, so that one poll waits for all. */
static bool
prepare_signals(struct launch *launch)
{
	sigset_t mask;

	signal(SIGCHLD, SIG_DFL); /* ignored, children would end unseen */
	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGHUP);
	sigprocmask(SIG_BLOCK, &mask, &launch->old_mask);
	launch->signals = signalfd(-1, &mask, SFD_CLOEXEC);
	return launch->signals >= 0;
}

static bool
prepare_links(struct launch *launch)
{
	size_t bytes = stn_topology_queue_bytes(&launch->topology);

	launch->links = -1;
	stn_topology_begin(&launch->topology);
	if (!stn_topology_slow(&launch->topology))
		return true;
	launch->links = memfd_create("sateen-links", MFD_CLOEXEC);
	return launch->links >= 0 && !ftruncate(launch->links, (off_t)bytes);
}

static bool
prepare(struct launch *launch)
{
	const struct stn_config *config = &launch->config;

	launch->inside = !strcmp(stn_config_transport(config), "loop");
	launch->processes = launch->inside ? 1 : (uint32_t)config->nodes;
	launch->children =
		calloc(launch->processes, sizeof(launch->children[0]));
	if (!launch->children || stn_config_export(config) ||
	    stn_wireup_server_init(&launch->server, launch->processes)) {
		launch_complain(launch, "out of memory");
		return false;
	}
	if (prepare_signals(launch) && prepare_links(launch))
		return true;
	launch_complain(launch, "can't prepare the run: %s", strerror(errno));
	return false;
}

static enum stn_err
read_settings(struct launch *launch, int argc, char **argv, int *next_p,
	      struct stn_why *why)
{
	struct stn_config *config = &launch->config;
	enum stn_err err;

	stn_config_defaults(config);
	err = stn_config_environment(config, why);
	if (!err)
		err = stn_config_options(config, argc - 1, argv + 1, next_p,
					 why);
	if (!err)
		err = stn_config_check(config, why);
	return err ? err : stn_config_topology(config, &launch->topology, why);
}

static bool
read_options(struct launch *launch, int argc, char **argv)
{
	struct stn_why why;
	int next;

	if (read_settings(launch, argc, argv, &next, &why)) {
		launch_complain(launch, "%s", why.text);
		return false;
	}
	launch->program = argv + 1 + next;
	if (!launch->program[0]) {
		launch_complain(launch, "no program to run; see sateen --help");
		return false;
	}
	return true;
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

int
stn_launch(int argc, char **argv)
{
	struct launch launch = { .status = EXIT_FAILURE };

	if (!read_options(&launch, argc, argv))
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
	stn_wireup_server_fini(&launch.server);
	free(launch.children);
	stn_topology_fini(&launch.topology);
	close(launch.signals);
	if (launch.links >= 0)
		close(launch.links);
	sigprocmask(SIG_SETMASK, &launch.old_mask, NULL);
	return launch.status;
}
