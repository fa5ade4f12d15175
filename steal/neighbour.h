/*
 * neighbour.h: how a worker steals a record from another worker of its node.
 *
 * A worker that waits for a stolen record may run parts of that record
 * meanwhile (leapfrogging; Wagner and Calder, PPoPP 1993). The parts lie in the
 * thief's deque. Other records may lie there, too: calls that the thief had
 * spawned before it stole the record, and parts of other work that it has found
 * since then, in a sync inside the record.
 *
 * So each worker names its *whole*, the record that it has stolen last inside
 * the node, and notes in it the head with which it has begun to run it. As long
 * as it runs no other work on top of that, its records from that head on are
 * parts of the whole, and no others are.
 */
#ifndef STN_STEAL_NEIGHBOUR_H
#define STN_STEAL_NEIGHBOUR_H

#include <stdint.h>

struct stn_deque;
struct stn_owner;
struct stn_record;

/*
 * stn_whole_begin: the owner's worker begins to run @whole, which it has stolen
 * from a worker of this node, and whose spawns go on from @head; NULL: a job.
 * Returns the whole before. Not called for a part of a record for which the
 * worker waits: that is a part of the worker's whole, too.
 * stn_whole_end: goes back to that; before the record is done. Own thread.
 */
const struct stn_record *stn_whole_begin(struct stn_owner *owner,
					 struct stn_record *whole,
					 const struct stn_record *head);
void stn_whole_end(struct stn_owner *owner, const struct stn_record *before);

/*
 * stn_neighbour_steal: the oldest record of @deque, or NULL.
 * @whole  NULL: any record; else the owner's worker waits for that one, which
 *         the worker of @deque has stolen: only a part of it. Own thread.
 */
struct stn_record *stn_neighbour_steal(struct stn_owner *owner,
				       struct stn_deque *deque,
				       const struct stn_record *whole);

#endif
