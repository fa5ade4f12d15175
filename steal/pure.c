#include "steal/pure.h"

#include <inttypes.h>
#include <stdlib.h>

#include "steal/buffers.h"
#include "steal/steal.h"

/*
 * By count, so that which calls are checked does not depend on the speed of the
 * machine.
 */
#define FIRST_CALLS 4
#define ONE_OF 64

enum stn_err
stn_pure_init(struct stn_pure_owner *pure, uint32_t tasks)
{
	pure->calls = calloc(tasks + 1ull, sizeof(pure->calls[0]));
	return pure->calls ? STN_OK : STN_NO_MEMORY;
}

void
stn_pure_fini(struct stn_pure_owner *pure)
{
	free(pure->calls);
}

/* A call that runs several times. */
struct trial {
	struct stn_owner *owner;
	const struct stn_task *task;
	struct stn_record record; /* a copy, because a run overwrites it */
	void *result;
	unsigned char *inouts; /* the contents of all inout buffers before */
};

/* The first byte that differs between the outputs of two runs. */
struct difference {
	bool is;
	size_t at;
};

static void *
pure_allocate(struct stn_owner *owner, size_t bytes)
{
	void *memory = malloc(bytes + 1);

	if (!memory)
		stn_node_fail(owner->node, "out of memory for --check-pure");
	return memory;
}

static unsigned char *
copy_rows(const struct stn_buffer *buffer, unsigned char *memory, bool back)
{
	for (uint32_t row = 0; row < buffer->rows && buffer->row_bytes; row++) {
		char *at = buffer->at + row * buffer->stride;

		memcpy(back ? at : (char *)memory, back ? (char *)memory : at,
		       buffer->row_bytes);
		memory += buffer->row_bytes;
	}
	return memory;
}

/* Copies the contents of all inout buffers to memory, or @back. */
static void
copy_inouts(const struct trial *trial, bool back)
{
	const struct stn_task *task = trial->task;
	unsigned char *memory = trial->inouts;

	for (uint32_t i = 0; i < task->argument_count; i++) {
		struct stn_buffer buffer;

		if (task->arguments[i].kind != STN_ARGUMENT_INOUT)
			continue;
		buffer = stn_buffer_of(&task->arguments[i], &trial->record);
		memory = copy_rows(&buffer, memory, back);
	}
}

static void
run_trial(const struct trial *trial, struct stn_record *head)
{
	trial->task->run(&trial->owner->deque, &trial->record, head,
			 trial->result);
}

static unsigned char *
trial_outputs(const struct trial *trial, size_t *bytes_p)
{
	unsigned char *outputs = stn_outputs_copy(trial->task, &trial->record,
						  trial->result, bytes_p);

	if (!outputs)
		stn_node_fail(trial->owner->node,
			      "out of memory for --check-pure");
	return outputs;
}

static struct difference
compare(const unsigned char *one, const unsigned char *two, size_t bytes)
{
	struct difference difference = { false, 0 };

	while (difference.at < bytes &&
	       one[difference.at] == two[difference.at])
		difference.at++;
	difference.is = difference.at < bytes;
	return difference;
}

/* Runs the call twice. */
static struct difference
run_twice(const struct trial *trial, struct stn_record *head)
{
	struct difference difference;
	unsigned char *one, *two;
	size_t bytes;

	run_trial(trial, head);
	one = trial_outputs(trial, &bytes);
	copy_inouts(trial, true);
	run_trial(trial, head);
	two = trial_outputs(trial, &bytes);
	difference = compare(one, two, bytes);
	free(one);
	free(two);
	return difference;
}

/* Ends the run: names the task, and the output that differs. */
static _Noreturn void
blame(const struct trial *trial, size_t at)
{
	const struct stn_task *task = trial->task;
	struct stn_node *node = trial->owner->node;

	if (at < task->result_bytes)
		stn_node_fail(node,
			      "task %s is not pure: two runs of a call differ "
			      "in byte %zu of the result",
			      task->name, at);
	at -= task->result_bytes;
	for (uint32_t i = 0; i < task->argument_count; i++) {
		const struct stn_argument *argument = &task->arguments[i];
		struct stn_buffer buffer;

		if (argument->kind != STN_ARGUMENT_OUT &&
		    argument->kind != STN_ARGUMENT_INOUT)
			continue;
		buffer = stn_buffer_of(argument, &trial->record);
		if (at < stn_buffer_bytes(&buffer))
			stn_node_fail(node,
				      "task %s is not pure: two runs of a call "
				      "differ in byte %zu of the buffer that "
				      "is argument %" PRIu32 " (%s)",
				      task->name, at, i + 1, argument->type);
		at -= stn_buffer_bytes(&buffer);
	}
	abort(); /* the offset is in one of the outputs */
}

/*
 * Looks for the task to blame among the calls that this call spawns: with the
 * head behind the last slot, they run in place, one after the other.
 */
static _Noreturn void
search(const struct trial *trial, const struct difference *difference)
{
	struct stn_pure_owner *pure = &trial->owner->pure;

	pure->busy = false;
	pure->searching = true;
	copy_inouts(trial, true);
	run_trial(trial, trial->owner->deque.end);
	blame(trial, difference->at);
}

static bool
is_in_sample(struct stn_owner *owner, const struct stn_task *task)
{
	const struct stn_table *table = &owner->steal->program->table;
	uint64_t number;

	if (owner->pure.searching)
		return true;
	if (owner->pure.busy)
		return false;
	number = owner->pure.calls[stn_table_id(table, task)]++;
	return number < FIRST_CALLS || number % ONE_OF == 0;
}

/* Not inlined: the trial would make the frame of each nested call larger. */
static __attribute__((noinline)) void
run_checked(struct stn_owner *owner, const struct stn_record *record,
	    const struct stn_task *task, struct stn_record *head, void *result)
{
	struct stn_pure_owner *pure = &owner->pure;
	struct trial trial = { owner, task, *record, result, NULL };
	bool searching = pure->searching;
	struct difference difference;

	trial.inouts = pure_allocate(
		owner, stn_inouts_bytes(trial.task, &trial.record));
	copy_inouts(&trial, false);
	pure->busy = true;
	pure->searching = false;
	difference = run_twice(&trial, head);
	if (difference.is)
		search(&trial, &difference);
	pure->busy = false;
	pure->searching = searching;
	free(trial.inouts);
}

void
stn_pure_check(struct stn_owner *owner, const struct stn_record *record,
	       const struct stn_task *task, struct stn_record *head,
	       void *result)
{
	if (is_in_sample(owner, task))
		run_checked(owner, record, task, head, result);
	else
		task->run(&owner->deque, record, head, result);
}
