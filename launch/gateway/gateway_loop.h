/*
 * gateway_loop.h: the gateway's event loop: descriptors with their handlers.
 * One thread. Nothing blocks but the wait for events and, before the run, the
 * questions to the meeting point.
 */
#ifndef STN_LAUNCH_GATEWAY_GATEWAY_LOOP_H
#define STN_LAUNCH_GATEWAY_GATEWAY_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "transport/error.h"

struct gateway;

/*
 * The first member of every object that has a watched descriptor. @ready gets
 * the epoll events of that descriptor.
 */
struct watch {
	void (*ready)(struct gateway *gateway, struct watch *watch,
		      uint32_t events);
	uint32_t events; /* that the descriptor is watched for */
	bool dead;	 /* gets no more events and will be freed */
	struct watch *next_dead;
};

struct gateway_loop {
	struct gateway *gateway; /* the argument of all handlers */
	/* Called before events are handled; false: they are left for later. */
	bool (*woke)(struct gateway *gateway);
	int epoll; /* -1: not open */
	struct watch *dead;
};

/* gateway_now: the machine's clock, in ns. */
uint64_t gateway_now(void);

STN_CHECKED enum stn_err gateway_loop_init(struct gateway_loop *loop,
					   struct gateway *gateway,
					   struct stn_why *why);

/* gateway_loop_fini: closes the loop and frees what gateway_free_later got. */
void gateway_loop_fini(struct gateway_loop *loop);

/* gateway_loop_wait: waits for events, 0.1 s at most, and handles them. */
void gateway_loop_wait(struct gateway_loop *loop);

/*
 * gateway_loop_free_dead: frees what gateway_free_later got. To be called when
 * no event that was fetched may refer to it.
 */
void gateway_loop_free_dead(struct gateway_loop *loop);

/* gateway_watch: begins to watch @fd; false if the kernel refuses. */
bool gateway_watch(struct gateway_loop *loop, struct watch *watch, int fd,
		   uint32_t events);

/* gateway_rewatch: changes the events, if need be, that @fd is watched for. */
void gateway_rewatch(struct gateway_loop *loop, struct watch *watch, int fd,
		     uint32_t events);

/*
 * gateway_unwatch: to be called before @fd is closed. Between fork and exec the
 * command also has @fd open, so closing alone would not end its events.
 */
void gateway_unwatch(struct gateway_loop *loop, int fd);

/*
 * gateway_free_later: ends the watch and frees the object that it begins. The
 * object stays in memory until all fetched events have been handled. The caller
 * has closed the descriptor or given it away.
 */
void gateway_free_later(struct gateway_loop *loop, struct watch *watch);

#endif
