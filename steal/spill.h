/*
 * spill.h: a stack of results of calls that were run in place because the deque
 * was full. Each result waits for its sync. Belongs to one worker; only the
 * worker's thread may use it.
 */
#ifndef STN_STEAL_SPILL_H
#define STN_STEAL_SPILL_H

#include "steal/sateen_record.h"
#include "transport/error.h"

struct stn_spill {
	unsigned char *bytes;
	size_t used, size;
};

/* stn_spill_fini: frees the memory. A zeroed spill is empty. */
void stn_spill_fini(struct stn_spill *spill);

/* stn_spill_push: pushes a result of @task. Returns STN_OK or STN_NO_MEMORY. */
STN_CHECKED enum stn_err stn_spill_push(struct stn_spill *spill,
					const struct stn_task *task,
					const void *result);

/*
 * stn_spill_top: the task of the newest result; NULL if the spill is empty.
 * stn_spill_pop: moves the newest result to @result.
 */
const struct stn_task *stn_spill_top(const struct stn_spill *spill);
void stn_spill_pop(struct stn_spill *spill, void *result);

#endif
