#include "steal/spill.h"

#include <stdlib.h>

/*
 * Layout, from the first byte up: a result, its task; the next result, its
 * task.
 */

void
stn_spill_fini(struct stn_spill *spill)
{
	free(spill->bytes);
}

static enum stn_err
spill_grow(struct stn_spill *spill, size_t more)
{
	size_t size = spill->size ? spill->size : 4096;
	unsigned char *bytes;

	while (size - spill->used < more)
		size *= 2;
	if (size == spill->size)
		return STN_OK;
	bytes = realloc(spill->bytes, size);
	if (!bytes)
		return STN_NO_MEMORY;
	spill->bytes = bytes;
	spill->size = size;
	return STN_OK;
}

static void
spill_append(struct stn_spill *spill, const void *from, size_t bytes)
{
	if (bytes)
		memcpy(spill->bytes + spill->used, from, bytes);
	spill->used += bytes;
}

static void
remove_last(struct stn_spill *spill, void *to, size_t bytes)
{
	spill->used -= bytes;
	if (bytes)
		memcpy(to, spill->bytes + spill->used, bytes);
}

enum stn_err
stn_spill_push(struct stn_spill *spill, const struct stn_task *task,
	       const void *result)
{
	enum stn_err err = spill_grow(spill, task->result_bytes + sizeof(task));

	if (err)
		return err;
	spill_append(spill, result, task->result_bytes);
	spill_append(spill, &task, sizeof(task));
	return STN_OK;
}

const struct stn_task *
stn_spill_top(const struct stn_spill *spill)
{
	const struct stn_task *task = NULL;

	if (spill->used)
		memcpy(&task, spill->bytes + spill->used - sizeof(task),
		       sizeof(task));
	return task;
}

void
stn_spill_pop(struct stn_spill *spill, void *result)
{
	const struct stn_task *task;

	remove_last(spill, &task, sizeof(task));
	remove_last(spill, result, task->result_bytes);
}
