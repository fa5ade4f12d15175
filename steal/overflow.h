/*
 * overflow.h: results of calls that were run in place, as the deque was full,
 * until their syncs ask for them, last come first. Belongs to one worker.
 */
#ifndef STN_STEAL_OVERFLOW_H
#define STN_STEAL_OVERFLOW_H

#include "steal/sateen_task.h"
#include "transport/error.h"

struct stn_overflow {
	unsigned char *bytes;
	size_t used, size;
};

/* stn_overflow_fini: frees its memory. Zero bytes are an empty one. */
void stn_overflow_fini(struct stn_overflow *overflow);

/* stn_overflow_push: keeps a result of @task. STN_OK or STN_NO_MEMORY. */
STN_CHECKED enum stn_err stn_overflow_push(struct stn_overflow *overflow,
					   const struct stn_task *task,
					   const void *result);

/*
 * stn_overflow_top: the task whose result is the last, NULL if there is none.
 * stn_overflow_pop: takes it off, to @result.
 */
const struct stn_task *stn_overflow_top(const struct stn_overflow *overflow);
void stn_overflow_pop(struct stn_overflow *overflow, void *result);

#endif
