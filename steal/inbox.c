/*
 * inbox.c: jobs and their memory, and the inbox in which they wait for a
 * worker.
 */
#include "steal/inbox.h"

#include <stdlib.h>

#include "node/progress.h"
#include "steal/buffers.h"
#include "steal/keep.h"
#include "steal/steal.h"

#define SMALL_BYTES 512
/*
 * Free jobs that a node keeps; in virtual time none, as many nodes would keep
 * much memory.
 */
#define SPARES_MOST 4

void
stn_inbox_init(struct stn_inbox *inbox)
{
	pthread_mutex_init(&inbox->lock, NULL);
	TAILQ_INIT(&inbox->homeward);
	TAILQ_INIT(&inbox->foreign);
}

void
stn_inbox_fini(struct stn_inbox *inbox)
{
	pthread_mutex_destroy(&inbox->lock);
}

/* The memory of a job whose buffers and result take @memory. */
static size_t
job_bytes(size_t memory)
{
	return offsetof(struct stn_job, memory) + memory;
}

/*
 * Jobs of few bytes all have the same size, and a few freed ones are kept for
 * the next jobs: the C library needs .4 us for aligned memory, more than a
 * message takes over shared memory. In virtual time a job takes no more memory
 * than it needs.
 */
static bool
is_small(size_t memory)
{
	return job_bytes(memory) <= SMALL_BYTES;
}

static struct stn_job *
allocate_job(struct stn_steal *steal, size_t memory)
{
	size_t bytes = job_bytes(memory);
	struct stn_job *job = LIST_FIRST(&steal->spare_jobs);

	if (!is_small(memory) || steal->node->sim)
		return aligned_alloc(128, (bytes + 127) & ~(size_t)127);
	if (!job)
		return aligned_alloc(128, SMALL_BYTES);
	LIST_REMOVE(job, all);
	steal->spare_job_count--;
	return job;
}

struct stn_job *
stn_job_create(struct stn_steal *steal, const struct stn_record *record)
{
	size_t memory, inputs;
	struct stn_job *job;

	if (stn_buffers_measure(record->task, record, &memory, &inputs))
		return NULL;
	job = allocate_job(steal, memory);
	if (!job)
		return NULL;
	job->bytes = memory;
	job->record = *record;
	job->steal = steal;
	job->result =
		stn_buffers_adopt(record->task, &job->record, job->memory);
	job->request = NULL;
	job->homeward = record->rank == steal->node->rank;
	job->wide = job->counted = job->landing = job->done = job->leaves =
		job->has_key = job->hashing = job->dropped = false;
	job->came_bytes = 0;
	job->missing = 0;
	job->err = STN_OK;
	LIST_INSERT_HEAD(&steal->jobs, job, all);
	return job;
}

static void
release_job(struct stn_job *job)
{
	struct stn_steal *steal = job->steal;
	uint32_t most = steal->node->sim ? 0 : SPARES_MOST;

	if (!is_small(job->bytes) || steal->spare_job_count == most) {
		free(job);
		return;
	}
	LIST_INSERT_HEAD(&steal->spare_jobs, job, all);
	steal->spare_job_count++;
}

void
stn_job_free(struct stn_job *job)
{
	LIST_REMOVE(job, all);
	job->dropped = true;
	if (!job->hashing)
		release_job(job);
}

void
stn_jobs_fini(struct stn_steal *steal)
{
	struct stn_job *job;

	/* Only a node that was killed in a simulation has jobs. */
	while ((job = LIST_FIRST(&steal->jobs)))
		stn_job_free(job);
	while ((job = LIST_FIRST(&steal->spare_jobs))) {
		LIST_REMOVE(job, all);
		free(job);
	}
}

void
stn_job_identify(struct stn_job *job)
{
	const struct stn_record *record = &job->record;

	job->inouts = stn_key_inouts(record->task, record);
	job->has_key = false;
	if (stn_keeps(job->steal))
		stn_job_key(job);
}

struct stn_key
stn_job_hash(const struct stn_job *job)
{
	const struct stn_task *task = job->record.task;

	return stn_key_of(stn_table_hash(&job->steal->program->table, task),
			  task, &job->record, job->inouts);
}

void
stn_job_set_key(struct stn_job *job, struct stn_key key)
{
	job->key = key;
	job->has_key = true;
}

/* If the job ends meanwhile, its buffers stay until it has been hashed. */
void
stn_job_hash_aside(struct stn_job *job)
{
	struct stn_node *node = job->steal->node;
	struct stn_key key;

	job->hashing = true;
	stn_node_leave(node);
	key = stn_job_hash(job);
	stn_node_enter(node);
	job->hashing = false;
	stn_job_set_key(job, key);
	if (job->dropped)
		release_job(job);
}

struct stn_key
stn_job_key(struct stn_job *job)
{
	if (!job->has_key)
		stn_job_set_key(job, stn_job_hash(job));
	return job->key;
}

uint32_t
stn_job_hint(const struct stn_job *job)
{
	return stn_steal_hint(job->steal, job->record.task, &job->record);
}

void
stn_inbox_put(struct stn_steal *steal, struct stn_job *job)
{
	bool home = job->homeward;

	pthread_mutex_lock(&steal->inbox.lock);
	job->number = steal->inbox.last_number++;
	TAILQ_INSERT_TAIL(home ? &steal->inbox.homeward : &steal->inbox.foreign,
			  job, link);
	stn_count_locked(&steal->inbox.waiting, 1);
	if (home)
		stn_count_locked(&steal->inbox.returned, 1);
	pthread_mutex_unlock(&steal->inbox.lock);
}

/* Removes @job, which may be NULL. Needs the inbox's lock. */
static struct stn_job *
inbox_take(struct stn_steal *steal, struct stn_job *job)
{
	bool home = job && job->homeward;

	if (!job)
		return NULL;
	TAILQ_REMOVE(home ? &steal->inbox.homeward : &steal->inbox.foreign, job,
		     link);
	stn_count_locked(&steal->inbox.waiting, -1);
	if (home)
		stn_count_locked(&steal->inbox.returned, -1);
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
stn_inbox_take_if(struct stn_steal *steal,
		  bool (*fits)(const struct stn_job *, void *), void *arg)
{
	struct stn_job *job;

	pthread_mutex_lock(&steal->inbox.lock);
	job = inbox_take(steal,
			 older(find_first(&steal->inbox.homeward, fits, arg),
			       find_first(&steal->inbox.foreign, fits, arg)));
	pthread_mutex_unlock(&steal->inbox.lock);
	return job;
}

struct stn_job *
stn_inbox_take(struct stn_steal *steal)
{
	struct stn_job *job;

	if (!steal->inbox.waiting)
		return NULL;
	pthread_mutex_lock(&steal->inbox.lock);
	job = inbox_take(steal, older(TAILQ_FIRST(&steal->inbox.homeward),
				      TAILQ_FIRST(&steal->inbox.foreign)));
	pthread_mutex_unlock(&steal->inbox.lock);
	return job;
}

struct stn_job *
stn_inbox_take_foreign(struct stn_steal *steal)
{
	struct stn_job *job;

	if (steal->inbox.waiting == steal->inbox.returned)
		return NULL;
	pthread_mutex_lock(&steal->inbox.lock);
	job = inbox_take(steal, TAILQ_FIRST(&steal->inbox.foreign));
	pthread_mutex_unlock(&steal->inbox.lock);
	return job;
}

static bool
is_copy(const struct stn_job *job, const struct stn_record *record)
{
	const struct stn_steal *steal = job->steal;
	uint64_t slots = steal->node->config->slots;
	uint64_t worker = job->record.slot / slots;
	uint64_t slot = job->record.slot % slots;

	return worker < steal->node->worker_count &&
	       record == &steal->owners[worker].deque.slots[slot];
}

/*
 * Searches from the newest job on: the record that a sync waits for was spawned
 * last, so it has probably come back last.
 */
struct stn_job *
stn_inbox_take_copy(struct stn_steal *steal, struct stn_record *record)
{
	struct stn_job *job;

	if (!steal->inbox.returned)
		return NULL;
	pthread_mutex_lock(&steal->inbox.lock);
	TAILQ_FOREACH_REVERSE (job, &steal->inbox.homeward, stn_jobs, link)
		if (is_copy(job, record))
			break;
	inbox_take(steal, job);
	pthread_mutex_unlock(&steal->inbox.lock);
	return job;
}
