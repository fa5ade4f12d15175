/*
 * task.h: the table of all tasks of a process, with the same numbers in every
 * process of a run.
 */
#ifndef STN_STEAL_TASK_H
#define STN_STEAL_TASK_H

#include "steal/sateen_record.h"
#include "transport/error.h"

/*
 * stn_task_is_bounded: whether a bound is among the arguments of @task. If so,
 * what its calls do depends on what other calls have found meanwhile.
 */
static inline bool
stn_task_is_bounded(const struct stn_task *task)
{
	for (uint32_t i = 0; i < task->argument_count; i++)
		if (task->arguments[i].kind == STN_ARGUMENT_BOUND)
			return true;
	return false;
}

/* A task, its hash (stn_key_task), and its id; no task: a free place. */
struct stn_table_hash {
	const struct stn_task *task;
	uint64_t hash;
	uint32_t id;
};

/*
 * Tasks in the order of their names. A task's place is its id. The table is
 * constant after stn_table_init.
 */
struct stn_table {
	const struct stn_task **tasks;
	uint32_t count;

	/*
	 * The hashes and the ids, in places that follow from the tasks'
	 * addresses; at least half of the places are free.
	 */
	struct stn_table_hash *hashes;
	uint32_t mask;	   /* the number of places - 1 */
	uint64_t identity; /* a hash of all tasks: their names and types */
};

/*
 * stn_table_init: makes the table of all tasks that are registered in this
 * process. From then on stn_task_register ends the process. Returns STN_OK;
 * STN_INVALID, with @why, if two tasks have one name; or STN_NO_MEMORY. After
 * STN_OK the caller calls stn_table_fini. For one thread, while no other thread
 * loads a library.
 */
STN_CHECKED enum stn_err stn_table_init(struct stn_table *table,
					struct stn_why *why);

/* stn_table_fini: frees the table, not the tasks. */
void stn_table_fini(struct stn_table *table);

/*
 * stn_table_id: the id of @task, which must be in the table. Takes some
 * nanoseconds. Any thread.
 */
uint32_t stn_table_id(const struct stn_table *table,
		      const struct stn_task *task);

/*
 * stn_table_hash: stn_key_task of @task, found in some nanoseconds if the table
 * has the task. Any thread.
 */
uint64_t stn_table_hash(const struct stn_table *table,
			const struct stn_task *task);

/*
 * stn_table_text: the table as text, with a line for each task: the result's
 * type, the name, and each argument's type and bytes, then the result's bytes,
 * for example "long fib(int:4):8". Two nodes have the same tasks if their texts
 * are equal. The caller frees the text. Returns NULL if memory runs out.
 */
char *stn_table_text(const struct stn_table *table);

/*
 * stn_table_agree: compares this node's text with the text of node @rank.
 * Returns STN_OK if they are equal, or else STN_INVALID; then @why names the
 * first task that one of the two nodes lacks.
 */
STN_CHECKED enum stn_err stn_table_agree(const char *mine, const char *theirs,
					 uint32_t rank, struct stn_why *why);

#endif
