/*
 * wake.h: a thread that sleeps in epoll, in the victim's process, and what
 * waking it takes: by an eventfd, answered in shared memory; and by TCP. What a
 * steal from a node that sleeps is held against. Both processes must be
 * children of one launcher on this host.
 */
#ifndef BENCH_WAKE_H
#define BENCH_WAKE_H

#include <stdbool.h>
#include <stdint.h>

struct wake_page;

/* The waking end. */
struct wake {
	struct wake_page *page; /* NULL: there is no such thread */
	int bell, socket;
};

/* wake_offer: starts the thread. False if it can't be. */
bool wake_offer(void);

/* wake_find: finds it, once the other has offered it. */
void wake_find(struct wake *wake);
void wake_lose(struct wake *wake);

/* Nanoseconds until it answers. */
uint64_t wake_by_bell(struct wake *wake);
uint64_t wake_by_tcp(struct wake *wake);

#endif
