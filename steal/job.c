/*
 * job.c: records that came from other nodes: their memory, and the inbox in
 * which they wait for a worker.
 */
#include <stdlib.h>

#include "steal/buffers.h"
#include "steal/node.h"

struct stn_job *
stn_job_create(struct stn_node *node, const struct stn_record *record)
{
	size_t memory, inputs;
	struct stn_job *job;

	if (stn_buffers_measure(record->task, record, &memory, &inputs))
		return NULL;
	job = aligned_alloc(128, (sizeof(*job) + memory + 127) & ~(size_t)127);
	if (!job)
		return NULL;
	job->bytes = memory;
	job->record = *record;
	job->node = node;
	job->result =
		stn_buffers_adopt(record->task, &job->record, job->memory);
	return job;
}

void
stn_job_free(struct stn_job *job)
{
	free(job);
}

static bool
is_home(const struct stn_job *job)
{
	return job->record.rank == job->node->rank;
}

void
stn_inbox_put(struct stn_node *node, struct stn_job *job)
{
	job->next = NULL;
	pthread_mutex_lock(&node->inbox);
	*node->last = job;
	node->last = &job->next;
	node->waiting++;
	node->returned += is_home(job);
	pthread_mutex_unlock(&node->inbox);
}

struct stn_job *
stn_inbox_take_if(struct stn_node *node,
		  bool (*fits)(const struct stn_job *job, void *arg), void *arg)
{
	struct stn_job *job, **at;

	pthread_mutex_lock(&node->inbox);
	for (at = &node->first; *at && !fits(*at, arg); at = &(*at)->next)
		;
	job = *at;
	if (job) {
		*at = job->next;
		if (!*at)
			node->last = at;
		node->waiting--;
		node->returned -= is_home(job);
	}
	pthread_mutex_unlock(&node->inbox);
	return job;
}

static bool
fits_all(const struct stn_job *job, void *arg)
{
	(void)job;
	(void)arg;
	return true;
}

struct stn_job *
stn_inbox_take(struct stn_node *node)
{
	return node->waiting ? stn_inbox_take_if(node, fits_all, NULL) : NULL;
}

static bool
is_foreign(const struct stn_job *job, void *arg)
{
	(void)arg;
	return !is_home(job);
}

struct stn_job *
stn_inbox_take_foreign(struct stn_node *node)
{
	return node->waiting > node->returned
		       ? stn_inbox_take_if(node, is_foreign, NULL)
		       : NULL;
}

static bool
is_copy(const struct stn_job *job, void *record)
{
	const struct stn_node *node = job->node;
	uint64_t worker = job->record.slot / node->config.slots;
	uint64_t slot = job->record.slot % node->config.slots;

	return is_home(job) && worker < node->worker_count &&
	       record == &node->workers[worker].deque.slots[slot];
}

struct stn_job *
stn_inbox_take_copy(struct stn_node *node, struct stn_record *record)
{
	return node->returned ? stn_inbox_take_if(node, is_copy, record) : NULL;
}
