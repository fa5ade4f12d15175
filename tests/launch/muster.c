/*
 * muster.c: the processes of a muster, here threads, connect to process 0.
 * Strangers that connect to it get no answer and disturb nobody.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "launch/run/muster.h"
#include "launch/run/muster_card.h"
#include "launch/wireup/wireup_threads.h"
#include "tests/tap.h"

#define NODES 5
#define STRANGERS 100 /* more than process 0 lets wait at a time */

struct process {
	pthread_t thread;
	struct stn_wireup *wireup;
	uint32_t rank;
	unsigned delay_ms;
	const struct stn_config *config;
	struct stn_muster muster;
	enum stn_err err;
	struct stn_why why;
};

static void *
process_main(void *arg)
{
	struct process *process = arg;

	poll(NULL, 0, (int)process->delay_ms);
	process->err = stn_muster_hold(process->wireup, process->rank, NODES,
				       process->config, &process->muster,
				       &process->why);
	return NULL;
}

/* Each but process 0 comes later than the last. */
static void
hold(struct process *processes, const struct stn_config *config,
     unsigned delay_ms)
{
	struct stn_wireup **wireups = stn_wireup_threads(NODES);

	for (uint32_t i = 0; i < NODES; i++) {
		processes[i] = (struct process){ .wireup = wireups[i],
						 .rank = i,
						 .delay_ms = i * delay_ms,
						 .config = config };
		pthread_create(&processes[i].thread, NULL, process_main,
			       &processes[i]);
	}
	for (uint32_t i = 0; i < NODES; i++)
		pthread_join(processes[i].thread, NULL);
	for (uint32_t i = 0; i < NODES; i++)
		stn_wireup_destroy(wireups[i]);
	free(wireups);
}

/* Is each process connected with process 0, by the socket of its rank? */
static bool
is_connected(const struct process *processes)
{
	for (uint32_t i = 1; i < NODES; i++) {
		uint32_t sent = 100 + i, got = 0;

		if (processes[i].err || processes[0].err ||
		    send(processes[i].muster.socket, &sent, sizeof(sent), 0) <
			    0)
			return false;
		struct pollfd one = { processes[0].muster.sockets[i], POLLIN,
				      0 };

		if (poll(&one, 1, 5000) <= 0 ||
		    recv(one.fd, &got, sizeof(got), 0) != sizeof(got) ||
		    got != sent)
			return false;
	}
	return true;
}

static void
finish(struct process *processes)
{
	for (uint32_t i = 0; i < NODES; i++)
		if (!processes[i].err)
			stn_muster_fini(&processes[i].muster);
}

/* Opens a socket that listens on a free port of loopback. */
static int
occupy(uint16_t *port_p)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t size = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, 1) ||
	    getsockname(fd, (struct sockaddr *)&at, &size))
		abort();
	*port_p = ntohs(at.sin_port);
	return fd;
}

struct strangers {
	uint16_t port;
	atomic_uint connected, answered;
	atomic_bool over;
};

/* The stranger sends nothing, garbage, or a rank with a wrong token. */
static void
pester(struct strangers *strangers, unsigned number)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(strangers->port) };
	struct {
		uint32_t rank;
		unsigned char token[STN_MUSTER_TOKEN];
	} hello = { 1 + number % (NODES - 1), "wrong" };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	char byte;

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (!connect(fd, (struct sockaddr *)&to, sizeof(to)) ||
	    errno == EINPROGRESS) {
		struct pollfd one = { fd, POLLOUT, 0 };

		poll(&one, 1, 100);
		if (number % 3 &&
		    send(fd, &hello, number % 3 == 1 ? sizeof(hello) : 7,
			 MSG_NOSIGNAL) > 0)
			strangers->connected++;
		one.events = POLLIN;
		if (poll(&one, 1, 1) > 0 && recv(fd, &byte, 1, 0) > 0)
			strangers->answered++;
	}
	if (number % 2) /* others stay connected */
		close(fd);
}

static void *
strangers_main(void *arg)
{
	struct strangers *strangers = arg;

	for (unsigned i = 0; !strangers->over || i < STRANGERS; i++)
		if (i < 5 * STRANGERS)
			pester(strangers, i);
		else
			poll(NULL, 0, 1);
	return NULL;
}

static void
test_strangers(struct stn_config *config)
{
	struct process processes[NODES];
	struct strangers strangers = { .port = 0 };
	pthread_t thread;

	close(occupy(&strangers.port));
	snprintf(config->ports, sizeof(config->ports), "%u-%u", strangers.port,
		 strangers.port);
	pthread_create(&thread, NULL, strangers_main, &strangers);
	hold(processes, config, 50);
	strangers.over = true;
	pthread_join(thread, NULL);
	tap_ok(is_connected(processes),
	       "all processes connect, although %u "
	       "strangers do",
	       strangers.connected);
	tap_ok(!strangers.answered, "no stranger gets an answer");
	finish(processes);
}

static void
test_no_port(struct stn_config *config)
{
	struct process processes[NODES];
	bool all = true;
	uint16_t port;
	int fd = occupy(&port);

	snprintf(config->ports, sizeof(config->ports), "%u-%u", port, port);
	hold(processes, config, 0);
	for (uint32_t i = 0; i < NODES; i++)
		all = all && processes[i].err == STN_MISSING &&
		      strstr(processes[i].why.text, "can't listen on a port");
	tap_ok(all, "if process 0 can't listen, all processes know");
	close(fd);
}

int
main(void)
{
	struct process processes[NODES];
	struct stn_config config;

	tap_begin();
	stn_config_init(&config);
	hold(processes, &config, 0);
	tap_ok(is_connected(processes), "all processes connect to process 0");
	tap_ok(!processes[0].err && processes[0].muster.one_host &&
		       processes[0].muster.hosts.count == NODES,
	       "which knows their hosts");
	finish(processes);
	test_strangers(&config);
	test_no_port(&config);
	return tap_end();
}
