/*
 * launch.c: starts the nodes of a run on this host, wires them up, and sees to
 * it that none is left when one fails.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "steal/card.h"
#include "steal/config.h"
#include "steal/join.h"
#include "steal/sateen.h"
#include "transport/transport.h"
#include "transport/wireup_server.h"

#define JOIN_SECONDS 60	 /* by then all nodes must have shown their cards */
#define KILLED_MS 100	 /* for which a node may take to die when killed */
#define LEAVE_SECONDS 20 /* after the barrier, by then all must have ended */

struct launch {
	struct stn_config config;
	struct stn_topology topology;
	struct stn_wireup_server server;
	pid_t *children; /* 0: it has ended */
	char **program;
	uint32_t processes; /* one for each node, unless: */
	bool inside;	    /* one process has all the nodes */
	uint32_t running;
	bool terminal; /* node 0 reads it, so it is in our process group */
	pid_t self;
	int signals; /* a signalfd */
	int links;   /* memory for the links' state, or -1 */
	sigset_t old_mask;
	struct timespec deadline;
	int status;  /* what we shall return */
	bool failed; /* the user has been told why */
};

static void complain(struct launch *launch, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The first complaint is the one that matters; later ones follow from it. */
static void
complain(struct launch *launch, const char *format, ...)
{
	va_list list;

	if (launch->failed)
		return;
	launch->failed = true;
	launch->status = EXIT_FAILURE;
	fputs("sateen: ", stderr);
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	fputc('\n', stderr);
}

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
	const struct timeval patience = { JOIN_SECONDS, 0 };
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
		complain(launch, "can't make a socket for node %" PRIu32 ": %s",
			 rank, strerror(errno));
		return false;
	}
	pid = fork();
	if (!pid)
		become_node(launch, rank, ends[1]);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		complain(launch, "can't start node %" PRIu32 ": %s", rank,
			 strerror(errno));
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

/*
 * Reads what a node said last, such as why it gives up, before judging it. Only
 * what is there: somebody it started may hold the other end open.
 */
static void
hear_out(struct launch *launch, uint32_t rank)
{
	struct pollfd fd = { launch->server.clients[rank].fd, POLLIN, 0 };

	while (fd.fd >= 0 && poll(&fd, 1, 0) > 0 &&
	       !stn_wireup_server_read(&launch->server, rank))
		continue;
	close_socket(launch, rank);
}

static void look_for_killed(struct launch *launch);

/* One line on why the end of node @rank is the end of the run. */
static void
explain_end(struct launch *launch, uint32_t rank, int status)
{
	const struct stn_wireup_server *server = &launch->server;
	bool joined = server->clients[rank].shown || launch->inside;

	if (WIFSIGNALED(status))
		complain(launch, "node %" PRIu32 " died %s: signal %d, %s",
			 rank, joined ? "during the run" : "before the run",
			 WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (server->aborted) {
		look_for_killed(launch);
		complain(launch, "%s", server->reason.text);
	} else if (!joined)
		complain(launch,
			 "node %" PRIu32 " ended (status %d) before it joined "
			 "the run; is %s a Sateen program?",
			 rank, WEXITSTATUS(status), launch->program[0]);
	else if (rank)
		complain(launch,
			 "node %" PRIu32 " left the run early (status %d)",
			 rank, WEXITSTATUS(status));
	else
		launch->failed = true; /* main called exit(): it is its end */
}

static void
ended(struct launch *launch, uint32_t rank, int status)
{
	bool clean;

	kill_node(launch, rank); /* what it left running */
	hear_out(launch, rank);
	clean = WIFEXITED(status) && !launch->server.aborted &&
		(launch->server.finished || launch->inside);
	launch->children[rank] = 0;
	launch->running--;
	if (!rank && WIFEXITED(status) && !launch->failed)
		launch->status = WEXITSTATUS(status);
	if (!clean) {
		explain_end(launch, rank, status);
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
	complain(launch, "interrupted by signal %u", info.ssi_signo);
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
	uint32_t i = 0;

	if (launch->server.finished) {
		complain(launch, "nodes did not end %d s after the run",
			 LEAVE_SECONDS);
	} else {
		while (launch->server.clients[i].shown)
			i++;
		complain(launch,
			 "node %" PRIu32 " did not join the run in %d s; is %s "
			 "a Sateen program?",
			 i, JOIN_SECONDS, launch->program[0]);
	}
	set_deadline(launch, 1);
	kill_all(launch);
}

static bool
killed(pid_t pid)
{
	siginfo_t info = { 0 };

	return pid > 0 &&
	       !waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) &&
	       (info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED);
}

/*
 * A node gives up. If it is because another was killed, whose connections end a
 * little before it does, the user should be told that.
 */
static void
look_for_killed(struct launch *launch)
{
	for (int i = 0; i < KILLED_MS; i++) {
		for (uint32_t j = 0; j < launch->processes; j++)
			if (killed(launch->children[j])) {
				reap(launch);
				return;
			}
		poll(NULL, 0, 1);
	}
}

static void
listen_to(struct launch *launch, uint32_t rank)
{
	bool finished = launch->server.finished;
	enum stn_err err = stn_wireup_server_read(&launch->server, rank);

	if (err == STN_MALFORMED)
		complain(launch,
			 "node %" PRIu32 " is of another version of Sateen; "
			 "rebuild it",
			 rank);
	if (launch->server.aborted && !launch->failed) {
		look_for_killed(launch);
		complain(launch, "%s", launch->server.reason.text);
	}
	if (err)
		close_socket(launch, rank);
	if (launch->failed)
		kill_all(launch);
	else if (launch->server.finished && !finished)
		set_deadline(launch, LEAVE_SECONDS);
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
		complain(launch, "out of memory");
		return;
	}
	set_deadline(launch, JOIN_SECONDS);
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
	size_t bytes = stn_topology_busy_bytes(&launch->topology);

	launch->links = -1;
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
	launch->topology = (struct stn_topology){
		.nodes = (uint32_t)config->nodes,
		.clusters = (uint32_t)config->clusters,
		.wan = config->wan,
	};
	launch->children =
		calloc(launch->processes, sizeof(launch->children[0]));
	if (!launch->children || stn_config_export(config) ||
	    stn_wireup_server_init(&launch->server, launch->processes)) {
		complain(launch, "out of memory");
		return false;
	}
	if (prepare_signals(launch) && prepare_links(launch))
		return true;
	complain(launch, "can't prepare the run: %s", strerror(errno));
	return false;
}

static bool
read_options(struct launch *launch, int argc, char **argv)
{
	struct stn_config *config = &launch->config;
	struct stn_why why;
	int next;

	stn_config_defaults(config);
	if (stn_config_environment(config, &why) ||
	    stn_config_options(config, argc - 1, argv + 1, &next, &why) ||
	    stn_config_check(config, &why)) {
		complain(launch, "%s", why.text);
		return false;
	}
	launch->program = argv + 1 + next;
	if (!launch->program[0]) {
		complain(launch, "no program to run; see sateen --help");
		return false;
	}
	return true;
}

int
stn_launch(int argc, char **argv)
{
	struct launch launch = { .status = EXIT_FAILURE };

	if (!read_options(&launch, argc, argv) || !prepare(&launch))
		return EXIT_FAILURE;
	run(&launch);
	stn_wireup_server_fini(&launch.server);
	free(launch.children);
	close(launch.signals);
	if (launch.links >= 0)
		close(launch.links);
	sigprocmask(SIG_SETMASK, &launch.old_mask, NULL);
	return launch.status;
}
