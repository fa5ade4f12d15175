/*
 * fence.h: the slow side of an asymmetric fence: the kernel's membarrier.
 */
#ifndef STN_STEAL_FENCE_H
#define STN_STEAL_FENCE_H

#include <stdbool.h>

/*
 * stn_fence_prepare: lets this process use stn_fence_process. False if the
 * kernel can't. Takes no time while the process has one thread only, or if it
 * was called before; otherwise it takes about 50 ms.
 */
bool stn_fence_prepare(void);

/*
 * stn_fence_process: makes every thread of the process pass a full fence before
 * the call returns. It is the slow side of an asymmetric pair: the fast side
 * needs no fence of the processor. False if the kernel can't; then nothing was
 * done.
 */
bool stn_fence_process(void);

#endif
