/*
 * guard.h: a worker that runs out of its stack ends the run with a line that
 * says so, instead of a crash.
 */
#ifndef STN_STEAL_GUARD_H
#define STN_STEAL_GUARD_H

#include "steal/node.h"

#define STN_GUARD_BYTES 65536 /* below each worker's stack, untouchable */

/*
 * stn_guard_enter, _leave: begin and end watching over the calling thread's
 * stack, which is @worker's. If the program handles SIGSEGV by itself, or was
 * built with a sanitizer, which does, it is left alone.
 */
void stn_guard_enter(struct stn_worker *worker);
void stn_guard_leave(struct stn_worker *worker);

/* stn_guard_switch: in virtual time, the thread goes on as another worker. */
void stn_guard_switch(struct stn_worker *worker);

#endif
