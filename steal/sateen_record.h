/*
 * sateen_record.h: invocation records, deques, and the plain path of a spawn
 * and a sync. Programs use them through <sateen.h>'s macros only.
 *
 * A spawn and a sync compile to the code in this file. As long as no thief
 * takes the record, both run without a lock, an allocation, a system call, a
 * fence, or an atomic read-modify-write. The file is both C11 and C++11, whose
 * standard atomics differ, so it uses the compiler's atomics.
 */
#ifndef STN_SATEEN_RECORD_H
#define STN_SATEEN_RECORD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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
/* Flags of a record. Hints: plain spawns don't write them. */
#define STN_RECORD_REDONE 1 /* part of a call that is run again */
#define STN_RECORD_ANEW 2   /* that call is main: the first root has died */

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

/*
 * A task's function begins a cache line. Otherwise any change of the functions
 * before it would move it in its line, and there the same instructions of a
 * small task take up to 19 % more time (bench/README.md).
 */
#define STN_CODE_ALIGNED_ __attribute__((aligned(64)))

struct stn_task;
struct stn_bound;
struct stn_const;
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
 * @rank to @hops are written when the record leaves for another node, by the
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
	uint16_t task_id; /* the task's place in the table of every node */
	uint8_t hops;	  /* how often it has been passed on */
	uint8_t flags;	  /* STN_RECORD_... */
	unsigned char arguments[STN_ARGUMENT_BYTES];
} STN_ALIGNED;

STN_STATIC_ASSERT_(sizeof(struct stn_record) == STN_RECORD_BYTES,
		   "two cache lines");
STN_STATIC_ASSERT_(offsetof(struct stn_record, rank) == 20, "the wire part");
STN_STATIC_ASSERT_(offsetof(struct stn_record, arguments) == 40, "arguments");

/*
 * What an argument is: a buffer of one of three kinds, a bound, a constant, or
 * any other value.
 */
enum stn_argument_kind {
	STN_ARGUMENT_SCALAR,
	STN_ARGUMENT_IN,
	STN_ARGUMENT_OUT,
	STN_ARGUMENT_INOUT,
	STN_ARGUMENT_BOUND,
	STN_ARGUMENT_CONST
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
	uint64_t poll;		  /* STN_POLL is slow from this work on */
	uint64_t done, known;	  /* sums of STN_PROGRESS on this worker */

	/*
	 * Thieves' part. The tail is written under the lock, read by all. The
	 * constants are here because the slow paths that read them also read
	 * the tail.
	 */
	STN_ALIGNED pthread_mutex_t lock;
	struct stn_record *tail; /* all slots below have a thief */
	struct stn_record *slots;
	struct stn_record *end; /* a slot that is never pushed */
	bool fenced;		/* thieves claim nothing: all is offered */
	bool mapped;		/* the slab is the deque's own */

	/*
	 * The slot behind the newest record, or a later one. If the tail is
	 * there, the deque is empty. NULL except in virtual time: plain spawns
	 * don't set it.
	 */
	struct stn_record *top;
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
 * @arguments  may be those of @head
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
 * path checks that the record is one of @task if a thief has taken it. The
 * plain path checks that only in programs without optimisation or with
 * STN_CHECK.
 */
STN_INLINE_ struct stn_record *
stn_last(struct stn_frame *frame, const struct stn_task *task)
{
	struct stn_record *record = frame->head - 1;

	if (!STN_LIKELY(frame->pending))
		stn_unspawned(frame->deque, task);
	frame->pending--;
#if defined(STN_CHECK) || !defined(__OPTIMIZE__)
	/*
	 * The ready word is NULL if the call's result was found or is being
	 * fetched; then the task word names the task.
	 */
	const struct stn_task *spawned = record->ready;

	if (!spawned)
		spawned = __atomic_load_n(&record->task, __ATOMIC_RELAXED);
	if (spawned != task &&
	    __atomic_load_n(&record->thief, __ATOMIC_RELAXED) != STN_THIEF_FULL)
		stn_mismatched(frame->deque, spawned, task);
#endif
	return record;
}

STN_INLINE_ void
stn_work(struct stn_deque *deque, uint64_t units)
{
	deque->work += units;
}

/*
 * The owner alone writes. Relaxed: another thread reads the sums twice a
 * second, as hints.
 */
STN_INLINE_ void
stn_progress(struct stn_deque *deque, uint64_t done, uint64_t known)
{
	__atomic_store_n(&deque->done, deque->done + done, __ATOMIC_RELAXED);
	__atomic_store_n(&deque->known, deque->known + known,
			 __ATOMIC_RELAXED);
}

/*
 * These end a process that makes a buffer of 2^32 rows or more, or of rows of
 * 4 GiB or more.
 */
STN_NORETURN_ void stn_rows_too_many(uint64_t rows);
STN_NORETURN_ void stn_row_too_long(uint64_t bytes);

static inline uint32_t
stn_row_count(uint64_t rows)
{
	if (rows > UINT32_MAX)
		stn_rows_too_many(rows);
	return (uint32_t)rows;
}

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

#endif
