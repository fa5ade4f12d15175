#include "steal/keep.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/dispatch.h"
#include "steal/buffers.h"
#include "transport/pieces.h"

#define PERIOD_NS 50000000ull /* between marks */
#define SYNC_NS 1000000000ull
#define MARKED_MOST 64 /* records of a deque, each time */

/*
 * A call must have taken this long for each byte of its result, so that a
 * worker writes 10 MB/s at most.
 */
#define NS_PER_BYTE 100

/* Inputs that are hashed between two marks, by each worker: about 0.5 ms. */
#define INPUTS_MOST (16 << 20)

static bool
is_set(const char *path)
{
	return strcmp(path, "none");
}

/* To root, access() refuses a file only because it is not executable. */
static bool
can_make_files(const char *path)
{
	struct stat about;

	if (!stat(path, &about) && !S_ISDIR(about.st_mode)) {
		errno = ENOTDIR;
		return false;
	}
	return !access(path, W_OK | X_OK);
}

static enum stn_err
make_directory(const char *path, struct stn_why *why)
{
	if ((!mkdir(path, 0777) || errno == EEXIST) && can_make_files(path))
		return STN_OK;
	return stn_because(why, STN_IO,
			   "can't write to the directory %.300s of --keep: %s",
			   path, strerror(errno));
}

static enum stn_err
open_keep(struct stn_steal *steal, struct stn_why *why)
{
	const struct stn_node *node = steal->node;
	struct stn_log_header header = {
		.rank = node->rank, .program = steal->program->table.identity
	};
	enum stn_err err = make_directory(node->config->keep, why);

	if (err)
		return err;
	steal->keep = calloc(1, sizeof(*steal->keep));
	if (!steal->keep)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	if (!stn_log_writer_start(&steal->keep->writer, node,
				  node->config->keep, &header))
		return STN_OK;
	free(steal->keep);
	steal->keep = NULL;
	return stn_because(why, STN_IO, "can't start the thread of --keep");
}

/* A directory that will be made by --keep need not exist. */
static enum stn_err
open_resume(struct stn_steal *steal, struct stn_why *why)
{
	const struct stn_config *config = steal->node->config;
	bool first = !steal->node->rank;
	DIR *directory = NULL;

	if (first && strcmp(config->keep, config->resume) &&
	    !(directory = opendir(config->resume)))
		return stn_because(why, STN_IO,
				   "can't read the directory %.300s of "
				   "--resume: %s",
				   config->resume, strerror(errno));
	if (directory)
		closedir(directory);
	return stn_resume_open(config->resume, steal->program->table.identity,
			       first, &steal->resume, why);
}

enum stn_err
stn_keep_open(struct stn_steal *steal, struct stn_why *why)
{
	const struct stn_config *config = steal->node->config;
	enum stn_err err = STN_OK;

	if (is_set(config->resume))
		err = open_resume(steal, why);
	if (!err && is_set(config->keep))
		err = open_keep(steal, why);
	if (err)
		stn_keep_close(steal);
	return err;
}

static bool
is_obsolete(const struct stn_steal *steal)
{
	const struct stn_node *node = steal->node;

	return node->succeeded && strcmp(node->config->keep_all, "yes");
}

void
stn_keep_finish(struct stn_steal *steal)
{
	struct stn_keep *keep = steal->keep;

	if (!keep)
		return;
	stn_log_writer_stop(&keep->writer, is_obsolete(steal));
	keep->stopped = true;
}

bool
stn_keep_flush(struct stn_steal *steal)
{
	return !steal->keep || stn_log_writer_flush(&steal->keep->writer);
}

bool
stn_keep_continues(const struct stn_steal *steal)
{
	const struct stn_config *config = steal->node->config;

	return steal->keep && steal->resume &&
	       !strcmp(config->keep, config->resume);
}

/*
 * Each node removes its own logs and those that it has resumed from, because
 * DIR may be another directory on each host. The root also removes those of
 * nodes that have died.
 */
static void
remove_logs(const struct stn_steal *steal)
{
	const struct stn_node *node = steal->node;
	const struct stn_log_writer *writer = &steal->keep->writer;

	stn_log_writer_remove(writer);
	if (stn_keep_continues(steal))
		stn_resume_remove(steal->resume);
	if (writer->run && node->members.root == node->rank)
		stn_log_remove_run(node->config->keep, writer->run);
}

void
stn_keep_close(struct stn_steal *steal)
{
	struct stn_keep *keep = steal->keep;

	if (keep && keep->stopped && is_obsolete(steal))
		remove_logs(steal);
	else if (keep && !keep->stopped) /* killed in a simulation */
		stn_log_writer_stop(&keep->writer, true);
	if (keep)
		stn_log_writer_fini(&keep->writer);
	free(keep);
	stn_resume_close(steal->resume);
	steal->keep = NULL;
	steal->resume = NULL;
}

/*
 * The root chooses the number of the run. It is part of the names of all logs,
 * so that the root can remove those of nodes that have died.
 */
static void
tell_run(struct stn_steal *steal)
{
	struct stn_node *node = steal->node;
	const struct stn_wire_run message = { stn_log_random() };

	steal->keep->told = true;
	if (node->members.root != node->rank)
		return;
	stn_keep_run(steal, &message);
	for (uint32_t i = 0; i < node->topology->nodes; i++)
		if (i != node->rank && stn_members_has(&node->members, i))
			stn_node_say(node, i, STN_RUN, &message,
				     sizeof(message));
}

void
stn_keep_joined(struct stn_steal *steal, uint32_t rank)
{
	const struct stn_node *node = steal->node;

	if (steal->keep && steal->keep->run.run && rank != node->rank &&
	    node->members.root == node->rank)
		stn_node_say(steal->node, rank, STN_RUN, &steal->keep->run,
			     sizeof(steal->keep->run));
}

void
stn_keep_run(struct stn_steal *steal, const struct stn_wire_run *run)
{
	if (!steal->keep || !run->run)
		return;
	steal->keep->run = *run;
	stn_log_writer_name_run(&steal->keep->writer, run->run);
}

/* Any thread. */
static void
mark(struct stn_owner *owner)
{
	struct stn_record *end = stn_deque_mark(&owner->deque, MARKED_MOST);
	struct stn_record *low = owner->deque.slots;

	if (end - low > MARKED_MOST)
		low = end - MARKED_MOST;
	atomic_store_explicit(&owner->kept_low, low, memory_order_relaxed);
	atomic_store_explicit(&owner->kept, end, memory_order_relaxed);
}

/* In virtual time there are no threads. */
static void
sync_virtual(struct stn_steal *steal, uint64_t now)
{
	if (!steal->node->sim || !steal->keep || now < steal->keep->sync_ns)
		return;
	stn_log_writer_sync(&steal->keep->writer);
	steal->keep->sync_ns = now + SYNC_NS;
}

uint64_t
stn_keep_tick(struct stn_steal *steal, uint64_t now)
{
	if (!stn_keeps(steal))
		return STN_FOREVER;
	if (now < steal->keep_mark_ns)
		return steal->keep_mark_ns;
	if (steal->keep && !steal->keep->told)
		tell_run(steal);
	for (uint32_t i = 0; i < steal->node->worker_count; i++) {
		struct stn_owner *owner = &steal->owners[i];

		mark(owner);
		atomic_store_explicit(&owner->inputs_left, INPUTS_MOST,
				      memory_order_relaxed);
		stn_keep_look(owner);
	}
	sync_virtual(steal, now);
	steal->keep_mark_ns = now + PERIOD_NS;
	return steal->keep_mark_ns;
}

/* Relaxed: a stale number only changes what is kept. */
bool
stn_keep_hashes(struct stn_owner *owner, const struct stn_record *record,
		const struct stn_task *task)
{
	size_t left =
		atomic_load_explicit(&owner->inputs_left, memory_order_relaxed);
	size_t memory, inputs;

	if (stn_buffers_measure(task, record, &memory, &inputs) ||
	    inputs > left)
		return false;
	if (inputs)
		atomic_store_explicit(&owner->inputs_left, left - inputs,
				      memory_order_relaxed);
	return true;
}

bool
stn_keep_popped_marked(struct stn_owner *owner, struct stn_record *record,
		       const struct stn_task *task)
{
	bool last = record <= atomic_load_explicit(&owner->kept_low,
						   memory_order_relaxed);

	atomic_store_explicit(&owner->kept, record, memory_order_relaxed);
	/*
	 * While results of the earlier run are found, the worker comes fast to
	 * records that are not marked yet.
	 */
	if (last && owner->hit) {
		owner->hit = false;
		mark(owner);
	}
	return stn_keep_hashes(owner, record, task);
}

void
stn_keep_begin(struct stn_owner *owner, struct stn_kept *kept,
	       const struct stn_task *task, const struct stn_record *record)
{
	stn_record_copy(&kept->record, record);
	kept->task = task;
	kept->key = stn_steal_key(owner->steal, task, record);
	kept->hint = stn_steal_hint(owner->steal, task, record);
	kept->begin_ns = stn_node_now(owner->node);
}

void
stn_keep_result(struct stn_owner *owner, const struct stn_record *record,
		const struct stn_task *task, struct stn_key key, uint32_t hint,
		uint64_t spent_ns, void *result)
{
	struct stn_log_entry entry = { .key = key,
				       .hint = hint,
				       .cost_ns = spent_ns };
	struct stn_log_item *item = NULL;
	struct stn_gather outputs;
	size_t space;

	/* A later run would lack the incumbents by which bounded calls cut. */
	if (!owner->steal->keep || spent_ns < STN_KEEP_LEAST_NS ||
	    stn_task_is_bounded(task) ||
	    stn_gather_init(&outputs, task, record, STN_OUTPUTS, result))
		return;
	entry.size = outputs.bytes;
	space = stn_log_entry_space(entry.size);
	if (space <= spent_ns / NS_PER_BYTE)
		item = malloc(sizeof(*item) + space);
	if (item) {
		*item = (struct stn_log_item){ .size = space };
		stn_pieces_copy(
			&(struct iovec){ item->bytes + STN_LOG_ENTRY_BYTES,
					 outputs.bytes },
			outputs.pieces, outputs.bytes);
		stn_log_entry_write(&entry, item->bytes);
		owner->counts.logged +=
			stn_log_writer_add(&owner->steal->keep->writer, item);
	}
	stn_gather_fini(&outputs);
}

void
stn_keep_end(struct stn_owner *owner, const struct stn_kept *kept, void *result)
{
	uint64_t spent_ns = stn_node_now(owner->node) - kept->begin_ns;

	stn_keep_result(owner, &kept->record, kept->task, kept->key, kept->hint,
			spent_ns, result);
}

bool
stn_keep_reuse(struct stn_owner *owner, const struct stn_task *task,
	       const struct stn_record *record, struct stn_key key,
	       uint32_t hint, void *result)
{
	const struct stn_resume *resume = owner->steal->resume;
	const struct stn_resume_result *found;

	if (!resume || !stn_resume_maybe(resume, hint))
		return false;
	found = stn_resume_find(resume, key);
	if (!found || !stn_outputs_place(task, record, result, found->outputs,
					 found->size))
		return false;
	owner->counts.resumed++;
	owner->hit = true;
	stn_keep_look(owner);
	return true;
}

bool
stn_keep_spawned(struct stn_owner *owner, struct stn_record *record,
		 const struct stn_task *task)
{
	const struct stn_resume *resume = owner->steal->resume;
	int looks = atomic_load_explicit(&owner->looks, memory_order_relaxed);
	uint32_t hint = stn_steal_hint(owner->steal, task, record);

	atomic_store_explicit(&owner->looks, looks - 1, memory_order_relaxed);
	if (!stn_resume_maybe(resume, hint) ||
	    !stn_keep_hashes(owner, record, task) ||
	    !stn_keep_reuse(owner, task, record,
			    stn_steal_key(owner->steal, task, record), hint,
			    record->arguments))
		return false;
	stn_deque_lend(&owner->deque, record, task, STN_THIEF_DONE);
	return true;
}

void
stn_keep_look(struct stn_owner *owner)
{
	const struct stn_resume *resume = owner->steal->resume;

	if (!resume || !resume->count)
		return;
	atomic_store_explicit(&owner->looks, STN_RESUME_LOOKS,
			      memory_order_relaxed);
	stn_deque_lower(&owner->deque);
}
