#include "launch/gateway/gateway_loop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "transport/ops.h"

#define EVENTS 64
#define TICK_MS 100

uint64_t
gateway_now(void)
{
	return stn_machine_now(NULL);
}

enum stn_err
gateway_loop_init(struct gateway_loop *loop, struct gateway *gateway,
		  struct stn_why *why)
{
	loop->gateway = gateway;
	loop->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epoll < 0)
		return stn_because(why, STN_IO, "can't wait for events: %s",
				   strerror(errno));
	return STN_OK;
}

void
gateway_loop_fini(struct gateway_loop *loop)
{
	gateway_loop_free_dead(loop);
	if (loop->epoll >= 0)
		close(loop->epoll);
}

void
gateway_loop_wait(struct gateway_loop *loop)
{
	struct epoll_event events[EVENTS];
	int count = epoll_wait(loop->epoll, events, EVENTS, TICK_MS);

	if (!loop->woke(loop->gateway))
		return;
	for (int i = 0; i < count; i++) {
		struct watch *watch = events[i].data.ptr;

		if (!watch->dead)
			watch->ready(loop->gateway, watch, events[i].events);
	}
}

void
gateway_loop_free_dead(struct gateway_loop *loop)
{
	while (loop->dead) {
		struct watch *watch = loop->dead;

		loop->dead = watch->next_dead;
		free(watch);
	}
}

bool
gateway_watch(struct gateway_loop *loop, struct watch *watch, int fd,
	      uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = watch };

	watch->events = events;
	return !epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &event);
}

void
gateway_rewatch(struct gateway_loop *loop, struct watch *watch, int fd,
		uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = watch };

	if (events == watch->events)
		return;
	watch->events = events;
	epoll_ctl(loop->epoll, EPOLL_CTL_MOD, fd, &event);
}

void
gateway_unwatch(struct gateway_loop *loop, int fd)
{
	epoll_ctl(loop->epoll, EPOLL_CTL_DEL, fd, NULL);
}

void
gateway_free_later(struct gateway_loop *loop, struct watch *watch)
{
	watch->dead = true;
	watch->next_dead = loop->dead;
	loop->dead = watch;
}
