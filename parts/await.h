/*
 * await.h: a call of the array's functions waits for other nodes. Its worker
 * sweeps parts meanwhile. The caller must not hold the net lock, unless said
 * otherwise.
 */
#ifndef STN_PARTS_AWAIT_H
#define STN_PARTS_AWAIT_H

#include "parts/parts.h"
#include "steal/steal.h"

/*
 * stn_await_finished: blocks until all operations so far are finished, also
 * after a death that has undone some. Returns with the net lock held.
 * stn_await_made: the same after the command CREATE. But if main has made the
 * grid in a former run, or before the root died, it blocks only until the
 * history has main's calls.
 * stn_await_known: whether the next call of main is in the history, so that it
 * need not wait for the operations of earlier calls. The caller holds the net
 * lock.
 * stn_await_planned: blocks until this node's last call, if it was the last
 * operation, is finished, and until this node has the plans of all finished
 * operations on cells; a node that has joined may lack some. On the root,
 * stn_await_finished is needed as well. Returns with the net lock held.
 * stn_await_points: blocks until the points that the caller fetches have come,
 * or until the membership has changed. The net lock is free then.
 *
 * If the run ends meanwhile, main has not needed the task that calls: another
 * node has run it, too, after a death. Other nodes don't sweep any more, so the
 * call gives up.
 */
void stn_await_finished(struct stn_owner *owner, struct stn_parts *array);
void stn_await_made(struct stn_owner *owner, struct stn_parts *array);
void stn_await_planned(struct stn_owner *owner, struct stn_parts *array);
bool stn_await_known(const struct stn_parts *array);
void stn_await_points(struct stn_owner *owner, struct stn_parts *array);

#endif
