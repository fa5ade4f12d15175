/*
 * fiber.c: a switch saves what a call must preserve on the stack it leaves, and
 * takes the same from the one it enters: some nanoseconds. swapcontext(), the
 * fallback, makes two system calls, for signal masks that nobody changes.
 */
#include "emul/fiber.h"

#include <stdint.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#elif defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

#if STN_FIBER_JUMPS

/* What jump keeps, lowest first. */
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
	/* A fiber's first instructions: r12 is the fiber, r13 its main. */
	".hidden stn_fiber_entry\n"
	".globl stn_fiber_entry\n"
	".type stn_fiber_entry, @function\n"
	"stn_fiber_entry:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined rip\n" /* here ends a debugger's backtrace */
	"	movq %r12, %rdi\n"
	"	callq *%r13\n"
	"	ud2\n"
	"	.cfi_endproc\n"
	".size stn_fiber_entry, . - stn_fiber_entry\n");

static void run(struct stn_fiber *fiber);

static void
prepare(struct stn_fiber *fiber)
{
	uintptr_t top = ((uintptr_t)fiber->stack + fiber->bytes) & ~15ul;
	struct frame *frame = (struct frame *)(top - 16) - 1;

	*frame = (struct frame){
		.r13 = (void *)run,
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

static void run(struct stn_fiber *fiber);

/* makecontext() passes ints only. */
static void
run_halves(unsigned high, unsigned low)
{
	run((struct stn_fiber *)((uintptr_t)high << 32 | low));
}

static void
prepare(struct stn_fiber *fiber)
{
	uint64_t address = (uintptr_t)fiber;

	getcontext(&fiber->context);
	fiber->context.uc_stack.ss_sp = fiber->stack;
	fiber->context.uc_stack.ss_size = fiber->bytes;
	makecontext(&fiber->context, (void (*)(void))run_halves, 2,
		    (unsigned)(address >> 32), (unsigned)address);
}

static void
jump(struct stn_fiber *from, struct stn_fiber *to)
{
	swapcontext(&from->context, &to->context);
}

#endif

/* Sanitizers want to know which stack is in use. */
#if defined(__SANITIZE_ADDRESS__)

static void
know(struct stn_fiber *fiber)
{
	(void)fiber;
}

static void
forget(struct stn_fiber *fiber)
{
	(void)fiber;
}

static void
leaving(struct stn_fiber *from, struct stn_fiber *to)
{
	__sanitizer_start_switch_fiber(from ? &from->shadow : NULL, to->stack,
				       to->bytes);
}

static void
entered(struct stn_fiber *fiber)
{
	__sanitizer_finish_switch_fiber(fiber->shadow, NULL, NULL);
}

static void
measure(struct stn_fiber *fiber)
{
	pthread_attr_t attributes;

	if (pthread_getattr_np(pthread_self(), &attributes))
		abort();
	pthread_attr_getstack(&attributes, &fiber->stack, &fiber->bytes);
	pthread_attr_destroy(&attributes);
}

#elif defined(__SANITIZE_THREAD__)

static void
know(struct stn_fiber *fiber)
{
	fiber->shadow = __tsan_create_fiber(0);
}

static void
forget(struct stn_fiber *fiber)
{
	__tsan_destroy_fiber(fiber->shadow);
}

static void
leaving(struct stn_fiber *from, struct stn_fiber *to)
{
	(void)from;
	__tsan_switch_to_fiber(to->shadow, 0);
}

static void
entered(struct stn_fiber *fiber)
{
	(void)fiber;
}

static void
measure(struct stn_fiber *fiber)
{
	fiber->shadow = __tsan_get_current_fiber();
}

#else
#define know(fiber) ((void)(fiber))
#define forget(fiber) ((void)(fiber))
#define leaving(from, to) ((void)(from), (void)(to))
#define entered(fiber) ((void)(fiber))
#define measure(fiber) ((void)(fiber))
#endif

static void
run(struct stn_fiber *fiber)
{
	entered(fiber);
	fiber->main(fiber->arg);
	abort(); /* it returned */
}

void
stn_fiber_adopt(struct stn_fiber *fiber)
{
	*fiber = (struct stn_fiber){ 0 };
	measure(fiber);
}

void
stn_fiber_begin(struct stn_fiber *fiber, void *stack, size_t bytes,
		void (*main)(void *arg), void *arg)
{
	*fiber = (struct stn_fiber){
		.stack = stack, .bytes = bytes, .main = main, .arg = arg
	};
	know(fiber);
	prepare(fiber);
}

void
stn_fiber_switch(struct stn_fiber *from, struct stn_fiber *to)
{
	leaving(from, to);
	jump(from, to);
	entered(from);
}

void
stn_fiber_leave(struct stn_fiber *from, struct stn_fiber *to)
{
	leaving((struct stn_fiber *)NULL, to);
	jump(from, to);
	abort(); /* it was switched to */
}

void
stn_fiber_end(struct stn_fiber *fiber)
{
	forget(fiber);
}
