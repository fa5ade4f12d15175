/*
 * fiber.h: fibers: several stacks in one thread, of which one runs until it
 * switches to another. A fiber belongs to the thread that began or adopted it,
 * and all calls are for that thread.
 */
#ifndef STN_EMUL_FIBER_H
#define STN_EMUL_FIBER_H

#include <stddef.h>

/* Processors other than x86-64 switch by the C library's swapcontext(). */
#if defined(__x86_64__) && !defined(STN_UCONTEXT)
#define STN_FIBER_JUMPS 1
#else
#define STN_FIBER_JUMPS 0
#include <ucontext.h>
#endif

struct stn_fiber {
#if STN_FIBER_JUMPS
	void *top; /* its stack pointer while it doesn't run */
#else
	ucontext_t context;
#endif
	void *stack;  /* the lowest address of its stack */
	size_t bytes; /* size of the stack */
	void (*main)(void *arg);
	void *arg;
	void *shadow; /* a sanitizer's data about it */
};

/* stn_fiber_adopt: makes the running thread a fiber, on its own stack. */
void stn_fiber_adopt(struct stn_fiber *fiber);

/*
 * stn_fiber_begin: makes a fiber that runs @main(@arg) on the @bytes at @stack,
 * from the first switch to it on. @main must not return; it ends by
 * stn_fiber_leave.
 */
void stn_fiber_begin(struct stn_fiber *fiber, void *stack, size_t bytes,
		     void (*main)(void *arg), void *arg);

/*
 * stn_fiber_hint: the first memory that a switch to @fiber reads; for
 * prefetching. @fiber does not run.
 */
static inline const void *
stn_fiber_hint(const struct stn_fiber *fiber)
{
#if STN_FIBER_JUMPS
	return fiber->top;
#else
	return &fiber->context;
#endif
}

/*
 * stn_fiber_switch: runs @to; returns when another fiber switches to @from,
 * which is the running fiber.
 */
void stn_fiber_switch(struct stn_fiber *from, struct stn_fiber *to);

/* stn_fiber_leave: as stn_fiber_switch, but @from never runs again. */
_Noreturn void stn_fiber_leave(struct stn_fiber *from, struct stn_fiber *to);

/*
 * stn_fiber_end: frees what the library holds for a fiber that isn't running.
 * The caller frees its stack.
 */
void stn_fiber_end(struct stn_fiber *fiber);

/*
 * stn_fiber_abandon: as stn_fiber_end, for a fiber that has begun and has not
 * left. Memory that it would have freed is lost, and not reported as a leak.
 */
void stn_fiber_abandon(struct stn_fiber *fiber);

#endif
