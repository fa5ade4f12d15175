#include "steal/task.h"

#include <assert.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "node/stack_guard.h"
#include "steal/key.h"

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

static uint32_t
hash_place(const struct stn_table *table, const struct stn_task *task)
{
	uint64_t address = (uintptr_t)task;

	return (uint32_t)((address * 0x9e3779b97f4a7c15) >> 32) & table->mask;
}

static enum stn_err
hash_tasks(struct stn_table *table)
{
	table->mask = 1;
	table->identity = 0;
	while (table->mask < 2 * table->count)
		table->mask = 2 * table->mask + 1;
	table->hashes = calloc(table->mask + 1ull, sizeof(table->hashes[0]));
	if (!table->hashes)
		return STN_NO_MEMORY;
	for (uint32_t i = 0; i < table->count; i++) {
		const struct stn_task *task = table->tasks[i];
		uint32_t place = hash_place(table, task);
		uint64_t hash = stn_key_task(task);
		const uint64_t both[] = { table->identity, hash };

		while (table->hashes[place].task)
			place = (place + 1) & table->mask;
		table->hashes[place] = (struct stn_table_hash){ task, hash, i };
		table->identity = XXH3_64bits(both, sizeof(both));
	}
	return STN_OK;
}

enum stn_err
stn_table_init(struct stn_table *table, struct stn_why *why)
{
	const struct stn_task_entry *entry;
	uint32_t count = 0;

	collected = true;
	for (entry = entries; entry; entry = entry->next)
		count++;
	if (count > UINT16_MAX) /* task_id of struct stn_record */
		return stn_because(why, STN_INVALID,
				   "the program has %" PRIu32 " tasks and "
				   "kernels, and may have 65535; "
				   "define fewer",
				   count);
	table->tasks = calloc(count + 1, sizeof(table->tasks[0]));
	if (!table->tasks)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	table->count = 0;
	table->hashes = NULL;
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
	if (!hash_tasks(table))
		return STN_OK;
	stn_table_fini(table);
	return stn_because(why, STN_NO_MEMORY, "out of memory");
}

void
stn_table_fini(struct stn_table *table)
{
	free(table->tasks);
	free(table->hashes);
}

/* What the table knows of @task; NULL if it does not have it. */
static const struct stn_table_hash *
find_hash(const struct stn_table *table, const struct stn_task *task)
{
	uint32_t place = hash_place(table, task);

	if (!table->hashes)
		return NULL;
	for (; table->hashes[place].task; place = (place + 1) & table->mask)
		if (table->hashes[place].task == task)
			return &table->hashes[place];
	return NULL;
}

uint32_t
stn_table_id(const struct stn_table *table, const struct stn_task *task)
{
	const struct stn_table_hash *hash = find_hash(table, task);

	assert(hash);
	return hash->id;
}

uint64_t
stn_table_hash(const struct stn_table *table, const struct stn_task *task)
{
	const struct stn_table_hash *hash = find_hash(table, task);

	return hash ? hash->hash : stn_key_task(task);
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
