/*
 * task.h: the tasks of a program, numbered in the same way in every process.
 */
#ifndef STN_STEAL_TASK_H
#define STN_STEAL_TASK_H

#include "steal/sateen_task.h"
#include "transport/error.h"

/* Tasks in the order of their names; a task's place is its id. Constant. */
struct stn_table {
	const struct stn_task **tasks;
	uint32_t count;
};

/*
 * stn_table_init: sorts the tasks from @begin to @end. Fails with STN_INVALID
 * if two have one name. On success the caller calls stn_table_fini.
 */
STN_CHECKED enum stn_err stn_table_init(struct stn_table *table,
					const struct stn_task *const *begin,
					const struct stn_task *const *end,
					struct stn_why *why);
void stn_table_fini(struct stn_table *table);

/* stn_table_id: the id of a task of this table. Any thread. */
uint32_t stn_table_id(const struct stn_table *table,
		      const struct stn_task *task);

/*
 * stn_table_text: the table as text, a line a task: "long fib(int)". Two nodes
 * understand each other if their texts are equal. To be freed; NULL if there
 * is no memory.
 */
char *stn_table_text(const struct stn_table *table);

/*
 * stn_table_agree: compares this node's text with that of node @rank. If they
 * differ, STN_INVALID, and @why names the first task that one of them lacks.
 */
STN_CHECKED enum stn_err stn_table_agree(const char *mine, const char *theirs,
					 uint32_t rank, struct stn_why *why);

#endif
