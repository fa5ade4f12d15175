/*
 * nested.h: the deposits of one worker that later deposits may supersede. A
 * call that is deposited contains the deposited calls that the worker has run
 * inside it. When the result of the outer call is stored where the results of
 * the inner ones are, they are useless.
 *
 * The keys lie on a stack. A frame is a run of a call by the worker. All keys
 * from its start on belong to calls inside it: a run of a job, or of another
 * worker's record, in a sync of the call, belongs to a call elsewhere, and
 * removes its keys at its end. Their results stay stored until they are
 * evicted.
 *
 * When the stack is full, its oldest half is dropped. Those keys belong to the
 * outermost frames. The frame of main never ends in a deposit, so its keys are
 * the first to go.
 */
#ifndef STN_STEAL_NESTED_H
#define STN_STEAL_NESTED_H

#include "steal/key.h"

#define STN_NESTED_MOST 4096 /* keys of a worker */

/* Zeroed: empty. Own thread only. */
struct stn_nested {
	struct stn_key *keys;
	uint32_t count, room;
	uint32_t dropped; /* keys that have lain below keys[0] */
};

/* stn_nested_begin: the begin of a frame that begins now. */
static inline uint32_t
stn_nested_begin(const struct stn_nested *nested)
{
	return nested->dropped + nested->count;
}

/*
 * stn_nested_inside: how many keys the frame has that began at @begin. They
 * are the last ones of nested->keys.
 */
static inline uint32_t
stn_nested_inside(const struct stn_nested *nested, uint32_t begin)
{
	uint32_t inside = stn_nested_begin(nested) - begin;

	return inside < nested->count ? inside : nested->count;
}

/* stn_nested_cut: ends the frame that began at @begin, and removes its keys. */
static inline void
stn_nested_cut(struct stn_nested *nested, uint32_t begin)
{
	nested->count -= stn_nested_inside(nested, begin);
	nested->dropped = begin - nested->count;
}

/*
 * stn_nested_push: adds a key. Does nothing if there is no memory.
 * stn_nested_fini: frees the memory.
 */
void stn_nested_push(struct stn_nested *nested, struct stn_key key);
void stn_nested_fini(struct stn_nested *nested);

#endif
