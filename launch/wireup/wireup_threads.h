/*
 * wireup_threads.h: wire-up of nodes that are threads of one process.
 */
#ifndef STN_LAUNCH_WIREUP_WIREUP_THREADS_H
#define STN_LAUNCH_WIREUP_WIREUP_THREADS_H

#include "launch/wireup/wireup.h"

/*
 * stn_wireup_threads: makes one object for each of @nodes nodes. Returns an
 * array, which the caller frees, or NULL if there is no memory.
 * stn_wireup_destroy frees an object.
 */
struct stn_wireup **stn_wireup_threads(uint32_t nodes);

#endif
