/*
 * nested.h: the deposits of one worker that later deposits may supersede. A
 * call that is deposited contains the deposited calls that the worker has run
 * inside it. When the result of the outer call is stored where the results of
 * the inner ones are, they are useless.
 *
 * The keys lie on a stack. A frame is a run of a call by the worker. All keys
 * from its begin on belong to calls inside it: a run of a job, or of another
 * worker's record, in a sync of the call, belongs to a call elsewhere, and
 * removes its keys at its end. Their results stay stored until they are
 * evicted.
 */
#ifndef STN_STEAL_NESTED_H
#define STN_STEAL_NESTED_H

#include "steal/key.h"

#define STN_NESTED_MOST 4096 /* keys of a worker */

/* Zeroed: empty. Own thread only. */
struct stn_nested {
	struct stn_key *keys;
	uint32_t count, room;
};

/* stn_nested_cut: ends the frame that began when there were @begin keys. */
static inline void
stn_nested_cut(struct stn_nested *nested, uint32_t begin)
{
	nested->count = begin;
}

/*
 * stn_nested_push: adds a key. Does nothing if there are STN_NESTED_MOST keys,
 * or no memory.
 * stn_nested_fini: frees the memory.
 */
void stn_nested_push(struct stn_nested *nested, struct stn_key key);
void stn_nested_fini(struct stn_nested *nested);

#endif
