#include "apps/sateen/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/config_check.h"
#include "launch/gateway/meeting.h"
#include "launch/live/metrics_at.h"
#include "launch/settings.h"
#include "launch/signals.h"
#include "node/config.h"
#include "transport/far/handshake.h"
#include "transport/own_program.h"

#define PATH_BYTES 256
#define ARGUMENTS 20 /* of `sateen join`, with those of `sateen run` in it */

struct here {
	struct stn_config config;
	struct stn_topology topology;
	char directory[PATH_BYTES / 2];
	char secret[PATH_BYTES], redis[PATH_BYTES];
	char **program;
	int arguments; /* number of the program's arguments */
	pid_t redis_pid;
	pid_t *children; /* a gateway for each cluster; 0: it has ended */
	uint32_t running;
	int status, interrupted; /* interrupted: the signal, or 0 */
	struct stn_signals_before before;
};

static int
complain(const char *what)
{
	fprintf(stderr, "sateen: %s: %s\n", what, strerror(errno));
	return EXIT_FAILURE;
}

static bool
write_secret(const struct here *here)
{
	int fd = open(here->secret, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		      0600);
	unsigned char secret[32];
	bool written;

	if (fd < 0)
		return false;
	written = getrandom(secret, sizeof(secret), 0) == sizeof(secret);
	for (size_t i = 0; i < sizeof(secret); i++)
		written = written && dprintf(fd, "%02x", secret[i]) == 2;
	close(fd);
	return written;
}

/*
 * Starts a child that ends when this process does. @advice follows the message
 * if that fails.
 */
static pid_t
start(const struct here *here, char *const *arguments, bool silent,
      const char *advice)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	stn_signals_restore(&here->before);
	if (silent && !freopen("/dev/null", "w", stdout))
		_exit(126);
	execvp(arguments[0], arguments);
	fprintf(stderr, "sateen: can't run %s: %s%s\n", arguments[0],
		strerror(errno), advice);
	_exit(127);
}

/* The socket's file exists a little before the server listens. */
static bool
redis_listens(const struct here *here)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool connected;

	snprintf(name.sun_path, sizeof(name.sun_path), "%.100s", here->redis);
	connected = fd >= 0 &&
		    !connect(fd, (const struct sockaddr *)&name, sizeof(name));
	close(fd);
	return connected;
}

/* Says so if the server ends, or does not listen within five seconds. */
static bool
await_redis(struct here *here)
{
	int status;

	for (int i = 0; i < 500; i++) {
		if (redis_listens(here))
			return true;
		if (waitpid(here->redis_pid, &status, WNOHANG)) {
			here->redis_pid = 0;
			if (!WIFEXITED(status) || WEXITSTATUS(status) != 127)
				fputs("sateen: redis-server ended at once; "
				      "run `redis-server --port 0` to see "
				      "why\n",
				      stderr);
			return false;
		}
		usleep(10000);
	}
	fprintf(stderr, "sateen: redis-server does not listen on %s\n",
		here->redis);
	return false;
}

static bool
start_redis(struct here *here)
{
	char *const arguments[] = { "redis-server",
				    "--port",
				    "0",
				    "--unixsocket",
				    here->redis,
				    "--save",
				    "",
				    "--appendonly",
				    "no",
				    "--dir",
				    here->directory,
				    NULL };

	here->redis_pid =
		start(here, arguments, true, "; install redis-server");
	if (here->redis_pid < 0) {
		complain("can't start redis-server");
		return false;
	}
	return await_redis(here);
}

static bool
start_cluster(struct here *here, uint32_t cluster)
{
	char name[32], clusters[16], nodes[16];
	char *first[ARGUMENTS] = { "/proc/self/exe",
				   "join",
				   "--run",
				   "here",
				   "--at",
				   here->redis,
				   "--secret-file",
				   here->secret,
				   "--cluster",
				   name,
				   "--clusters",
				   clusters,
				   "--",
				   "/proc/self/exe",
				   "run",
				   "-n",
				   nodes,
				   "--",
				   NULL };
	size_t count = 18;
	char **all =
		calloc(count + (size_t)here->arguments + 1, sizeof(all[0]));
	char self[PATH_BYTES];

	if (!all || !stn_own_program(self, sizeof(self)))
		return false;
	first[0] = first[13] = self;
	snprintf(name, sizeof(name), "cluster-%03" PRIu32, cluster);
	snprintf(clusters, sizeof(clusters), "%" PRIu32,
		 here->topology.clusters);
	snprintf(nodes, sizeof(nodes), "%" PRIu32,
		 stn_cluster_size(&here->topology, cluster));
	memcpy(all, first, count * sizeof(all[0]));
	memcpy(all + count, here->program,
	       (size_t)here->arguments * sizeof(all[0]));
	here->children[cluster] = start(here, all, false, "");
	free(all);
	here->running += here->children[cluster] > 0;
	return here->children[cluster] > 0;
}

static void
reap(struct here *here)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == here->redis_pid)
			here->redis_pid = 0;
		for (uint32_t i = 0; i < here->topology.clusters; i++) {
			if (here->children[i] != pid)
				continue;
			here->children[i] = 0;
			here->running--;
			if (!i)
				here->status = WIFEXITED(status)
						       ? WEXITSTATUS(status)
						       : EXIT_FAILURE;
		}
	}
}

/* Signals the gateways. They end their clusters then. */
static void
signal_all(const struct here *here, int signal)
{
	for (uint32_t i = 0; i < here->topology.clusters; i++)
		if (here->children[i] > 0)
			kill(here->children[i], signal);
}

/* Waits for all gateways, and forwards signals to them. */
static void
await_all(struct here *here, const sigset_t *mask)
{
	while (here->running) {
		int got;

		if (sigwait(mask, &got))
			return;
		if (got == SIGCHLD) {
			reap(here);
			continue;
		}
		if (got != SIGINT && !here->interrupted &&
		    stn_config_traces(&here->config))
			fputs("sateen: with --gateways a run that is "
			      "interrupted writes its trace only after SIGINT "
			      "(Control-C)\n",
			      stderr);
		here->interrupted = got;
		signal_all(here, got);
	}
}

/* Starts all processes, or says which one is missing. */
static bool
start_all(struct here *here)
{
	if (!write_secret(here)) {
		complain(here->secret);
		return false;
	}
	if (!start_redis(here))
		return false;
	for (uint32_t i = 0; i < here->topology.clusters; i++)
		if (!start_cluster(here, i)) {
			complain("can't start the gateway of a cluster");
			return false;
		}
	return true;
}

static int
run(struct here *here)
{
	sigset_t mask;

	stn_signals_block(&mask, &here->before);
	/* Gateways alone would wait for the missing ones. */
	if (!start_all(here))
		signal_all(here, SIGTERM);
	await_all(here, &mask);
	if (here->redis_pid > 0) {
		kill(here->redis_pid, SIGTERM);
		waitpid(here->redis_pid, NULL, 0);
	}
	return here->interrupted ? 128 + here->interrupted : here->status;
}

static bool
make_directory(struct here *here)
{
	const char *base = getenv("TMPDIR");

	base = base && strlen(base) < 64 ? base : "/tmp";
	snprintf(here->directory, sizeof(here->directory), "%s/sateen-XXXXXX",
		 base);
	if (!mkdtemp(here->directory)) {
		fprintf(stderr, "sateen: can't make a directory in %s: %s\n",
			base, strerror(errno));
		return false;
	}
	snprintf(here->secret, sizeof(here->secret), "%s/secret",
		 here->directory);
	snprintf(here->redis, sizeof(here->redis), "%s/redis", here->directory);
	return true;
}

/*
 * Each cluster's `sateen run` inherits the settings, but has a single cluster,
 * and is on the same host as the others.
 */
static enum stn_err
check_fit(const struct stn_config *config, struct stn_why *why)
{
	const char *text = NULL;
	struct stn_host_port at = { .port = 0 };

	if (!strcmp(stn_config_transport(config), "sim"))
		text = "a simulation has no gateways; leave --gateways out, or "
		       "use `sateen run --gateways`";
	else if (strcmp(config->hosts, "none"))
		text = "--gateways starts all clusters on this host; leave "
		       "--hosts out, or call `sateen join` at each cluster";
	else if (strcmp(config->links, "none"))
		text = "--gateways connects the clusters by real links; leave "
		       "--links out";
	else if (!stn_link_none(&config->wan))
		text = "--gateways connects the clusters by real links; leave "
		       "--wan out";
	else if (config->max_nodes)
		text = "no nodes can join the clusters of --gateways; leave "
		       "--max-nodes out";
	else if (strcmp(config->metrics, "none")) {
		enum stn_err err = stn_metrics_at(config->metrics, &at, why);

		if (err)
			return err;
	}
	if (at.port)
		text = "the clusters of --gateways can't serve their metrics "
		       "at the same port; write --metrics 0";
	return text ? stn_because(why, STN_INVALID, "%s", text) : STN_OK;
}

/* Returns the exit status, 2 if the command line is wrong; 0: go on. */
static int
read_settings(struct here *here, int argc, char **argv)
{
	struct stn_config *config = &here->config;
	struct stn_why why;
	enum stn_err err;
	int next;

	stn_config_defaults(config);
	err = stn_config_environment(config, &why);
	if (!err)
		err = stn_config_options(config, argc - 1, argv + 1, &next,
					 &why);
	if (!err)
		err = check_fit(config, &why);
	if (!err)
		err = stn_config_check(config, &why);
	if (!err)
		err = stn_config_topology(config, &here->topology, &why);
	if (err) {
		fprintf(stderr, "sateen: %s\n", why.text);
		return err == STN_INVALID ? 2 : EXIT_FAILURE;
	}
	here->program = argv + 1 + next;
	here->arguments = argc - 1 - next;
	if (!here->arguments || here->topology.clusters < 2) {
		fputs("sateen: --gateways joins clusters of a program: "
		      "sateen run --gateways -n 4 --clusters 2 ./nqueens 12\n",
		      stderr);
		return 2;
	}
	if (here->topology.clusters > STN_CLUSTERS_MOST) {
		fprintf(stderr,
			"sateen: --gateways joins from 2 to %d clusters\n",
			STN_CLUSTERS_MOST);
		return 2;
	}
	return EXIT_SUCCESS;
}

/*
 * The numbers of nodes and clusters are left to the gateways. The password is that
 * of another Redis server: the one here has none, and refuses gateways that send
 * one.
 */
static bool
export_settings(const struct here *here)
{
	return !stn_config_export(&here->config) && !unsetenv("STN_NODES") &&
	       !unsetenv("STN_CLUSTERS") && !unsetenv(STN_MEETING_PASSWORD);
}

/* Returns the exit status. */
static int
run_prepared(struct here *here)
{
	int status;

	here->children =
		calloc(here->topology.clusters, sizeof(here->children[0]));
	if (!here->children || !export_settings(here))
		return complain("can't prepare the run");
	if (!make_directory(here))
		return EXIT_FAILURE;
	status = run(here);
	unlink(here->secret);
	unlink(here->redis);
	rmdir(here->directory);
	return status;
}

int
join_here(int argc, char **argv)
{
	struct here here = { .status = EXIT_FAILURE };
	int status = read_settings(&here, argc, argv);

	if (!status)
		status = run_prepared(&here);
	free(here.children);
	stn_topology_fini(&here.topology);
	return status;
}
