/*
 * stack_guard.h: detects stack overflow of a worker. The run then ends with a
 * message instead of a crash.
 */
#ifndef STN_NODE_STACK_GUARD_H
#define STN_NODE_STACK_GUARD_H

#include "node/worker.h"

/* Size of the guard below each worker's stack; an access to it is a fault. */
#define STN_STACK_GUARD_BYTES 65536

/*
 * stn_stack_guard_enter, _leave: begin and end the watch over the calling
 * thread's stack, the stack of @worker. If the program handles SIGSEGV itself,
 * or was built with a sanitizer that does, there is no watch.
 */
void stn_stack_guard_enter(struct stn_worker *worker);
void stn_stack_guard_leave(struct stn_worker *worker);

/*
 * stn_stack_guard_switch: the calling thread now runs as another worker, in
 * virtual time.
 * stn_stack_guard_worker: the worker whose stack the calling thread uses; NULL
 * if there is none.
 */
void stn_stack_guard_switch(struct stn_worker *worker);
struct stn_worker *stn_stack_guard_worker(void);

#endif
