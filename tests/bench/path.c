/*
 * path.c: how long a path of sateen bench waits for the other node, and on
 * which ports it listens.
 */
#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "bench/fabric/bare.h"
#include "bench/ticks.h"
#include "launch/wireup/wireup_ops.h"
#include "tests/tap.h"

#define ABORTED 3 /* exit status of a node that tells the launcher why */
#define PATIENCE_MS 300
#define PATIENCE_NS (PATIENCE_MS * UINT64_C(1000000))
#define PORTS 50 /* to find a free one among */

static void
abort_run(struct stn_wireup *wireup, const char *text)
{
	(void)wireup;
	(void)text;
	_exit(ABORTED);
}

static const struct stn_wireup_ops wireup_ops = { .abort = abort_run };
static struct stn_wireup wireup = { .ops = &wireup_ops };
static const struct path_ops path_ops = { .name = "made up" };

/*
 * The exit status of a node that looks at the clock when its peer's time is up.
 * Has something @advanced in that time? 0: the peer's time starts anew.
 */
static int
looks_late(bool advanced)
{
	struct path path = { .ops = &path_ops, .wireup = &wireup };
	int status = -1;
	pid_t child = fork();

	if (!child) {
		path_begin(&path);
		if (advanced)
			path_advance(&path);
		path.deadline_ns = 1;
		path_look(&path);
		_exit(path.deadline_ns > ticks_clock_ns() + 50 * STN_SECOND_NS
			      ? EXIT_SUCCESS
			      : EXIT_FAILURE);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Opens one end of a connection; NULL if no port of the range is free. */
static struct path *
open_end(uint32_t rank, uint16_t port, uint16_t last_port)
{
	const struct path_opening opening = {
		.rank = rank,
		.wireup = &wireup,
		.address = "127.0.0.1",
		.port = port,
		.last_port = last_port,
		.patience_ms = PATIENCE_MS,
		.most = 64,
	};
	struct path *path;
	struct stn_why why;

	return path_open(&bare_tcp, &opening, &path, &why) ? NULL : path;
}

static bool
joins(struct path *path, const unsigned char *address, size_t bytes)
{
	struct stn_why why;

	return !path_join(path, address, bytes, &why);
}

/* Does connecting fail, and soon? */
static bool
gives_up(struct path *path, const unsigned char *address, size_t bytes)
{
	uint64_t begin = ticks_clock_ns();
	bool joined = joins(path, address, bytes);

	return !joined && ticks_clock_ns() - begin < 10 * PATIENCE_NS;
}

static uint16_t
port_of(struct path *path)
{
	unsigned char address[PATH_ADDRESS_BYTES];
	struct sockaddr_in name;

	bare_tcp.address(path, address);
	memcpy(&name, address, sizeof(name));
	return ntohs(name.sin_port);
}

static void
both_ends(void)
{
	struct path *ends[] = { open_end(0, 0, 0), open_end(1, 0, 0) };
	unsigned char address[PATH_ADDRESS_BYTES];
	size_t bytes = bare_tcp.address(ends[1], address);

	tap_ok(joins(ends[0], address, bytes) && joins(ends[1], address, bytes),
	       "sockets connect");
	path_close(ends[0]);
	path_close(ends[1]);
}

/* A firewall that refuses or drops connections stands between the nodes. */
static void
walled(void)
{
	struct path *ends[] = { open_end(0, 0, 0), open_end(1, 0, 0) };
	unsigned char address[PATH_ADDRESS_BYTES];
	size_t bytes = bare_tcp.address(ends[1], address);
	struct sockaddr_in name;
	int crowd[4];

	tap_ok(gives_up(ends[1], address, bytes),
	       "node 1 gives up if node 0 does not connect");
	/* Linux drops the requests to connect that the queue can't hold. */
	memcpy(&name, address, sizeof(name));
	for (int i = 0; i < 4; i++) {
		crowd[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		(void)!connect(crowd[i], (struct sockaddr *)&name,
			       sizeof(name));
	}
	tap_ok(gives_up(ends[0], address, bytes),
	       "node 0 gives up if nothing answers");
	for (int i = 0; i < 4; i++)
		close(crowd[i]);
	path_close(ends[0]);
	path_close(ends[1]);
}

static void
ports(void)
{
	struct path *first = open_end(0, 0, 0), *second;
	uint16_t port = port_of(first), last;

	last = port < UINT16_MAX - PORTS ? port + PORTS : UINT16_MAX;
	tap_ok(!open_end(0, port, port), "a port that is taken is not used");
	second = open_end(0, port, last);
	tap_ok(second && port_of(second) > port && port_of(second) <= last,
	       "of a range of ports a free one is used");
	path_close(first);
	if (second)
		path_close(second);
}

int
main(void)
{
	tap_begin();
	tap_ok(looks_late(false) == ABORTED,
	       "the run ends if nothing has moved in the peer's time");
	tap_ok(looks_late(true) == EXIT_SUCCESS,
	       "the peer gets a minute more if something has moved");
	both_ends();
	walled();
	ports();
	return tap_end();
}
