/*
 * sateen_task.h: the machinery behind <sateen.h>'s macros. No part of the API.
 *
 * What is here is what a spawn and a sync compile to. Both run without a lock,
 * an allocation, a system call, or an atomic read-modify-write, as long as
 * nobody steals the record.
 */
#ifndef STN_SATEEN_TASK_H
#define STN_SATEEN_TASK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define STN_ARGUMENT_BYTES 80
#define STN_RECORD_BYTES 128

/* Two cache lines: processors fetch them in pairs. */
#define STN_ALIGNED __attribute__((aligned(128)))
#define STN_LIKELY(x) __builtin_expect(!!(x), 1)

struct stn_task;

/* A record's state, as its owner sees it. Only the owner writes it. */
enum { STN_FREE, STN_READY };

/*
 * Who has the record, as thieves see it: nobody; worker number n of the
 * owner's node as n + STN_THIEF_WORKER; another node; or it has been run.
 */
enum {
	STN_THIEF_NONE,
	STN_THIEF_DONE,
	STN_THIEF_WORKER,
	STN_THIEF_NODE = UINT32_MAX
};

/*
 * An invocation record: one spawned call. It is written once, by the spawn,
 * into its slot in the deque, and is the wire format from @rank on. The first
 * three members mean something only at home; those from @rank to @task_id are
 * written only by whoever takes the record to another node.
 */
struct stn_record {
	_Atomic(uint32_t) state; /* owner's word */
	_Atomic(uint32_t) thief; /* thieves' word */
	const struct stn_task *task;
	void *place;	  /* of the result, in the caller's memory */
	uint32_t rank;	  /* home: the node that spawned it, */
	uint32_t slot;	  /*   its slot, counted through that node, */
	uint32_t epoch;	  /*   and how often that slot has left home */
	uint32_t request; /* the steal request that this answers */
	uint32_t task_id; /* place in the task table, same on all nodes */
	uint32_t reserved;
	unsigned char arguments[STN_ARGUMENT_BYTES];
} STN_ALIGNED;

_Static_assert(sizeof(struct stn_record) == STN_RECORD_BYTES, "two lines");
_Static_assert(offsetof(struct stn_record, rank) == 24, "the wire part");
_Static_assert(offsetof(struct stn_record, arguments) == 48, "arguments");

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
	 * Calls the task with the record's arguments and writes its result to
	 * the record's place. Whatever it spawns goes to @deque from @head on;
	 * @head may be the record itself.
	 */
	void (*run)(struct stn_deque *deque, struct stn_record *record,
		    struct stn_record *head);
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
	/* Read by the owner at each spawn, written when it should look up. */
	_Atomic(struct stn_record *) limit; /* first slot that is not plain */
	bool fenced;			    /* the owner fences its pops */

	/* Thieves' part, under the lock but for a first look at the tail. */
	STN_ALIGNED pthread_mutex_t lock;
	_Atomic(struct stn_record *) tail; /* oldest that was not stolen */

	/* Constant. */
	STN_ALIGNED struct stn_record *slots;
	struct stn_record *end;
};

/* A running task's own records: those from base to head. */
struct stn_frame {
	struct stn_deque *deque;
	struct stn_record *base, *head;
};

/*
 * What a spawn does at the deque's limit, which is lower than the slab's end
 * when somebody waits for work. stn_spawn_room: is there a slot? If not, the
 * call is run in place. stn_spawn_announce: a record was pushed; counts it and
 * wakes who sleeps.
 */
bool stn_spawn_room(struct stn_deque *deque, struct stn_record *head);
void stn_spawn_announce(struct stn_deque *deque);

/*
 * stn_sync_slow: what a sync does with a record that a thief has claimed: runs
 * it if the thief let go, else waits until it has been run.
 */
void stn_sync_slow(struct stn_deque *deque, struct stn_record *record);

/* stn_unsynced: stops a program whose task returned before it synced. */
_Noreturn void stn_unsynced(struct stn_deque *deque,
			    const struct stn_task *task);

static inline bool
stn_spawn_plain(struct stn_deque *deque, struct stn_record *head)
{
	/* Relaxed: who lowers it makes sure, by membarrier, of what we see. */
	return head < atomic_load_explicit(&deque->limit, memory_order_relaxed);
}

static inline void
stn_push(struct stn_frame *frame, const struct stn_task *task, void *place)
{
	struct stn_record *record = frame->head++;

	record->task = task;
	record->place = place;
	/* Pairs with the thief's acquire of READY: it sees the arguments. */
	atomic_store_explicit(&record->state, STN_READY, memory_order_release);
}

/*
 * The owner's half of the claim (the thief's is in steal/deque.c): FREE is
 * stored before the thief's word is loaded. What keeps the processor from
 * swapping the two is the thief's membarrier, or a fence where there is none.
 */
static inline bool
stn_pop(struct stn_deque *deque, struct stn_record *record)
{
	atomic_store_explicit(&record->state, STN_FREE, memory_order_relaxed);
	if (STN_LIKELY(!deque->fenced))
		atomic_signal_fence(memory_order_seq_cst);
	else
		atomic_thread_fence(memory_order_seq_cst);
	return STN_LIKELY(
		atomic_load_explicit(&record->thief, memory_order_relaxed) ==
		STN_THIEF_NONE);
}

static inline void
stn_sync(struct stn_frame *frame)
{
	while (frame->head != frame->base) {
		struct stn_record *record = --frame->head;

		if (stn_pop(frame->deque, record))
			record->task->run(frame->deque, record, record);
		else
			stn_sync_slow(frame->deque, record);
	}
}

/* What follows are macros, which it would tear apart. */
/* clang-format off */

/*
 * STN_PAIRS_(m, x, type, name, ...): m(x, type, name) for each of at most
 * eight pairs.
 */
#define STN_PAIRS_0_(m, x)
#define STN_PAIRS_2_(m, x, t, a) m(x, t, a)
#define STN_PAIRS_4_(m, x, t, a, ...) m(x, t, a) STN_PAIRS_2_(m, x, __VA_ARGS__)
#define STN_PAIRS_6_(m, x, t, a, ...) m(x, t, a) STN_PAIRS_4_(m, x, __VA_ARGS__)
#define STN_PAIRS_8_(m, x, t, a, ...) m(x, t, a) STN_PAIRS_6_(m, x, __VA_ARGS__)
#define STN_PAIRS_10_(m, x, t, a, ...)                                         \
	m(x, t, a) STN_PAIRS_8_(m, x, __VA_ARGS__)
#define STN_PAIRS_12_(m, x, t, a, ...)                                         \
	m(x, t, a) STN_PAIRS_10_(m, x, __VA_ARGS__)
#define STN_PAIRS_14_(m, x, t, a, ...)                                         \
	m(x, t, a) STN_PAIRS_12_(m, x, __VA_ARGS__)
#define STN_PAIRS_16_(m, x, t, a, ...)                                         \
	m(x, t, a) STN_PAIRS_14_(m, x, __VA_ARGS__)

#define STN_PAIRS_ODD_(m, x, ...)                                              \
	_Static_assert(0, "a task's arguments are pairs of type and name");
#define STN_PAIRS_MORE_(m, x, ...)                                             \
	_Static_assert(0, "a task has at most eight arguments");

#define STN_PASTE_(n) STN_PAIRS_##n##_
#define STN_CHOOSE_(n) STN_PASTE_(n)
#define STN_25TH_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t,  \
		  u, v, w, x, y, ...) y
#define STN_COUNT_(...)                                                        \
	STN_25TH_(__VA_ARGS__ __VA_OPT__(, ) MORE, MORE, MORE, MORE, MORE,     \
		  MORE, MORE, MORE, 16, ODD, 14, ODD, 12, ODD, 10, ODD, 8,     \
		  ODD, 6, ODD, 4, ODD, 2, ODD, 0, 0)
#define STN_PAIRS_(m, x, ...)                                                  \
	STN_CHOOSE_(STN_COUNT_(__VA_ARGS__))                                   \
	(m, x __VA_OPT__(, ) __VA_ARGS__)

#define STN_MEMBER_(x, t, a) t a;
#define STN_PARAMETER_(x, t, a) , t a
#define STN_STORE_(x, t, a) .a = a,
#define STN_PASS_(x, t, a) , a
#define STN_LOAD_(x, t, a) , stn_a.a
#define STN_DESCRIBE_(x, t, a)                                                 \
	{ #t, offsetof(struct x, a), sizeof(t),                                \
	  _Generic(((struct x *)0)->a,                                         \
		struct stn_in: STN_ARGUMENT_IN,                                \
		struct stn_out: STN_ARGUMENT_OUT,                              \
		struct stn_inout: STN_ARGUMENT_INOUT,                          \
		default: STN_ARGUMENT_SCALAR) },

/* What differs between tasks with a result and tasks without. */
#define STN_VALUE_BYTES_(result) sizeof(result)
#define STN_VALUE_PLACE_(result) result *
#define STN_VALUE_NONNULL_ __attribute__((nonnull(2)))
#define STN_VALUE_KEEP_(result) result stn_value =
#define STN_VALUE_RETURN_ return stn_value
#define STN_VALUE_PUT_(result, place) *(result *)(place) =
#define STN_NOTHING_BYTES_(result) 0
#define STN_NOTHING_PLACE_(result) void *
#define STN_NOTHING_NONNULL_
#define STN_NOTHING_KEEP_(result)
#define STN_NOTHING_RETURN_ return
#define STN_NOTHING_PUT_(result, place) (void)(place);

/*
 * For a task T this declares T_body, which is inlined into T_call (a plain
 * call), T_run (the call that a record stands for), and T_spawn.
 */
#define STN_TASK_DECLARE_(kind, result, name, ...)                             \
	struct name##_arguments {                                              \
		STN_PAIRS_(STN_MEMBER_, _, __VA_ARGS__)                        \
	};                                                                     \
	_Static_assert(sizeof(struct name##_arguments) <= STN_ARGUMENT_BYTES,  \
		       "the arguments of task " #name                          \
		       " take too many bytes: put some into a buffer");        \
	static const struct stn_argument name##_describe[] = {                 \
		STN_PAIRS_(STN_DESCRIBE_, name##_arguments, __VA_ARGS__)       \
	};                                                                     \
	static void name##_run(struct stn_deque *, struct stn_record *,        \
			       struct stn_record *);                           \
	static const struct stn_task name##_task = {                           \
		#name,                                                         \
		#result,                                                       \
		name##_run,                                                    \
		name##_describe,                                               \
		sizeof(name##_describe) / sizeof(struct stn_argument),         \
		sizeof(struct name##_arguments),                               \
		STN_##kind##_BYTES_(result),                                   \
	};                                                                     \
	static const struct stn_task *const name##_entry                       \
		__attribute__((section("stn_tasks"), used)) = &name##_task;    \
                                                                               \
	static inline __attribute__((always_inline)) result name##_body(       \
		struct stn_frame *stn_frame STN_PAIRS_(STN_PARAMETER_, _,      \
						       __VA_ARGS__));          \
                                                                               \
	static __attribute__((unused)) result name##_call(                     \
		struct stn_deque *stn_d, struct stn_record *stn_head           \
			STN_PAIRS_(STN_PARAMETER_, _, __VA_ARGS__))            \
	{                                                                      \
		struct stn_frame stn_f = { stn_d, stn_head, stn_head };        \
		STN_##kind##_KEEP_(result) name##_body(                        \
			&stn_f STN_PAIRS_(STN_PASS_, _, __VA_ARGS__));         \
                                                                               \
		if (!STN_LIKELY(stn_f.head == stn_f.base))                     \
			stn_unsynced(stn_d, &name##_task);                     \
		STN_##kind##_RETURN_;                                          \
	}                                                                      \
                                                                               \
	static void name##_run(struct stn_deque *stn_d,                        \
			       struct stn_record *stn_r,                       \
			       struct stn_record *stn_head)                    \
	{                                                                      \
		void *stn_place = stn_r->place;                                \
		struct name##_arguments stn_a;                                 \
                                                                               \
		/* stn_head may be stn_r: the call reuses the slot. */         \
		memcpy(&stn_a, stn_r->arguments, sizeof(stn_a));               \
		STN_##kind##_PUT_(result, stn_place) name##_call(              \
			stn_d, stn_head STN_PAIRS_(STN_LOAD_, _,               \
						   __VA_ARGS__));              \
	}                                                                      \
                                                                               \
	STN_##kind##_NONNULL_                                                  \
	static inline __attribute__((unused)) void name##_spawn(               \
		struct stn_frame *stn_f, STN_##kind##_PLACE_(result) stn_place \
			STN_PAIRS_(STN_PARAMETER_, _, __VA_ARGS__))            \
	{                                                                      \
		struct name##_arguments stn_a = { STN_PAIRS_(                  \
			STN_STORE_, _, __VA_ARGS__) };                         \
                                                                               \
		if (STN_LIKELY(stn_spawn_plain(stn_f->deque, stn_f->head))) {  \
			memcpy(stn_f->head->arguments, &stn_a, sizeof(stn_a)); \
			stn_push(stn_f, &name##_task, stn_place);              \
		} else if (stn_spawn_room(stn_f->deque, stn_f->head)) {        \
			memcpy(stn_f->head->arguments, &stn_a, sizeof(stn_a)); \
			stn_push(stn_f, &name##_task, stn_place);              \
			stn_spawn_announce(stn_f->deque);                      \
		} else {                                                       \
			STN_##kind##_PUT_(result, stn_place) name##_call(      \
				stn_f->deque, stn_f->head STN_PAIRS_(          \
						      STN_PASS_, _,            \
						      __VA_ARGS__));           \
		}                                                              \
	}

#define STN_TASK_DEFINE_(result, name, ...)                                    \
	static inline __attribute__((always_inline)) result name##_body(       \
		__attribute__((unused)) struct stn_frame *stn_frame STN_PAIRS_(\
			STN_PARAMETER_, _, __VA_ARGS__))

/* The linker collects the tasks of a program in one section. */
#define STN_TASK_TABLE_                                                        \
	extern const struct stn_task *const __start_stn_tasks[]                \
		__attribute__((weak, visibility("hidden")));                   \
	extern const struct stn_task *const __stop_stn_tasks[]                 \
		__attribute__((weak, visibility("hidden")));
#define STN_TASK_TABLE_BEGIN_ __start_stn_tasks
#define STN_TASK_TABLE_END_ __stop_stn_tasks

/* stn_row_too_long: stops a program whose buffer has a row over 4 GiB. */
_Noreturn void stn_row_too_long(uint64_t bytes);

static inline uint32_t
stn_row_bytes(uint64_t bytes)
{
	if (bytes > UINT32_MAX)
		stn_row_too_long(bytes);
	return (uint32_t)bytes;
}

/* sizeof looks at the pointer's type only: @pointer is evaluated once. */
#define STN_BUFFER_(kind, pointer, rows, count, step)                          \
	((struct kind){ (pointer), (uint32_t)(rows),                           \
			stn_row_bytes((uint64_t)(count) * sizeof(*(pointer))), \
			(uint64_t)(step) * sizeof(*(pointer)) })

#endif
