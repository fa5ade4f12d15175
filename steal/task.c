#include "steal/task.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "node/stack_guard.h"

/*
 * The tasks of the process, in no order. Constructors fill the list before a
 * node exists, so it is a global variable, and all nodes of the process share
 * it. The dynamic linker runs one constructor at a time, so no lock is needed.
 */
static struct stn_task_entry *entries;
static bool collected; /* stn_table_init was called */

/* The program or library that defines the task: a file, as it was loaded. */
static const char *
file_of(const struct stn_task_entry *entry)
{
	Dl_info info;

	if (dladdr(entry, &info) && info.dli_fname)
		return info.dli_fname;
	return "this program";
}

static _Noreturn void
refuse_late(const struct stn_task_entry *entry)
{
	static const char text[] = "%s, which has the task \"%s\", was loaded "
				   "after the run began; "
				   "link it, or load it before stn_main";
	struct stn_worker *worker = stn_stack_guard_worker();

	if (worker)
		stn_node_fail(worker->node, text, file_of(entry),
			      entry->task->name);
	fputs("sateen: ", stderr);
	fprintf(stderr, text, file_of(entry), entry->task->name);
	fputc('\n', stderr);
	abort(); /* a bug of the program, in a thread that is no worker */
}

void
stn_task_register(struct stn_task_entry *entry)
{
	if (collected)
		refuse_late(entry);
	entry->next = entries;
	entries = entry;
}

static int
task_by_name(const void *a, const void *b)
{
	const struct stn_task *const *task = a, *const *other = b;

	return strcmp((*task)->name, (*other)->name);
}

static const struct stn_task_entry *
find_entry(const struct stn_task_entry *from, const char *name)
{
	while (from && strcmp(from->task->name, name))
		from = from->next;
	return from;
}

static enum stn_err
refuse_twins(const char *name, struct stn_why *why)
{
	const struct stn_task_entry *one = find_entry(entries, name);
	const struct stn_task_entry *two = find_entry(one->next, name);
	const char *file = file_of(one), *other = file_of(two);

	if (!strcmp(file, other))
		return stn_because(why, STN_INVALID,
				   "two tasks are called \"%s\"; rename one",
				   name);
	return stn_because(why, STN_INVALID,
			   "two tasks are called \"%s\", one in %s and one in "
			   "%s; rename one",
			   name, file, other);
}

enum stn_err
stn_table_init(struct stn_table *table, struct stn_why *why)
{
	const struct stn_task_entry *entry;
	uint32_t count = 0;

	collected = true;
	for (entry = entries; entry; entry = entry->next)
		count++;
	table->tasks = calloc(count + 1, sizeof(table->tasks[0]));
	if (!table->tasks)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	table->count = 0;
	for (entry = entries; entry; entry = entry->next)
		table->tasks[table->count++] = entry->task;
	qsort(table->tasks, count, sizeof(table->tasks[0]), task_by_name);
	for (uint32_t i = 1; i < count; i++) {
		const char *name = table->tasks[i]->name;

		if (task_by_name(&table->tasks[i - 1], &table->tasks[i]))
			continue;
		stn_table_fini(table);
		return refuse_twins(name, why);
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
			sizeof(table->tasks[0]), task_by_name);
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

/* The first line of @text that @other hasn't, or NULL. */
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
