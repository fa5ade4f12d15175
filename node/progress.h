/*
 * progress.h: drives the network. Workers without work poll it; when no worker
 * polls, the progress thread does. The calls that take and release the net lock
 * are here as well.
 */
#ifndef STN_NODE_PROGRESS_H
#define STN_NODE_PROGRESS_H

#include "node/node.h"

/*
 * stn_node_enter: takes the net lock. Blocks.
 * stn_node_try_enter: takes the net lock if it is free.
 * stn_node_leave: releases it. If no worker polls, it wakes the progress thread
 * when the transport has work that only that thread would do.
 */
void stn_node_enter(struct stn_node *node);
void stn_node_leave(struct stn_node *node);
bool stn_node_try_enter(struct stn_node *node);

/*
 * stn_progress_kick: wakes the progress thread, if it has started, to find out
 * anew how long it may sleep. Net lock held.
 */
void stn_progress_kick(struct stn_node *node);

/*
 * stn_progress_until: a service has timed work at the time @at, which it did
 * not tell when look_after was called last. Services are looked after by then,
 * or at most 0.2 ms later. Cheaper than a kick. Net lock held.
 */
void stn_progress_until(struct stn_node *node, uint64_t at);

/*
 * stn_progress_aside: the progress thread calls @call(@arg) once, soon, without
 * the net lock. Returns false, and nothing is called, in virtual time, which
 * has no progress thread, or if an earlier @call has not begun. Net lock held.
 */
bool stn_progress_aside(struct stn_node *node, void (*call)(void *arg),
			void *arg);

/*
 * stn_progress_poll_begin: the worker begins to poll.
 * stn_progress_poll: drives the network once, unless another thread does.
 * Returns true if messages have come and the services were not looked after;
 * on a node, never twice in a row.
 * stn_progress_poll_end: the worker stops polling; @to_work: it has found work.
 * Returns the time, or 0 if it has not read the clock.
 * A worker calls them on its own thread, without the net lock.
 */
bool stn_progress_poll(struct stn_node *node);
void stn_progress_poll_begin(struct stn_node *node);
uint64_t stn_progress_poll_end(struct stn_node *node, bool to_work);

/*
 * stn_progress_has_news: would a poll find something? @unknown is the answer if
 * the transport can't tell. A hint. Any thread.
 */
bool stn_progress_has_news(const struct stn_node *node, bool unknown);

/*
 * stn_progress_start, _stop: start and end the progress thread. Not in virtual
 * time.
 */
void stn_progress_start(struct stn_node *node);
void stn_progress_stop(struct stn_node *node);

#endif
