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
	memory = (sizeof(*job) + memory + 127) & ~(size_t)127;
	job = aligned_alloc(128, memory);
	if (!job)
		return NULL;
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

void
stn_inbox_put(struct stn_node *node, struct stn_job *job)
{
	job->next = NULL;
	pthread_mutex_lock(&node->inbox);
	*node->last = job;
	node->last = &job->next;
	node->waiting++;
	pthread_mutex_unlock(&node->inbox);
}

struct stn_job *
stn_inbox_take(struct stn_node *node)
{
	struct stn_job *job;

	if (!node->waiting)
		return NULL;
	pthread_mutex_lock(&node->inbox);
	job = node->first;
	if (job) {
		node->first = job->next;
		if (!node->first)
			node->last = &node->first;
		node->waiting--;
	}
	pthread_mutex_unlock(&node->inbox);
	return job;
}
