#include "bench/steal/wake.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "bench/ticks.h"

#define FDS 2 /* descriptors passed: the eventfd ("bell") and the page */

struct wake_page {
	_Atomic(uint64_t) answers; /* release: answer; acquire: wake_by_bell */
	struct sockaddr_in address;
};

/* The sleeping thread's end. */
struct sleeper {
	struct wake_page *page;
	int fds[FDS];
	int unix_socket; /* listens for the waker, which gets @fds here */
	int listener, epoll;
};

/* A name in the abstract name space, so no file is left behind. */
static socklen_t
unix_name(struct sockaddr_un *name)
{
	int length;

	memset(name, 0, sizeof(*name));
	name->sun_family = AF_UNIX;
	length = snprintf(name->sun_path + 1, sizeof(name->sun_path) - 1,
			  "sateen-wake-%d", (int)getppid());
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)length);
}

static void
pass_fds(int unix_socket, const int fds[FDS])
{
	char space[CMSG_SPACE(FDS * sizeof(int))] = { 0 }, byte = 0;
	struct iovec piece = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &piece,
		.msg_iovlen = 1,
		.msg_control = space,
		.msg_controllen = sizeof(space),
	};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(FDS * sizeof(int));
	memcpy(CMSG_DATA(header), fds, FDS * sizeof(int));
	sendmsg(unix_socket, &message, MSG_NOSIGNAL);
}

static bool
get_fds(int unix_socket, int fds[FDS])
{
	char space[CMSG_SPACE(FDS * sizeof(int))], byte;
	struct iovec piece = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &piece,
		.msg_iovlen = 1,
		.msg_control = space,
		.msg_controllen = sizeof(space),
	};
	struct cmsghdr *header;

	if (recvmsg(unix_socket, &message, MSG_CMSG_CLOEXEC) != 1)
		return false;
	header = CMSG_FIRSTHDR(&message);
	if (!header || header->cmsg_len != CMSG_LEN(FDS * sizeof(int)))
		return false;
	memcpy(fds, CMSG_DATA(header), FDS * sizeof(int));
	return true;
}

static bool
watch(const struct sleeper *sleeper, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	return !epoll_ctl(sleeper->epoll, EPOLL_CTL_ADD, fd, &event);
}

static void
set_no_delay(int socket)
{
	setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
}

static void
answer(struct sleeper *sleeper, int fd)
{
	eventfd_t rings;
	char byte;

	if (fd == sleeper->fds[0] && !eventfd_read(fd, &rings))
		/* Pairs with the acquire in wake_by_bell. */
		atomic_fetch_add_explicit(&sleeper->page->answers, 1,
					  memory_order_release);
	else if (recv(fd, &byte, 1, MSG_DONTWAIT) == 1)
		send(fd, &byte, 1, MSG_NOSIGNAL);
	else
		epoll_ctl(sleeper->epoll, EPOLL_CTL_DEL, fd, NULL);
}

static void *
sleeper_main(void *arg)
{
	struct sleeper *sleeper = arg;
	int caller = accept(sleeper->unix_socket, NULL, NULL), connection;
	struct epoll_event event;

	if (caller < 0)
		return NULL;
	pass_fds(caller, sleeper->fds);
	connection = accept(sleeper->listener, NULL, NULL);
	set_no_delay(connection);
	watch(sleeper, connection);
	watch(sleeper, sleeper->fds[0]);
	while (epoll_wait(sleeper->epoll, &event, 1, -1) >= 0)
		answer(sleeper, event.data.fd);
	return NULL;
}

static bool
open_listener(struct sleeper *sleeper)
{
	struct sockaddr_in *address = &sleeper->page->address;
	socklen_t bytes = sizeof(*address);

	address->sin_family = AF_INET;
	address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	sleeper->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return !bind(sleeper->listener, (struct sockaddr *)address, bytes) &&
	       !listen(sleeper->listener, 1) &&
	       !getsockname(sleeper->listener, (struct sockaddr *)address,
			    &bytes);
}

bool
wake_start(void)
{
	static struct sleeper sleeper; /* the thread uses it until the end */
	struct sockaddr_un name;
	socklen_t bytes = unix_name(&name);
	pthread_t thread;

	sleeper.fds[0] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	sleeper.fds[1] = memfd_create("sateen-wake", MFD_CLOEXEC);
	sleeper.epoll = epoll_create1(EPOLL_CLOEXEC);
	sleeper.unix_socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (ftruncate(sleeper.fds[1], sizeof(struct wake_page)))
		return false;
	sleeper.page =
		mmap(NULL, sizeof(struct wake_page), PROT_READ | PROT_WRITE,
		     MAP_SHARED, sleeper.fds[1], 0);
	return sleeper.page != MAP_FAILED && open_listener(&sleeper) &&
	       !bind(sleeper.unix_socket, (struct sockaddr *)&name, bytes) &&
	       !listen(sleeper.unix_socket, 1) &&
	       !pthread_create(&thread, NULL, sleeper_main, &sleeper);
}

static bool
find(struct wake *wake, int unix_socket)
{
	struct sockaddr_un name;
	socklen_t bytes = unix_name(&name);
	int fds[FDS];

	if (connect(unix_socket, (struct sockaddr *)&name, bytes) ||
	    !get_fds(unix_socket, fds))
		return false;
	wake->bell = fds[0];
	wake->page = mmap(NULL, sizeof(*wake->page), PROT_READ | PROT_WRITE,
			  MAP_SHARED, fds[1], 0);
	close(fds[1]);
	wake->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (wake->page == MAP_FAILED ||
	    connect(wake->socket, (struct sockaddr *)&wake->page->address,
		    sizeof(wake->page->address)))
		return false;
	set_no_delay(wake->socket);
	return true;
}

void
wake_connect(struct wake *wake)
{
	int unix_socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (!find(wake, unix_socket))
		wake->page = NULL;
	close(unix_socket);
}

void
wake_disconnect(struct wake *wake)
{
	if (!wake->page)
		return;
	close(wake->bell);
	close(wake->socket);
	munmap(wake->page, sizeof(*wake->page));
}

uint64_t
wake_by_bell(struct wake *wake)
{
	uint64_t begin = ticks_clock_ns();
	uint64_t answers = wake->page->answers;

	eventfd_write(wake->bell, 1);
	/* Pairs with the release in answer. */
	while (atomic_load_explicit(&wake->page->answers,
				    memory_order_acquire) == answers)
		;
	return ticks_clock_ns() - begin;
}

uint64_t
wake_by_tcp(struct wake *wake)
{
	uint64_t begin = ticks_clock_ns();
	char byte = 0;

	send(wake->socket, &byte, 1, MSG_NOSIGNAL);
	while (recv(wake->socket, &byte, 1, MSG_DONTWAIT) != 1)
		;
	return ticks_clock_ns() - begin;
}
