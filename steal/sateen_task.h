/*
 * sateen_task.h: the machinery behind <sateen.h>'s macros. No part of the API.
 *
 * What is here is what a spawn and a sync compile to. Both run without a lock,
 * an allocation, a system call, a fence, or an atomic read-modify-write, as
 * long as nobody steals the record. It is C11 and C++11, so atomics are the
 * compiler's own.
 */
#ifndef STN_SATEEN_TASK_H
#define STN_SATEEN_TASK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sateen_pairs.h"

#ifdef __cplusplus
#define STN_STATIC_ASSERT_ static_assert
#define STN_NORETURN_ [[noreturn]]
extern "C" {
#else
#define STN_STATIC_ASSERT_ _Static_assert
#define STN_NORETURN_ _Noreturn
#endif

#define STN_ARGUMENT_BYTES 88 /* and of a result */
#define STN_RECORD_BYTES 128

/* Two cache lines: processors fetch them in pairs. */
#define STN_ALIGNED __attribute__((aligned(128)))
#define STN_LIKELY(x) __builtin_expect(!!(x), 1)

/*
 * What a spawn and a sync are made of is inlined first of all: then the
 * compiler sees how small a task is, and inlines a task's calls of itself as
 * it does with plain functions. What is not plain is kept out of the way.
 */
#define STN_INLINE_ static inline __attribute__((always_inline, unused))
#define STN_COLD_ static __attribute__((noinline, cold, unused))

struct stn_task;
struct stn_in;
struct stn_out;
struct stn_inout;

/*
 * Who has the record, as thieves see it. Nobody, and then it is its owner's,
 * unless a thief comes with a membarrier; nobody, and it is there for the
 * first who swaps this word; worker number n of the owner's node, as n +
 * STN_THIEF_WORKER; another node. Or it has been run; or a thief is just
 * looking whether to take it.
 */
enum {
	STN_THIEF_NONE,
	STN_THIEF_OFFERED,
	STN_THIEF_DONE,
	STN_THIEF_FULL,	     /* no record: the slot behind a deque's last */
	STN_THIEF_UNDECIDED, /* under the lock only */
	STN_THIEF_WORKER,
	STN_THIEF_NODE = INT32_MAX
};

/*
 * An invocation record: one spawned call. It is written once, by the spawn,
 * into its slot in the deque, and is the wire format from @rank on. What
 * stands before means something only at home; those from @rank to @task_id are
 * written only by whoever takes the record to another node. The result comes in
 * place of the arguments.
 */
struct stn_record {
	const struct stn_task *ready; /* owner's word: what to call, or NULL */
	const struct stn_task *task;  /* the same, for who has taken it */
	int32_t thief;		      /* thieves' word */
	uint32_t rank;		      /* home: the node that spawned it, */
	uint32_t slot;	  /*   its slot, counted through that node, */
	uint32_t epoch;	  /*   and how often that slot left home */
	uint32_t request; /* the steal request that this answers */
	uint32_t task_id; /* place in the task table, everywhere */
	unsigned char arguments[STN_ARGUMENT_BYTES];
} STN_ALIGNED;

STN_STATIC_ASSERT_(sizeof(struct stn_record) == STN_RECORD_BYTES, "two lines");
STN_STATIC_ASSERT_(offsetof(struct stn_record, rank) == 20, "the wire part");
STN_STATIC_ASSERT_(offsetof(struct stn_record, arguments) == 40, "arguments");

/* One argument of a task: where it lies, and what kind it is. */
enum stn_argument_kind {
	STN_ARGUMENT_SCALAR,
	STN_ARGUMENT_IN,
	STN_ARGUMENT_OUT,
	STN_ARGUMENT_INOUT
};

struct stn_argument {
	const char *type;
	uint16_t offset, bytes;
	enum stn_argument_kind kind;
};

struct stn_deque;

/* A task: what a record calls. One constant object for each STN_TASK. */
struct stn_task {
	const char *name;
	const char *result;
	/*
	 * Calls the task with the record's arguments and writes what it
	 * returns to @result, which may be where the arguments are. Whatever
	 * it spawns goes to @deque from @head on; @head may be the record.
	 */
	void (*run)(struct stn_deque *deque, const struct stn_record *record,
		    struct stn_record *head, void *result);
	const struct stn_argument *arguments;
	uint32_t argument_count;
	uint32_t argument_bytes;
	uint32_t result_bytes;
};

/*
 * A worker's deque: a slab of records. Its owner pushes and pops at the head,
 * which is no member: it travels in a register, from caller to callee. Thieves
 * take at the tail. steal/deque.h has the protocol.
 */
struct stn_deque {
	/* Read by the owner at each spawn, lowered when it should look up. */
	struct stn_record *limit; /* first slot that is not plain */
	uint64_t work;		  /* units that its tasks have told of */

	/* Thieves' part. The tail is written under the lock, read by all. */
	STN_ALIGNED pthread_mutex_t lock;
	STN_ALIGNED struct stn_record *tail; /* all below have a thief */

	/* Constant. */
	STN_ALIGNED struct stn_record *slots;
	struct stn_record *end; /* a slot that is never filled */
	bool fenced;		/* no claims: all records are offered */
};

/* A running task's records: @pending of them below @head. */
struct stn_frame {
	struct stn_deque *deque;
	struct stn_record *head;
	size_t pending;
};

/*
 * stn_spawn_slow: a spawn at the deque's limit, which is lower than the slab's
 * end when somebody waits for work. Pushes the record, and offers it; if there
 * is no slot, runs the call in place and keeps its result. Returns the new
 * head.
 */
struct stn_record *stn_spawn_slow(struct stn_deque *deque,
				  struct stn_record *head,
				  const struct stn_task *task,
				  const void *arguments);

/*
 * stn_spawn_late: @record was pushed plainly, and then the limit turned out to
 * be low.
 */
void stn_spawn_late(struct stn_deque *deque, struct stn_record *record);

/*
 * stn_sync_slow: a sync of a record that its owner didn't get by the plain
 * pop: it was offered, a thief has claimed it, or it was run in place. Waits
 * until it has been run. Returns the new head.
 */
struct stn_record *stn_sync_slow(struct stn_deque *deque,
				 struct stn_record *record,
				 const struct stn_task *task, void *result);

/*
 * What stops a program whose spawns and syncs don't match: a task that
 * returned before it synced, a sync without a spawn, or of another task.
 */
STN_NORETURN_ void stn_unsynced(struct stn_deque *deque,
				const struct stn_task *task);
STN_NORETURN_ void stn_unspawned(struct stn_deque *deque,
				 const struct stn_task *task);
STN_NORETURN_ void stn_mismatched(struct stn_deque *deque,
				  const struct stn_task *spawned,
				  const struct stn_task *synced);

STN_INLINE_ bool
stn_spawn_plain(const struct stn_deque *deque, const struct stn_record *head)
{
	/* Relaxed: who lowers it makes sure, by membarrier, of what we see. */
	return head < __atomic_load_n(&deque->limit, __ATOMIC_RELAXED);
}

STN_INLINE_ void
stn_push(struct stn_record *record, const struct stn_task *task)
{
	/* Pairs with the thief's acquire of ready: it sees the arguments. */
	__atomic_store_n(&record->ready, task, __ATOMIC_RELEASE);
}

/*
 * The owner's half of the claim (the thief's is in steal/deque.c): NULL is
 * stored before the thief's word is loaded. What keeps the processor from
 * swapping the two is the thief's membarrier; the compiler, the signal fence.
 */
STN_INLINE_ bool
stn_pop(struct stn_record *record)
{
	__atomic_store_n(&record->ready, (const struct stn_task *)0,
			 __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return __atomic_load_n(&record->thief, __ATOMIC_RELAXED) ==
	       STN_THIEF_NONE;
}

/*
 * The record that a sync of @task is about. That it was spawned at all is
 * mostly known when compiling; that it was spawned as the same task is looked
 * at always in slow paths, here only where speed is no matter.
 */
STN_INLINE_ struct stn_record *
stn_last(struct stn_frame *frame, const struct stn_task *task)
{
	struct stn_record *record = frame->head - 1;

	if (!STN_LIKELY(frame->pending))
		stn_unspawned(frame->deque, task);
	frame->pending--;
#if defined(STN_CHECK) || !defined(__OPTIMIZE__)
	if (record->ready != task &&
	    __atomic_load_n(&record->thief, __ATOMIC_RELAXED) != STN_THIEF_FULL)
		stn_mismatched(frame->deque, record->ready, task);
#endif
	return record;
}

STN_INLINE_ void
stn_work(struct stn_deque *deque, uint64_t units)
{
	deque->work += units;
}

/* stn_row_too_long: stops a program whose buffer has a row over 4 GiB. */
STN_NORETURN_ void stn_row_too_long(uint64_t bytes);

static inline uint32_t
stn_row_bytes(uint64_t bytes)
{
	if (bytes > UINT32_MAX)
		stn_row_too_long(bytes);
	return (uint32_t)bytes;
}

#ifdef __cplusplus
}
#endif

/* What follows are macros, which it would tear apart. */
/* clang-format off */

#define STN_MEMBER_(x, t, a) t a;
#define STN_PARAMETER_(x, t, a) , t a
#define STN_STORE_(x, t, a) a,
#define STN_PASS_(x, t, a) , a
#define STN_LOAD_(x, t, a) , stn_a->a
#define STN_WRITE_(x, t, a) stn_a->a = a;
#define STN_COUNT_(x, t, a) +1
#define STN_DESCRIBE_(x, t, a)                                                 \
	{ #t, offsetof(struct x, a), sizeof(t), STN_KIND_(x, a) },

#ifdef __cplusplus
template <class type> constexpr stn_argument_kind
stn_kind(const type *)
{
	return STN_ARGUMENT_SCALAR;
}
constexpr stn_argument_kind
stn_kind(const struct stn_in *)
{
	return STN_ARGUMENT_IN;
}
constexpr stn_argument_kind
stn_kind(const struct stn_out *)
{
	return STN_ARGUMENT_OUT;
}
constexpr stn_argument_kind
stn_kind(const struct stn_inout *)
{
	return STN_ARGUMENT_INOUT;
}
#define STN_KIND_(x, a) stn_kind((decltype(x::a) *)0)
#define STN_PLAIN_(x)                                                          \
	static_assert(__is_trivially_copyable(x),                              \
		      "a task's arguments and result are copied as bytes");
#define STN_LITERAL_(kind) kind
#else
#define STN_KIND_(x, a)                                                        \
	_Generic(((struct x *)0)->a,                                           \
		struct stn_in: STN_ARGUMENT_IN,                                \
		struct stn_out: STN_ARGUMENT_OUT,                              \
		struct stn_inout: STN_ARGUMENT_INOUT,                          \
		default: STN_ARGUMENT_SCALAR)
#define STN_PLAIN_(x)
#define STN_LITERAL_(kind) (struct kind)
#endif

/* What differs between tasks with a result and tasks without. */
#define STN_VALUE_BYTES_(result) sizeof(result)
#define STN_VALUE_CHECK_(result) STN_PLAIN_(result)
#define STN_VALUE_KEEP_(result) result stn_value =
#define STN_VALUE_RETURN_ return stn_value
#define STN_VALUE_PUT_(place) memcpy(place, &stn_value, sizeof(stn_value))
#define STN_VALUE_HOLD_(result) result stn_value;
#define STN_VALUE_PLACE_ &stn_value
#define STN_VOID_BYTES_(result) 0
#define STN_VOID_CHECK_(result)
#define STN_VOID_KEEP_(result)
#define STN_VOID_RETURN_ return
#define STN_VOID_PUT_(place) (void)(place)
#define STN_VOID_HOLD_(result)
#define STN_VOID_PLACE_ NULL

/*
 * Arguments go into their record, and come out of it, one by one: what was
 * stored in one piece is loaded in that piece, or processors are slow. Where
 * the call reuses the slot, they have been loaded before.
 *
 * For a task T this declares T_body, which is inlined into T_call (a plain
 * call); T_run (the call that a record stands for), T_spawn, and T_sync.
 */
#define STN_TASK_DECLARE_(kind, result, name, ...)                             \
	struct __attribute__((may_alias)) name##_arguments {                   \
		STN_PAIRS_(STN_MEMBER_, _, __VA_ARGS__)                        \
	};                                                                     \
	STN_STATIC_ASSERT_(__alignof__(struct name##_arguments) <= 8,          \
			   "an argument of task " #name                        \
			   " wants to be aligned to more than 8 bytes");       \
	STN_STATIC_ASSERT_(                                                    \
		sizeof(struct name##_arguments) <= STN_ARGUMENT_BYTES,         \
		"the arguments of task " #name                                 \
		" take more than 88 bytes: put some into a buffer");           \
	STN_STATIC_ASSERT_(STN_##kind##_BYTES_(result) <= STN_ARGUMENT_BYTES,  \
			   "the result of task " #name                         \
			   " takes more than 88 bytes: use an out buffer");    \
	STN_PLAIN_(struct name##_arguments)                                    \
	STN_##kind##_CHECK_(result)                                            \
	static const struct stn_argument name##_describe[] = {                 \
		STN_PAIRS_(STN_DESCRIBE_, name##_arguments, __VA_ARGS__)       \
		{ NULL, 0, 0, STN_ARGUMENT_SCALAR },                           \
	};                                                                     \
	static void name##_run(struct stn_deque *, const struct stn_record *,  \
			       struct stn_record *, void *);                   \
	static const struct stn_task name##_task = {                           \
		#name,                                                         \
		#result,                                                       \
		name##_run,                                                    \
		name##_describe,                                               \
		0 STN_PAIRS_(STN_COUNT_, _, __VA_ARGS__),                      \
		0 __VA_OPT__(+sizeof(struct name##_arguments)),                \
		STN_##kind##_BYTES_(result),                                   \
	};                                                                     \
	static const struct stn_task *const name##_entry                       \
		__attribute__((section("stn_tasks"), used)) = &name##_task;    \
                                                                               \
	STN_INLINE_ result name##_body(                                        \
		struct stn_frame *stn_frame STN_PAIRS_(STN_PARAMETER_, _,      \
						       __VA_ARGS__));          \
                                                                               \
	static inline __attribute__((unused)) result name##_call(              \
		struct stn_deque *stn_d, struct stn_record *stn_head           \
			STN_PAIRS_(STN_PARAMETER_, _, __VA_ARGS__))            \
	{                                                                      \
		struct stn_frame stn_f = { stn_d, stn_head, 0 };               \
		STN_##kind##_KEEP_(result) name##_body(                        \
			&stn_f STN_PAIRS_(STN_PASS_, _, __VA_ARGS__));         \
                                                                               \
		if (!STN_LIKELY(!stn_f.pending))                               \
			stn_unsynced(stn_d, &name##_task);                     \
		STN_##kind##_RETURN_;                                          \
	}                                                                      \
                                                                               \
	static void name##_run(struct stn_deque *stn_d,                        \
			       const struct stn_record *stn_r,                 \
			       struct stn_record *stn_head, void *stn_place)   \
	{                                                                      \
		const struct name##_arguments *stn_a =                         \
			(const struct name##_arguments *)stn_r->arguments;     \
                                                                               \
		(void)stn_a;                                                   \
		STN_##kind##_KEEP_(result) name##_call(                        \
			stn_d, stn_head STN_PAIRS_(STN_LOAD_, _,               \
						   __VA_ARGS__));              \
		STN_##kind##_PUT_(stn_place);                                  \
	}                                                                      \
                                                                               \
	STN_COLD_ struct stn_record *name##_spawn_slow(                        \
		struct stn_deque *stn_d, struct stn_record *stn_r              \
			STN_PAIRS_(STN_PARAMETER_, _, __VA_ARGS__))            \
	{                                                                      \
		const struct name##_arguments stn_a = { STN_PAIRS_(            \
			STN_STORE_, _, __VA_ARGS__) };                         \
                                                                               \
		return stn_spawn_slow(stn_d, stn_r, &name##_task, &stn_a);     \
	}                                                                      \
                                                                               \
	STN_INLINE_ void name##_spawn(                                         \
		struct stn_frame *stn_f STN_PAIRS_(STN_PARAMETER_, _,          \
						   __VA_ARGS__))               \
	{                                                                      \
		struct stn_record *stn_r = stn_f->head;                        \
		struct name##_arguments *stn_a =                               \
			(struct name##_arguments *)stn_r->arguments;           \
                                                                               \
		(void)stn_a;                                                   \
		stn_f->pending++;                                              \
		if (STN_LIKELY(stn_spawn_plain(stn_f->deque, stn_r))) {        \
			STN_PAIRS_(STN_WRITE_, _, __VA_ARGS__)                 \
			stn_push(stn_r, &name##_task);                         \
			stn_f->head = stn_r + 1;                               \
			__atomic_signal_fence(__ATOMIC_SEQ_CST);               \
			if (!STN_LIKELY(stn_spawn_plain(stn_f->deque, stn_r))) \
				stn_spawn_late(stn_f->deque, stn_r);           \
		} else {                                                       \
			stn_f->head = name##_spawn_slow(                       \
				stn_f->deque, stn_r STN_PAIRS_(                \
						      STN_PASS_, _,            \
						      __VA_ARGS__));           \
		}                                                              \
	}                                                                      \
                                                                               \
	STN_COLD_ struct stn_record *name##_sync_slow(                         \
		struct stn_deque *stn_d, struct stn_record *stn_r,             \
		void *stn_result)                                              \
	{                                                                      \
		return stn_sync_slow(stn_d, stn_r, &name##_task, stn_result);  \
	}                                                                      \
                                                                               \
	STN_INLINE_ result name##_sync(                                        \
		struct stn_frame *stn_f)                                       \
	{                                                                      \
		struct stn_record *stn_r = stn_last(stn_f, &name##_task);      \
                                                                               \
		if (STN_LIKELY(stn_pop(stn_r))) {                              \
			const struct name##_arguments *stn_a =                 \
				(const struct name##_arguments *)              \
					stn_r->arguments;                      \
                                                                               \
			(void)stn_a;                                           \
			stn_f->head = stn_r;                                   \
			STN_##kind##_KEEP_(result) name##_call(                \
				stn_f->deque, stn_r STN_PAIRS_(                \
						      STN_LOAD_, _,            \
						      __VA_ARGS__));           \
			STN_##kind##_RETURN_;                                  \
		} else {                                                       \
			STN_##kind##_HOLD_(result)                             \
                                                                               \
			stn_f->head = name##_sync_slow(stn_f->deque, stn_r,    \
						       STN_##kind##_PLACE_);   \
			STN_##kind##_RETURN_;                                  \
		}                                                              \
	}

#define STN_TASK_DEFINE_(result, name, ...)                                    \
	STN_INLINE_ result name##_body(                                        \
		__attribute__((unused)) struct stn_frame *stn_frame STN_PAIRS_( \
			STN_PARAMETER_, _, __VA_ARGS__))

/* The linker collects the tasks of a program in one section. */
#ifdef __cplusplus
#define STN_EXTERN_C_ extern "C"
#else
#define STN_EXTERN_C_ extern
#endif
#define STN_TASK_TABLE_                                                        \
	STN_EXTERN_C_ const struct stn_task *const __start_stn_tasks[]         \
		__attribute__((weak, visibility("hidden")));                   \
	STN_EXTERN_C_ const struct stn_task *const __stop_stn_tasks[]          \
		__attribute__((weak, visibility("hidden")));
#define STN_TASK_TABLE_BEGIN_ __start_stn_tasks
#define STN_TASK_TABLE_END_ __stop_stn_tasks

/* sizeof looks at the pointer's type only: @pointer is evaluated once. */
#define STN_BUFFER_(kind, pointer, rows, count, step)                          \
	(STN_LITERAL_(kind){                                                   \
		(pointer), (uint32_t)(rows),                                   \
		stn_row_bytes((uint64_t)(count) * sizeof(*(pointer))),         \
		(uint64_t)(step) * sizeof(*(pointer)) })

#endif
