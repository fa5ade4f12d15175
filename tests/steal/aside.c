/*
 * aside.c: when a node has died, the in buffers of its jobs are hashed without
 * the net lock. A job that ends meanwhile keeps its buffers until then. The
 * buffer can't be read at first, so that a signal shows when the hash reads it.
 */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include <sateen.h>
#include "node/progress.h"
#include "steal/adopt.h"
#include "steal/buffers.h"
#include "steal/inbox.h"
#include "steal/steal.h"
#include "tests/lone_node.h"
#include "tests/tap.h"

#define BYTES 65536

STN_TASK(int, reads, struct stn_in, in)
{
	return (int)in.rows;
}

static struct stn_node *node;
static unsigned char *buffer;
static struct stn_job *ending; /* it ends while it is hashed; or NULL */
static unsigned hashed, locked;

static struct stn_steal *
create(void)
{
	static const struct stn_transport_ops ops;

	node = lone_node(&ops, &reads_task, NULL);
	return stn_node_state(node, &stn_steal_service);
}

/* A job whose home is node @rank, and whose in buffer is @buffer. */
static struct stn_job *
create_job(struct stn_steal *steal, uint32_t rank)
{
	struct stn_buffer in = { (char *)buffer, 1, BYTES, BYTES };
	struct stn_record record;
	struct stn_job *job;

	memset(&record, 0, sizeof(record));
	record.task = &reads_task;
	record.rank = rank;
	memcpy(record.arguments, &in, sizeof(in));
	job = stn_job_create(steal, &record);
	if (!job)
		abort();
	memcpy(job->record.arguments, &in, sizeof(in));
	stn_job_identify(job);
	return job;
}

static void
on_read(int number)
{
	(void)number;
	hashed++;
	mprotect(buffer, BYTES, PROT_READ);
	if (!stn_node_try_enter(node)) {
		locked++;
		return;
	}
	if (ending)
		stn_job_free(ending);
	stn_node_leave(node);
}

/* Prepares for the death of node 1. Returns whether its job was hashed. */
static bool
prepare(struct stn_steal *steal)
{
	hashed = 0;
	mprotect(buffer, BYTES, PROT_NONE);
	stn_adopt_prepare(steal, 1);
	mprotect(buffer, BYTES, PROT_READ);
	return hashed;
}

int
main(void)
{
	struct stn_steal *steal = create();
	struct stn_job *job, *other;
	struct stn_key key;

	tap_begin();
	buffer = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	if (buffer == MAP_FAILED)
		abort();
	signal(SIGSEGV, on_read);
	other = create_job(steal, 0);
	job = create_job(steal, 1);
	key = stn_job_hash(job);
	tap_ok(prepare(steal) && !locked && job->has_key &&
		       job->key.low == key.low && job->key.high == key.high,
	       "a dead node's job is hashed without the net lock");
	tap_ok(!other->has_key, "other jobs are not");
	tap_ok(!prepare(steal), "nor is the job a second time");
	stn_job_free(job);
	ending = create_job(steal, 1);
	tap_ok(prepare(steal) && !locked &&
		       LIST_FIRST(&steal->jobs) == other,
	       "a job may end meanwhile");
	stn_job_free(other);
	stn_node_destroy(node);
	return tap_end();
}
