/*
 * stranger.c: connects to a gateway as strangers might, for tests/join.t.
 *
 *	stranger port			prints a free port that Linux assigns
 *					to no socket by itself
 *	stranger send PORT FILE		sends FILE, waits until the gateway
 *					closes the connection
 *	stranger sit PORT COUNT		opens COUNT connections, sends nothing,
 *					waits until the gateway closes them
 *	stranger crowd PORT COUNT	connects once from 127.0.0.2, then COUNT
 *					times; waits until all but 32 of these
 *					are closed; succeeds if the first one
 *					is still open
 *	stranger flood PORT COUNT	opens and closes COUNT connections,
 *					prints how many were accepted
 *	stranger relay PORT TO FILE [MS]
 *					forwards connections from PORT to TO;
 *					appends the bytes sent to FILE, those
 *					received to FILE.back; waits for MS
 *					milliseconds before it forwards
 *
 * All at 127.0.0.1.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define CROWD 1024 /* most connections that sit or crowd opens */
#define STAY 32	   /* that a gateway keeps of these */
#define PATIENCE_MS 20000
#define PORTS                                                                  \
	16000 /* the first of as many, which Linux assigns to no socket by     \
		 itself */

static _Noreturn void
give_up(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

static struct sockaddr_in
place(int port)
{
	struct sockaddr_in address = { .sin_family = AF_INET };

	address.sin_port = htons((uint16_t)port);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return address;
}

static int
call_from(in_addr_t from, int port)
{
	struct sockaddr_in address = place(port), own = place(0);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	own.sin_addr.s_addr = htonl(from);
	if (fd < 0 || bind(fd, (struct sockaddr *)&own, sizeof(own)))
		give_up("socket");
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	close(fd);
	return -1;
}

static int
call(int port)
{
	return call_from(INADDR_ANY, port);
}

static int
listen_at(int port)
{
	struct sockaddr_in address = place(port);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	if (fd < 0)
		give_up("socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(fd, 64))
		give_up("listen");
	return fd;
}

static int
show_port(void)
{
	struct sockaddr_in address;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	for (int i = 0, port = getpid(); i < PORTS; i++, port += 101) {
		address = place(PORTS + port % PORTS);
		if (!bind(fd, (struct sockaddr *)&address, sizeof(address))) {
			printf("%d\n", ntohs(address.sin_port));
			return EXIT_SUCCESS;
		}
	}
	give_up("port");
}

/* Returns true if the other end closes the connection in time. */
static bool
is_hung_up_on(int fd)
{
	struct pollfd wait = { fd, POLLIN, 0 };
	char bytes[4096];

	while (poll(&wait, 1, PATIENCE_MS) == 1)
		if (read(fd, bytes, sizeof(bytes)) <= 0)
			return true;
	return false;
}

static int
send_file(int port, const char *name)
{
	int fd = call(port), file = open(name, O_RDONLY | O_CLOEXEC);
	char bytes[65536];
	ssize_t got;

	if (fd < 0 || file < 0)
		give_up(name);
	while ((got = read(file, bytes, sizeof(bytes))) > 0)
		if (send(fd, bytes, (size_t)got, MSG_NOSIGNAL) != got)
			break;
	return is_hung_up_on(fd) ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int
sit(int port, int count)
{
	int fds[CROWD];

	for (int i = 0; i < count && i < CROWD; i++)
		fds[i] = call(port);
	for (int i = 0; i < count && i < CROWD; i++)
		if (fds[i] >= 0 && !is_hung_up_on(fds[i]))
			return EXIT_FAILURE;
	return EXIT_SUCCESS;
}

static int
crowd(int port, int count)
{
	int first = call_from(INADDR_LOOPBACK + 1, port);
	struct pollfd look = { first, POLLIN, 0 };
	int fds[CROWD];

	for (int i = 0; i < count && i < CROWD; i++)
		fds[i] = call(port);
	for (int i = 0; i < count - STAY && i < CROWD; i++)
		if (fds[i] < 0 || !is_hung_up_on(fds[i]))
			return EXIT_FAILURE;
	return first >= 0 && !poll(&look, 1, 0) ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int
flood(int port, int count)
{
	const struct linger at_once = { .l_onoff = 1 };
	int reached = 0;

	for (int i = 0; i < count; i++) {
		int fd = call(port);

		if (fd < 0)
			continue;
		reached++;
		/* else this host would run out of ports */
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once,
			   sizeof(at_once));
		close(fd);
	}
	printf("%d\n", reached);
	return EXIT_SUCCESS;
}

/* Forwards what has come from one end to the other; false at the end. */
static bool
carry(int from, int to, int file)
{
	char bytes[65536];
	ssize_t got = read(from, bytes, sizeof(bytes));

	return got > 0 && write(file, bytes, (size_t)got) == got &&
	       send(to, bytes, (size_t)got, MSG_NOSIGNAL) == got;
}

static _Noreturn void
relay_one(int caller, int to, int there, int back, int wait_ms)
{
	int called = call(to);
	struct pollfd fds[] = { { caller, POLLIN, 0 }, { called, POLLIN, 0 } };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (called >= 0 && poll(fds, 2, -1) > 0) {
		poll(NULL, 0, wait_ms);
		if ((fds[0].revents && !carry(caller, called, there)) ||
		    (fds[1].revents && !carry(called, caller, back)))
			break;
	}
	_exit(EXIT_SUCCESS);
}

static int
relay(int port, int to, const char *name, int wait_ms)
{
	const int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
	int listening = listen_at(port);
	int there = open(name, flags, 0600), back;
	char other[4096];

	snprintf(other, sizeof(other), "%s.back", name);
	back = open(other, flags, 0600);
	if (there < 0 || back < 0)
		give_up(name);
	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		int caller = accept4(listening, NULL, NULL, SOCK_CLOEXEC);

		if (caller >= 0 && !fork())
			relay_one(caller, to, there, back, wait_ms);
		close(caller);
	}
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int port = argc > 2 ? atoi(argv[2]) : 0;

	if (!strcmp(what, "port"))
		return show_port();
	if (argc == 4 && !strcmp(what, "send"))
		return send_file(port, argv[3]);
	if (argc == 4 && !strcmp(what, "sit"))
		return sit(port, atoi(argv[3]));
	if (argc == 4 && !strcmp(what, "crowd"))
		return crowd(port, atoi(argv[3]));
	if (argc == 4 && !strcmp(what, "flood"))
		return flood(port, atoi(argv[3]));
	if (argc >= 5 && argc <= 6 && !strcmp(what, "relay"))
		return relay(port, atoi(argv[3]), argv[4],
			     argc == 6 ? atoi(argv[5]) : 0);
	fputs("usage: see stranger.c\n", stderr);
	return 2;
}
