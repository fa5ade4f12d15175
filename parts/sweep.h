/*
 * sweep.h: a worker does the next thing of an operation with a part: fills it,
 * sweeps it for a block, or measures it.
 */
#ifndef STN_PARTS_SWEEP_H
#define STN_PARTS_SWEEP_H

#include "parts/parts.h"

/*
 * stn_sweep_work: takes a part that is ready, if there is one, and does it.
 * Returns false if there is none. The worker's thread; no lock held.
 */
bool stn_sweep_work(struct stn_parts_service *service,
		    struct stn_worker *worker);

#endif
