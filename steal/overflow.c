#include "steal/overflow.h"

#include <stdlib.h>

/* Bytes upwards: a result, then its task; another result, its task. */

void
stn_overflow_fini(struct stn_overflow *overflow)
{
	free(overflow->bytes);
}

static enum stn_err
grow(struct stn_overflow *overflow, size_t more)
{
	size_t size = overflow->size ? overflow->size : 4096;
	unsigned char *bytes;

	while (size - overflow->used < more)
		size *= 2;
	if (size == overflow->size)
		return STN_OK;
	bytes = realloc(overflow->bytes, size);
	if (!bytes)
		return STN_NO_MEMORY;
	overflow->bytes = bytes;
	overflow->size = size;
	return STN_OK;
}

static void
append(struct stn_overflow *overflow, const void *from, size_t bytes)
{
	if (bytes)
		memcpy(overflow->bytes + overflow->used, from, bytes);
	overflow->used += bytes;
}

static void
remove_last(struct stn_overflow *overflow, void *to, size_t bytes)
{
	overflow->used -= bytes;
	if (bytes)
		memcpy(to, overflow->bytes + overflow->used, bytes);
}

enum stn_err
stn_overflow_push(struct stn_overflow *overflow, const struct stn_task *task,
		  const void *result)
{
	enum stn_err err = grow(overflow, task->result_bytes + sizeof(task));

	if (err)
		return err;
	append(overflow, result, task->result_bytes);
	append(overflow, &task, sizeof(task));
	return STN_OK;
}

const struct stn_task *
stn_overflow_top(const struct stn_overflow *overflow)
{
	const struct stn_task *task = NULL;

	if (overflow->used)
		memcpy(&task, overflow->bytes + overflow->used - sizeof(task),
		       sizeof(task));
	return task;
}

void
stn_overflow_pop(struct stn_overflow *overflow, void *result)
{
	const struct stn_task *task;

	remove_last(overflow, &task, sizeof(task));
	remove_last(overflow, result, task->result_bytes);
}
