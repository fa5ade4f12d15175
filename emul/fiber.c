/*
 * fiber.c: a switch saves the registers that a call must preserve on the stack
 * of the old fiber and restores them from the stack of the new one, which takes
 * a few nanoseconds. The fallback, swapcontext(), also makes two system calls
 * to save and restore signal masks, which no fiber changes.
 */
#include "emul/fiber.h"

#include <stdint.h>
#include <stdlib.h>

#if defined(STN_ASAN)
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>
#elif defined(STN_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

#if STN_FIBER_JUMPS

/* What stn_fiber_jump leaves on the stack, from the lowest address up. */
struct frame {
	uint32_t mxcsr;
	uint32_t x87;
	void *r15, *r14, *r13, *r12, *rbx, *rbp;
	void *resume;
};

void stn_fiber_jump(void **top_p, void *top);
void stn_fiber_entry(void);

__asm__(".text\n"
	".hidden stn_fiber_jump\n"
	".globl stn_fiber_jump\n"
	".type stn_fiber_jump, @function\n"
	"stn_fiber_jump:\n"
	"	pushq %rbp\n"
	"	pushq %rbx\n"
	"	pushq %r12\n"
	"	pushq %r13\n"
	"	pushq %r14\n"
	"	pushq %r15\n"
	"	subq $8, %rsp\n"
	"	stmxcsr (%rsp)\n"
	"	fnstcw 4(%rsp)\n"
	"	movq %rsp, (%rdi)\n"
	"	movq %rsi, %rsp\n"
	"	ldmxcsr (%rsp)\n"
	"	fldcw 4(%rsp)\n"
	"	addq $8, %rsp\n"
	"	popq %r15\n"
	"	popq %r14\n"
	"	popq %r13\n"
	"	popq %r12\n"
	"	popq %rbx\n"
	"	popq %rbp\n"
	"	ret\n"
	".size stn_fiber_jump, . - stn_fiber_jump\n"
	/* Where a new fiber begins: r12 is the fiber, r13 is fiber_run. */
	".hidden stn_fiber_entry\n"
	".globl stn_fiber_entry\n"
	".type stn_fiber_entry, @function\n"
	"stn_fiber_entry:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined rip\n" /* ends a debugger's backtrace here */
	"	movq %r12, %rdi\n"
	"	callq *%r13\n"
	"	ud2\n"
	"	.cfi_endproc\n"
	".size stn_fiber_entry, . - stn_fiber_entry\n");

static void fiber_run(struct stn_fiber *fiber);

static void
fiber_prepare(struct stn_fiber *fiber)
{
	uintptr_t top = ((uintptr_t)fiber->stack + fiber->bytes) & ~15ul;
	struct frame *frame = (struct frame *)(top - 16) - 1;

	*frame = (struct frame){
		.r13 = (void *)fiber_run,
		.r12 = fiber,
		.resume = (void *)stn_fiber_entry,
	};
	__asm__("stmxcsr %0" : "=m"(frame->mxcsr));
	__asm__("fnstcw %0" : "=m"(frame->x87));
	fiber->top = frame;
}

static void
jump(struct stn_fiber *from, struct stn_fiber *to)
{
	stn_fiber_jump(&from->top, to->top);
}

#else

static void fiber_run(struct stn_fiber *fiber);

/* makecontext() passes only ints, so the pointer comes in two halves. */
static void
context_main(unsigned high, unsigned low)
{
	fiber_run((struct stn_fiber *)((uintptr_t)high << 32 | low));
}

static void
fiber_prepare(struct stn_fiber *fiber)
{
	uint64_t address = (uintptr_t)fiber;

	getcontext(&fiber->context);
	fiber->context.uc_stack.ss_sp = fiber->stack;
	fiber->context.uc_stack.ss_size = fiber->bytes;
	makecontext(&fiber->context, (void (*)(void))context_main, 2,
		    (unsigned)(address >> 32), (unsigned)address);
}

static void
jump(struct stn_fiber *from, struct stn_fiber *to)
{
	swapcontext(&from->context, &to->context);
}

#endif

/*
 * The sanitizers must be told which stack is in use:
 *
 *	sanitizer_adopt		the running thread is now this fiber
 *	sanitizer_create	a new fiber
 *	sanitizer_leave		before a switch from a fiber (NULL: for good)
 *	sanitizer_enter		after a switch to a fiber
 *	sanitizer_destroy	the fiber is never entered again
 */
#if defined(STN_ASAN)

#define sanitizer_create(fiber) ((void)(fiber))
#define sanitizer_destroy(fiber) ((void)(fiber))

static void
sanitizer_leave(struct stn_fiber *from, struct stn_fiber *to)
{
	__sanitizer_start_switch_fiber(from ? &from->shadow : NULL, to->stack,
				       to->bytes);
}

static void
sanitizer_enter(struct stn_fiber *fiber)
{
	__sanitizer_finish_switch_fiber(fiber->shadow, NULL, NULL);
}

static void
sanitizer_adopt(struct stn_fiber *fiber)
{
	pthread_attr_t attributes;

	if (pthread_getattr_np(pthread_self(), &attributes))
		abort();
	pthread_attr_getstack(&attributes, &fiber->stack, &fiber->bytes);
	pthread_attr_destroy(&attributes);
}

#elif defined(STN_TSAN)

static void
sanitizer_create(struct stn_fiber *fiber)
{
	fiber->shadow = __tsan_create_fiber(0);
}

static void
sanitizer_destroy(struct stn_fiber *fiber)
{
	__tsan_destroy_fiber(fiber->shadow);
}

static void
sanitizer_leave(struct stn_fiber *from, struct stn_fiber *to)
{
	(void)from;
	__tsan_switch_to_fiber(to->shadow, 0);
}

#define sanitizer_enter(fiber) ((void)(fiber))

static void
sanitizer_adopt(struct stn_fiber *fiber)
{
	fiber->shadow = __tsan_get_current_fiber();
}

#else
#define sanitizer_create(fiber) ((void)(fiber))
#define sanitizer_destroy(fiber) ((void)(fiber))
#define sanitizer_leave(from, to) ((void)(from), (void)(to))
#define sanitizer_enter(fiber) ((void)(fiber))
#define sanitizer_adopt(fiber) ((void)(fiber))
#endif

static void
fiber_run(struct stn_fiber *fiber)
{
	sanitizer_enter(fiber);
	fiber->main(fiber->arg);
	abort(); /* main must not return */
}

void
stn_fiber_adopt(struct stn_fiber *fiber)
{
	*fiber = (struct stn_fiber){ 0 };
	sanitizer_adopt(fiber);
}

void
stn_fiber_begin(struct stn_fiber *fiber, void *stack, size_t bytes,
		void (*main)(void *arg), void *arg)
{
	*fiber = (struct stn_fiber){
		.stack = stack, .bytes = bytes, .main = main, .arg = arg
	};
	sanitizer_create(fiber);
	fiber_prepare(fiber);
}

void
stn_fiber_switch(struct stn_fiber *from, struct stn_fiber *to)
{
	sanitizer_leave(from, to);
	jump(from, to);
	sanitizer_enter(from);
}

void
stn_fiber_leave(struct stn_fiber *from, struct stn_fiber *to)
{
	sanitizer_leave((struct stn_fiber *)NULL, to);
	jump(from, to);
	abort(); /* a fiber that has left must not be switched to */
}

#if defined(STN_ASAN) && STN_FIBER_JUMPS
/* Tells the detector of leaks about memory to which the stack points. */
__attribute__((no_sanitize_address)) static void
ignore_held(const struct stn_fiber *fiber)
{
	void *const *end = (void *const *)((char *)fiber->stack + fiber->bytes);

	for (void *const *at = fiber->top; at < end; at++)
		if (*at)
			__lsan_ignore_object(*at);
}
#else
#define ignore_held(fiber) ((void)(fiber))
#endif

void
stn_fiber_end(struct stn_fiber *fiber)
{
	sanitizer_destroy(fiber);
}

void
stn_fiber_abandon(struct stn_fiber *fiber)
{
	ignore_held(fiber);
	stn_fiber_end(fiber);
}
