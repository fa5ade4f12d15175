#include "launch/run/launch_here.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/run/agent_protocol.h"
#include "launch/run/launch.h"
#include "launch/run/launch_wait.h"
#include "launch/wireup/wireup_pmix.h"
#include "transport/own_program.h"

extern char **environ;

/* This process's program, to start it again. */
struct again {
	char path[PATH_MAX];
	struct stn_bytes line; /* arguments, each with a zero byte */
	char **arguments;
};

/* Reads the arguments of this process. */
static bool
read_line(struct stn_bytes *line)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	size_t before;

	if (fd < 0)
		return false;
	do {
		before = stn_bytes_count(line);
	} while (!stn_bytes_read(line, fd));
	close(fd);
	return before && !stn_bytes_front(line)[before - 1];
}

static bool
again_init(struct again *again)
{
	char *at, *end;
	size_t count = 0;

	stn_own_program(again->path, sizeof(again->path));
	if (access(again->path, X_OK)) /* the file was removed */
		strcpy(again->path, "/proc/self/exe");
	if (!read_line(&again->line))
		return false;
	at = (char *)again->line.data + again->line.start;
	end = (char *)again->line.data + again->line.end;
	again->arguments = calloc(stn_bytes_count(&again->line) + 1,
				  sizeof(again->arguments[0]));
	for (; again->arguments && at < end; at += strlen(at) + 1)
		again->arguments[count++] = at;
	return again->arguments;
}

static void
again_fini(struct again *again)
{
	stn_bytes_fini(&again->line);
	free(again->arguments);
}

/* The node must not look for the other launcher. */
static void
hide_launcher(void)
{
	static const char prefix[] = "PMIX_";

	for (size_t i = 0; environ[i];) {
		char name[64];
		size_t length = strcspn(environ[i], "=");

		if (!strncmp(environ[i], prefix, strlen(prefix)) &&
		    length < sizeof(name)) {
			snprintf(name, sizeof(name), "%.*s", (int)length,
				 environ[i]);
			unsetenv(name);
		} else {
			i++;
		}
	}
}

static int
be_agent(int socket, const struct stn_config *config, const struct again *again)
{
	hide_launcher();
	if (stn_config_export(config))
		return EXIT_FAILURE; /* the launcher misses this agent */
	return stn_agent_here(socket, config, again->path, again->arguments);
}

/*
 * In the child of process 0: its agent. The signals of a terminal are for the
 * launcher.
 */
static _Noreturn void
become_agent(struct stn_muster *muster, const struct stn_config *config,
	     const struct again *again, pid_t launcher, int socket)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != launcher)
		_exit(EXIT_FAILURE);
	setpgid(0, 0);
	stn_muster_fini(muster); /* connections of the launcher */
	_exit(be_agent(socket, config, again));
}

/* Process 0 is connected to its own agent as to the others. */
static enum stn_err
start_agent(struct stn_muster *muster, const struct stn_config *config,
	    const struct again *again, pid_t *agent_p, struct stn_why *why)
{
	pid_t launcher = getpid();
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return stn_because(why, STN_IO,
				   "can't make a socket for an agent: %s",
				   strerror(errno));
	*agent_p = fork();
	if (!*agent_p) {
		close(ends[0]);
		become_agent(muster, config, again, launcher, ends[1]);
	}
	close(ends[1]);
	muster->sockets[0] = ends[0];
	if (*agent_p < 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK))
		return stn_because(why, STN_IO, "can't start an agent: %s",
				   strerror(errno));
	return STN_OK;
}

/*
 * If the run fails, the other launcher ends all processes with this status. It
 * says so itself if one of them ends with a status of its own.
 */
static int
launch_here(struct stn_muster *muster, const struct stn_config *config,
	    const struct again *again, struct stn_wireup *wireup)
{
	struct launch launch = { .status = EXIT_FAILURE,
				 .config = *config,
				 .program = again->arguments,
				 .muster = muster,
				 .signals = -1,
				 .links = -1 };
	pid_t agent = -1;
	struct stn_why why;

	launch.hosts = muster->hosts;
	muster->hosts = (struct stn_hosts){ .count = 0 };
	if (start_agent(muster, config, again, &agent, &why))
		launch_complain(&launch, "%s", why.text);
	else
		launch_carry_out(&launch);
	if (launch.failed)
		stn_wireup_pmix_end(wireup, launch.status);
	else
		stn_agents_over(&launch.agents);
	launch_finish(&launch);
	stn_muster_fini(muster);
	if (agent > 0)
		waitpid(agent, NULL, 0);
	return launch.status;
}

int
stn_launch_here(struct stn_muster *muster, const struct stn_config *config,
		struct stn_wireup *wireup)
{
	struct again again = { .path = "" };
	int status = EXIT_FAILURE;

	if (!again_init(&again))
		stn_wireup_abort(wireup, "can't find the program's file and "
					 "arguments in /proc");
	else if (!muster->rank)
		status = launch_here(muster, config, &again, wireup);
	stn_wireup_destroy(wireup);
	if (again.arguments && muster->rank)
		status = be_agent(muster->socket, config, &again);
	again_fini(&again);
	stn_muster_fini(muster);
	return status;
}
