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
	bool home = is_home(job);

	pthread_mutex_lock(&node->inbox);
	job->number = node->jobs++;
	TAILQ_INSERT_TAIL(home ? &node->homeward : &node->foreign, job, link);
	node->waiting++;
	node->returned += home;
	pthread_mutex_unlock(&node->inbox);
}

/* Under the inbox's lock, as are the others here. Takes NULL. */
static struct stn_job *
take(struct stn_node *node, struct stn_job *job)
{
	bool home = job && is_home(job);

	if (!job)
		return NULL;
	TAILQ_REMOVE(home ? &node->homeward : &node->foreign, job, link);
	node->waiting--;
	node->returned -= home;
	return job;
}

static struct stn_job *
older(struct stn_job *a, struct stn_job *b)
{
	if (!a || !b)
		return a ? a : b;
	return a->number < b->number ? a : b;
}

static struct stn_job *
find_first(const struct stn_jobs *jobs,
	   bool (*fits)(const struct stn_job *, void *), void *arg)
{
	struct stn_job *job;

	TAILQ_FOREACH (job, jobs, link)
		if (fits(job, arg))
			return job;
	return NULL;
}

struct stn_job *
stn_inbox_take_if(struct stn_node *node,
		  bool (*fits)(const struct stn_job *, void *), void *arg)
{
	struct stn_job *job;

	pthread_mutex_lock(&node->inbox);
	job = take(node, older(find_first(&node->homeward, fits, arg),
			       find_first(&node->foreign, fits, arg)));
	pthread_mutex_unlock(&node->inbox);
	return job;
}

struct stn_job *
stn_inbox_take(struct stn_node *node)
{
	struct stn_job *job;

	if (!node->waiting)
		return NULL;
	pthread_mutex_lock(&node->inbox);
	job = take(node, older(TAILQ_FIRST(&node->homeward),
			       TAILQ_FIRST(&node->foreign)));
	pthread_mutex_unlock(&node->inbox);
	return job;
}

struct stn_job *
stn_inbox_take_foreign(struct stn_node *node)
{
	struct stn_job *job;

	if (node->waiting == node->returned)
		return NULL;
	pthread_mutex_lock(&node->inbox);
	job = take(node, TAILQ_FIRST(&node->foreign));
	pthread_mutex_unlock(&node->inbox);
	return job;
}

static bool
is_copy(const struct stn_job *job, const struct stn_record *record)
{
	const struct stn_node *node = job->node;
	uint64_t worker = job->record.slot / node->config.slots;
	uint64_t slot = job->record.slot % node->config.slots;

	return worker < node->worker_count &&
	       record == &node->workers[worker].deque.slots[slot];
}

/* What is synced was spawned last, and is likely to have come back last. */
struct stn_job *
stn_inbox_take_copy(struct stn_node *node, struct stn_record *record)
{
	struct stn_job *job;

	if (!node->returned)
		return NULL;
	pthread_mutex_lock(&node->inbox);
	TAILQ_FOREACH_REVERSE (job, &node->homeward, stn_jobs, link)
		if (is_copy(job, record))
			break;
	take(node, job);
	pthread_mutex_unlock(&node->inbox);
	return job;
}
