/*
 * shm_other.h: the second of two nodes that communicate by shared memory, as a
 * process of its own.
 */
#ifndef TESTS_TRANSPORT_SHM_OTHER_H
#define TESTS_TRANSPORT_SHM_OTHER_H

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/transport/shm_pair.h"

/* The other node's process, and a socket to exchange addresses with it. */
struct other {
	pid_t process;
	int socket;
};

typedef void other_main(struct node *node);

static inline bool
exchange(struct node *node, uint32_t peer, int socket)
{
	unsigned char mine[STN_ADDRESS_BYTES] = { 0 };
	unsigned char theirs[STN_ADDRESS_BYTES];
	size_t bytes = stn_transport_address(node->transport, mine);
	struct stn_why why;

	return send(socket, mine, sizeof(mine), 0) == sizeof(mine) &&
	       recv(socket, theirs, sizeof(theirs), MSG_WAITALL) ==
		       sizeof(theirs) &&
	       !connect_to(node, peer, theirs, bytes, &why);
}

static inline bool
other_start(struct other *other, struct node *node, other_main *run)
{
	int sockets[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		return false;
	other->process = fork();
	if (!other->process)
		/* a child doesn't inherit the alarm */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	other->socket = sockets[!!other->process];
	close(sockets[!other->process]);
	if (!node_open(node, other->process ? 0 : 1) ||
	    !exchange(node, other->process ? 1 : 0, other->socket))
		return false;
	if (!other->process) {
		run(node);
		node_close(node);
		_exit(0);
	}
	return true;
}

static inline void
other_end(struct other *other, int sig)
{
	if (sig)
		kill(other->process, sig);
	waitpid(other->process, NULL, 0);
	close(other->socket);
}

#endif
