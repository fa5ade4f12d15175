/*
 * fiber.h: threads of control that hand over to each other by name. A fiber
 * belongs to the thread that began it.
 */
#ifndef STN_EMUL_FIBER_H
#define STN_EMUL_FIBER_H

#include <stddef.h>

/* Where we don't know the processor, the C library switches. */
#if defined(__x86_64__) && !defined(STN_UCONTEXT)
#define STN_FIBER_JUMPS 1
#else
#define STN_FIBER_JUMPS 0
#include <ucontext.h>
#endif

struct stn_fiber {
#if STN_FIBER_JUMPS
	void *top; /* of its stack, while it doesn't run */
#else
	ucontext_t context;
#endif
	void *stack;  /* its lowest byte */
	size_t bytes; /* of the stack */
	void (*main)(void *arg);
	void *arg;
	void *shadow; /* what a sanitizer keeps of it */
};

/* stn_fiber_adopt: the thread that runs becomes a fiber. */
void stn_fiber_adopt(struct stn_fiber *fiber);

/*
 * stn_fiber_begin: a fiber that will run @main(@arg) when it is switched to,
 * on the @bytes at @stack. @main must not return, but switch away for good.
 */
void stn_fiber_begin(struct stn_fiber *fiber, void *stack, size_t bytes,
		     void (*main)(void *arg), void *arg);

/* stn_fiber_switch: goes on with @to; returns when somebody switches back. */
void stn_fiber_switch(struct stn_fiber *from, struct stn_fiber *to);

/* stn_fiber_leave: as switch, from a fiber that won't be switched to again. */
_Noreturn void stn_fiber_leave(struct stn_fiber *from, struct stn_fiber *to);

/* stn_fiber_end: forgets a fiber that doesn't run; its stack is the caller's.
 */
void stn_fiber_end(struct stn_fiber *fiber);

#endif
