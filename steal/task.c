#include "steal/task.h"

#include <stdio.h>
#include <stdlib.h>

static int
by_name(const void *a, const void *b)
{
	const struct stn_task *const *task = a, *const *other = b;

	return strcmp((*task)->name, (*other)->name);
}

enum stn_err
stn_table_init(struct stn_table *table, const struct stn_task *const *begin,
	       const struct stn_task *const *end, struct stn_why *why)
{
	size_t count = (size_t)(end - begin);

	table->tasks = calloc(count + 1, sizeof(table->tasks[0]));
	if (!table->tasks)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	table->count = (uint32_t)count;
	for (size_t i = 0; i < count; i++)
		table->tasks[i] = begin[i];
	qsort(table->tasks, count, sizeof(table->tasks[0]), by_name);
	for (size_t i = 1; i < count; i++) {
		if (by_name(&table->tasks[i - 1], &table->tasks[i]))
			continue;
		stn_because(why, STN_INVALID,
			    "two tasks are called \"%s\"; rename one",
			    table->tasks[i]->name);
		stn_table_fini(table);
		return STN_INVALID;
	}
	return STN_OK;
}

void
stn_table_fini(struct stn_table *table)
{
	free(table->tasks);
}

uint32_t
stn_table_id(const struct stn_table *table, const struct stn_task *task)
{
	const struct stn_task **found;

	found = bsearch(&task, table->tasks, table->count,
			sizeof(table->tasks[0]), by_name);
	return (uint32_t)(found - table->tasks);
}

static void
print_task(const struct stn_task *task, FILE *out)
{
	fprintf(out, "%s %s(", task->result, task->name);
	for (uint32_t i = 0; i < task->argument_count; i++)
		fprintf(out, "%s%s:%u", i ? ", " : "", task->arguments[i].type,
			task->arguments[i].bytes);
	fprintf(out, "):%u\n", task->result_bytes);
}

char *
stn_table_text(const struct stn_table *table)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	for (uint32_t i = 0; i < table->count; i++)
		print_task(table->tasks[i], out);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/* The first line of @text that is no line of @other, or NULL. */
static const char *
lacking(const char *text, const char *other, int *length_p)
{
	for (; *text; text += *length_p + (text[*length_p] == '\n')) {
		const char *line = other;

		*length_p = (int)strcspn(text, "\n");
		while (*line && (strncmp(line, text, (size_t)*length_p) ||
				 line[*length_p] != '\n')) {
			line += strcspn(line, "\n");
			line += *line == '\n';
		}
		if (!*line)
			return text;
	}
	return NULL;
}

enum stn_err
stn_table_agree(const char *mine, const char *theirs, uint32_t rank,
		struct stn_why *why)
{
	const char *task;
	int length;

	if (!strcmp(mine, theirs))
		return STN_OK;
	task = lacking(theirs, mine, &length);
	if (task)
		return stn_because(why, STN_INVALID,
				   "node %u has a task \"%.*s\", which is not "
				   "here; run the same program on all nodes",
				   rank, length, task);
	task = lacking(mine, theirs, &length);
	return stn_because(why, STN_INVALID,
			   "node %u lacks the task \"%.*s\"; run the same "
			   "program on all nodes",
			   rank, task ? length : 0, task ? task : "");
}
