/*
 * wake.h: measures how long it takes to wake a thread of the victim's process
 * that sleeps in epoll: by an eventfd, with the answer in shared memory, and by
 * TCP. A steal from a sleeping node is compared with this. Both processes must
 * be children of one launcher on this host.
 */
#ifndef BENCH_STEAL_WAKE_H
#define BENCH_STEAL_WAKE_H

#include <stdbool.h>
#include <stdint.h>

struct wake_page;

/* The waking end. */
struct wake {
	struct wake_page *page; /* NULL: there is no thread to wake */
	int bell, socket;	/* the eventfd; the TCP connection */
};

/* wake_start: the victim starts the thread. False on failure. */
bool wake_start(void);

/*
 * wake_connect: the thief connects to the thread. On failure @page is NULL.
 * wake_disconnect: closes the connection.
 */
void wake_connect(struct wake *wake);
void wake_disconnect(struct wake *wake);

/* Wake the thread and return the nanoseconds until it answers. Both spin. */
uint64_t wake_by_bell(struct wake *wake);
uint64_t wake_by_tcp(struct wake *wake);

#endif
