/*
 * sateen_task.h: the functions and types behind <sateen.h>'s macros. Programs
 * use them through those macros only.
 *
 * A spawn and a sync compile to the code in this file. As long as no thief
 * takes the record, both run without a lock, an allocation, a system call, a
 * fence, or an atomic read-modify-write. The file is both C11 and C++11, whose
 * standard atomics differ, so it uses the compiler's atomics.
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

#define STN_ARGUMENT_BYTES 88 /* of all arguments, and of a result */
#define STN_RECORD_BYTES 128

/* Two cache lines, because processors fetch cache lines in pairs. */
#define STN_ALIGNED __attribute__((aligned(128)))
#define STN_LIKELY(x) __builtin_expect(!!(x), 1)

/*
 * The plain path of a spawn and a sync is always inlined, before the compiler
 * decides about other functions. So the compiler sees how small a task is, and
 * inlines a task's calls of itself as it does with plain functions. The slow
 * paths are kept out of line (STN_COLD_).
 */
#define STN_INLINE_ static inline __attribute__((always_inline, unused))
#define STN_COLD_ static __attribute__((noinline, cold, unused))

struct stn_task;
struct stn_in;
struct stn_out;
struct stn_inout;

/* The thief word of a record: which thief has taken it, if any. */
enum {
	STN_THIEF_NONE,	     /* none; a thief needs a membarrier to take it */
	STN_THIEF_OFFERED,   /* none; the first swap of this word takes it */
	STN_THIEF_DONE,	     /* the record has been run */
	STN_THIEF_FULL,	     /* no record: the slot behind a deque's last */
	STN_THIEF_UNDECIDED, /* a thief that has the lock looks at the record */
	STN_THIEF_WORKER,    /* plus n: worker n of the owner's node */
	STN_THIEF_NODE = INT32_MAX /* another node */
};

/*
 * An invocation record: one spawned call. The spawn writes it once, into its
 * slot in the deque. From @rank on it is the wire format; the members before
 * @rank mean something only on the node that spawned the call. The members from
 * @rank to @task_id are written when the record leaves for another node, by the
 * worker that sends it. The result replaces the arguments.
 */
struct stn_record {
	const struct stn_task *ready; /* owner's word: what to call, or NULL */
	const struct stn_task *task;  /* the same, for the thief that took it */
	int32_t thief;		      /* thieves' word, STN_THIEF_... */
	uint32_t rank;		      /* the node that spawned the call */
	uint32_t slot;	  /* the slot's number among all slots of that node */
	uint32_t epoch;	  /* how often a record has left from that slot */
	uint32_t request; /* the steal request that this record answers */
	uint32_t task_id; /* the task's place in the table of every node */
	unsigned char arguments[STN_ARGUMENT_BYTES];
} STN_ALIGNED;

STN_STATIC_ASSERT_(sizeof(struct stn_record) == STN_RECORD_BYTES,
		   "two cache lines");
STN_STATIC_ASSERT_(offsetof(struct stn_record, rank) == 20, "the wire part");
STN_STATIC_ASSERT_(offsetof(struct stn_record, arguments) == 40, "arguments");

/* What an argument is: a buffer of one of three kinds, or any other value. */
enum stn_argument_kind {
	STN_ARGUMENT_SCALAR,
	STN_ARGUMENT_IN,
	STN_ARGUMENT_OUT,
	STN_ARGUMENT_INOUT
};

/*
 * One argument of a task: its type's name, its place in the record, its kind.
 */
struct stn_argument {
	const char *type;
	uint16_t offset, bytes;
	enum stn_argument_kind kind;
};

struct stn_deque;

/* A task, which records refer to. A constant object. */
struct stn_task {
	const char *name;
	const char *result;
	/*
	 * Calls the task with the record's arguments and writes its result to
	 * @result, which may be the place of the arguments. The records that
	 * the task spawns go to @deque from @head on; @head may be the record.
	 */
	void (*run)(struct stn_deque *deque, const struct stn_record *record,
		    struct stn_record *head, void *result);
	const struct stn_argument *arguments;
	uint32_t argument_count;
	uint32_t argument_bytes;
	uint32_t result_bytes;
};

/* A task's place in the list of all tasks of the process (steal/task.c). */
struct stn_task_entry {
	const struct stn_task *task;
	struct stn_task_entry *next;
};

/*
 * stn_task_register: adds a task of the program or of a library to the list.
 * Each task has a constructor, which calls this before main or during a dlopen.
 * @entry  stays in the list as long as the process runs
 * If stn_main has been called, the process ends, after one line on stderr.
 */
void stn_task_register(struct stn_task_entry *entry);

/*
 * A worker's deque: a slab of records. Its owner pushes and pops at the head.
 * The head is no member: callers pass it to callees in a register. Thieves take
 * records at the tail. steal/deque.h has the protocol.
 */
struct stn_deque {
	/*
	 * The owner reads the limit at each spawn. Another thread lowers it to
	 * send the owner's next spawn down the slow path.
	 */
	struct stn_record *limit; /* first slot that takes the slow path */
	uint64_t work;		  /* sum of STN_WORK on this worker */

	/* Thieves' part. The tail is written under the lock, read by all. */
	STN_ALIGNED pthread_mutex_t lock;
	STN_ALIGNED struct stn_record *tail; /* all slots below have a thief */

	/* Constant. */
	STN_ALIGNED struct stn_record *slots;
	struct stn_record *end; /* a slot that is never filled */
	bool fenced;		/* thieves claim nothing: all is offered */
};

/* A running task's records: the @pending slots below @head. */
struct stn_frame {
	struct stn_deque *deque;
	struct stn_record *head;
	size_t pending;
};

/*
 * stn_spawn_slow: a spawn at or above the deque's limit. The limit is lower
 * than the slab's end when a thief waits for work. Pushes the record and offers
 * it. If the deque is full, runs the call in place and keeps its result.
 * Returns the new head.
 */
struct stn_record *stn_spawn_slow(struct stn_deque *deque,
				  struct stn_record *head,
				  const struct stn_task *task,
				  const void *arguments);

/*
 * stn_spawn_late: offers @record. A plain spawn pushed it and then found that
 * the limit had been lowered meanwhile.
 */
void stn_spawn_late(struct stn_deque *deque, struct stn_record *record);

/*
 * stn_sync_slow: a sync of a record that its owner didn't get by the plain pop:
 * the record was offered, a thief has claimed it, or it was run in place. Runs
 * the record if no thief has it, or else runs other tasks until the thief has
 * finished it. Writes the call's result to @result, which is NULL for tasks
 * without one. Returns the new head.
 */
struct stn_record *stn_sync_slow(struct stn_deque *deque,
				 struct stn_record *record,
				 const struct stn_task *task, void *result);

/*
 * These end a run whose spawns and syncs don't match, with one line on stderr:
 * stn_unsynced if a task returned before it synced, stn_unspawned for a sync
 * without a spawn, stn_mismatched for a sync of another task than was spawned.
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
	/*
	 * Relaxed. Pairs with the membarrier of the thread that lowers the
	 * limit, which makes the new limit visible here.
	 */
	return head < __atomic_load_n(&deque->limit, __ATOMIC_RELAXED);
}

STN_INLINE_ void
stn_push(struct stn_record *record, const struct stn_task *task)
{
	/*
	 * Pairs with the thief's acquire load of ready, after which the thief
	 * sees the arguments.
	 */
	__atomic_store_n(&record->ready, task, __ATOMIC_RELEASE);
}

/*
 * The owner's half of the claim; the thief's half is in steal/deque.c. The
 * store of NULL to ready comes before the load of the thief word. The signal
 * fence keeps the compiler from swapping the two. It pairs with the membarrier
 * of the thief, which keeps the processor from swapping them.
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
 * The record that a sync of @task refers to. The compiler usually knows whether
 * the task has spawned it, and then the first check costs nothing. The slow
 * paths always check that the record is one of @task. The plain path checks
 * that only in programs without optimisation or with STN_CHECK.
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

/* stn_row_too_long: ends a process that makes a buffer with a row of 4 GiB. */
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

/*
 * clang-format would break the macros below across lines that belong together.
 */
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

/*
 * STN_IS_POINTER_(type) is a constant. In C++ it is also true for references
 * and pointers to members.
 */
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
template <class type> struct stn_is_pointer {
	static constexpr bool value = false;
};
template <class type> struct stn_is_pointer<const type> {
	static constexpr bool value = stn_is_pointer<type>::value;
};
template <class type> struct stn_is_pointer<volatile type> {
	static constexpr bool value = stn_is_pointer<type>::value;
};
template <class type> struct stn_is_pointer<const volatile type> {
	static constexpr bool value = stn_is_pointer<type>::value;
};
template <class type> struct stn_is_pointer<type *> {
	static constexpr bool value = true;
};
template <class type> struct stn_is_pointer<type &> {
	static constexpr bool value = true;
};
template <class type> struct stn_is_pointer<type &&> {
	static constexpr bool value = true;
};
template <class type, class of> struct stn_is_pointer<type of::*> {
	static constexpr bool value = true;
};
#define STN_IS_POINTER_(type) stn_is_pointer<type>::value
#define STN_MEMBER_TYPE_(x, a) decltype(x::a)
#define STN_KIND_(x, a) stn_kind((decltype(x::a) *)0)
#define STN_PLAIN_(x)                                                          \
	static_assert(__is_trivially_copyable(x),                              \
		      "a task's arguments and result are copied as bytes");
#define STN_LITERAL_(kind) kind
#else
/* GCC and Clang give the classes of types the same numbers; 5 is a pointer. */
#define STN_IS_POINTER_(type)                                                  \
	(__builtin_classify_type(*(__typeof__(type) *)0) == 5)
#define STN_MEMBER_TYPE_(x, a) __typeof__(((struct x *)0)->a)
#define STN_KIND_(x, a)                                                        \
	_Generic(((struct x *)0)->a,                                           \
		struct stn_in: STN_ARGUMENT_IN,                                \
		struct stn_out: STN_ARGUMENT_OUT,                              \
		struct stn_inout: STN_ARGUMENT_INOUT,                          \
		default: STN_ARGUMENT_SCALAR)
#define STN_PLAIN_(x)
#define STN_LITERAL_(kind) (struct kind)
#endif

/*
 * An address means nothing in another process. A task that takes or returns an
 * address would work until another node steals one of its calls.
 */
#define STN_CHECK_(x, t, a)                                                    \
	STN_STATIC_ASSERT_(                                                    \
		!STN_IS_POINTER_(STN_MEMBER_TYPE_(x##_arguments, a)),          \
		"argument " #a " of task " #x                                  \
		" is a pointer: pass a buffer (STN_IN ...) instead");

/*
 * Differences between tasks with a result (STN_VALUE_...) and tasks without
 * (STN_VOID_...).
 */
#define STN_VALUE_BYTES_(result) sizeof(result)
#define STN_VALUE_CHECK_(result, name)                                         \
	STN_PLAIN_(result)                                                     \
	STN_STATIC_ASSERT_(!STN_IS_POINTER_(result),                           \
			   "the result of task " #name                         \
			   " is a pointer: pass a buffer (STN_OUT ...) instead");
#define STN_VALUE_KEEP_(result) result stn_value =
#define STN_VALUE_RETURN_ return stn_value
#define STN_VALUE_PUT_(place) memcpy(place, &stn_value, sizeof(stn_value))
#define STN_VALUE_HOLD_(result) result stn_value;
#define STN_VALUE_PLACE_ &stn_value
#define STN_VOID_BYTES_(result) 0
#define STN_VOID_CHECK_(result, name)
#define STN_VOID_KEEP_(result)
#define STN_VOID_RETURN_ return
#define STN_VOID_PUT_(place) (void)(place)
#define STN_VOID_HOLD_(result)
#define STN_VOID_PLACE_ NULL

/*
 * A task T has these functions:
 *
 *	T_body	the user's code, inlined into T_call
 *	T_call	a plain call: runs the body with a new frame
 *	T_run	runs a record: loads the arguments and calls T_call
 *	T_spawn	pushes a record; its slow path is T_spawn_slow
 *	T_sync	pops a record and calls T_call; its slow path is T_sync_slow
 *
 * Arguments are stored into their record, and loaded from it, one by one. A
 * processor is slow to load several small stores as one piece. A call whose
 * spawns reuse the slot of its own record is safe: its arguments have been
 * loaded before.
 */

/* The structure of the arguments, and the checks of all types. */
#define STN_TASK_TYPES_(kind, result, name, ...)                               \
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
	STN_##kind##_CHECK_(result, name)                                      \
	STN_PAIRS_(STN_CHECK_, name, __VA_ARGS__)

/* What only the file has that defines the task. */
#define STN_TASK_OBJECT_(linkage, specifiers, kind, result, name, ...)         \
	static const struct stn_argument name##_describe[] = {                 \
		STN_PAIRS_(STN_DESCRIBE_, name##_arguments, __VA_ARGS__)       \
		{ NULL, 0, 0, STN_ARGUMENT_SCALAR },                           \
	};                                                                     \
	static void name##_run(struct stn_deque *, const struct stn_record *,  \
			       struct stn_record *, void *);                   \
	linkage const struct stn_task name##_task = {                          \
		#name,                                                         \
		#result,                                                       \
		name##_run,                                                    \
		name##_describe,                                               \
		0 STN_PAIRS_(STN_COUNT_, _, __VA_ARGS__),                      \
		0 __VA_OPT__(+sizeof(struct name##_arguments)),                \
		STN_##kind##_BYTES_(result),                                   \
	};                                                                     \
	static struct stn_task_entry name##_entry = { &name##_task, NULL };    \
	static __attribute__((constructor)) void name##_register(void)         \
	{                                                                      \
		stn_task_register(&name##_entry);                              \
	}                                                                      \
                                                                               \
	STN_INLINE_ result name##_body(                                        \
		struct stn_frame *stn_frame STN_PAIRS_(STN_PARAMETER_, _,      \
						       __VA_ARGS__));          \
                                                                               \
	specifiers result name##_call(                                         \
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
	}

/* What each file has that spawns and syncs the task. */
#define STN_TASK_USE_(kind, result, name, ...)                                 \
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

/* A task that is static to its file. */
#define STN_TASK_DECLARE_(kind, result, name, ...)                             \
	STN_TASK_TYPES_(kind, result, name, __VA_ARGS__)                       \
	STN_TASK_OBJECT_(static, static inline __attribute__((unused)), kind,  \
			 result, name, __VA_ARGS__)                            \
	STN_TASK_USE_(kind, result, name, __VA_ARGS__)

/*
 * A task that several files share. All files see T_call as an external
 * function, and the compiler may inline T_call in the file that defines it. In
 * a shared library GCC inlines an external function only if its definition says
 * inline: otherwise another library may replace the function at run time. Clang
 * inlines it anyway.
 */
#define STN_TASK_EXTERN_(kind, result, name, ...)                              \
	STN_TASK_TYPES_(kind, result, name, __VA_ARGS__)                       \
	STN_EXTERN_C_ STN_VISIBLE_ const struct stn_task name##_task;          \
	STN_EXTERN_C_ STN_VISIBLE_ result name##_call(                         \
		struct stn_deque *stn_d, struct stn_record *stn_head           \
			STN_PAIRS_(STN_PARAMETER_, _, __VA_ARGS__));           \
	STN_TASK_USE_(kind, result, name, __VA_ARGS__)

#define STN_VISIBLE_ __attribute__((visibility("default")))
#ifdef __clang__
#define STN_DEFINED_
#else
#define STN_DEFINED_ inline __attribute__((used))
#endif
#ifdef __cplusplus
#define STN_EXTERN_C_ extern "C"
#else
#define STN_EXTERN_C_ extern
#endif

#define STN_TASK_DEFINE_(result, name, ...)                                    \
	STN_INLINE_ result name##_body(                                        \
		__attribute__((unused)) struct stn_frame *stn_frame STN_PAIRS_( \
			STN_PARAMETER_, _, __VA_ARGS__))

/* sizeof uses only the type of @pointer, so @pointer is evaluated once. */
#define STN_BUFFER_(kind, pointer, rows, count, step)                          \
	(STN_LITERAL_(kind){                                                   \
		(pointer), (uint32_t)(rows),                                   \
		stn_row_bytes((uint64_t)(count) * sizeof(*(pointer))),         \
		(uint64_t)(step) * sizeof(*(pointer)) })

#endif
