#include "parts/survive/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "parts/array.h"
#include "parts/cells/cells.h"
#include "parts/survive/stored.h"
#include "steal/keep.h"
#include "steal/steal.h"

#define LOOK_NS 50000000ull /* while the writer has copies */

/* A file of one version. */
struct stn_store_file {
	SLIST_ENTRY(stn_store_file) link;
	uint64_t version;
	struct stn_log_file *file;
};

static struct stn_steal *
steal_of(const struct stn_parts *array)
{
	return stn_node_state(array->service->node, &stn_steal_service);
}

void
stn_store_create(struct stn_parts *array)
{
	array->storing.wanted = array->create.copied & STN_COPIED_TO_DISK;
	array->storing.due_ns =
		stn_node_now(array->service->node) + STN_STORE_NS;
}

static void
release_copy(struct stn_log_item *item)
{
	struct stn_copy *copy = item->arg;

	/* The writer has refused it: its maker releases it. */
	if (!copy->writing)
		return;
	copy->writing = false;
	stn_copy_release(copy);
}

static void
release_history(struct stn_log_item *item)
{
	free(item->arg);
}

/* Gives an entry of version @version to the writer. */
static bool
store_entry(struct stn_parts *array, struct stn_log_file *file,
	    const struct stn_log_entry *entry,
	    void (*release)(struct stn_log_item *item), void *arg)
{
	struct stn_log_item *item = calloc(1, sizeof(*item));

	if (!item)
		stn_array_no_memory(array);
	item->file = file;
	item->entry = *entry;
	item->release = release;
	item->arg = arg;
	if (!stn_log_writer_add(&steal_of(array)->keep->writer, item))
		return false;
	array->service->writing++;
	return true;
}

/*
 * Lists the plans that have made the present cells and summaries. Returns their
 * number.
 */
static uint32_t
list_plans(const struct stn_parts *array,
	   struct stn_stored_plan list[STN_STORED_PLANS])
{
	const struct stn_cells *cells = array->cells;
	const struct stn_plan *plan;
	uint32_t count = 0;

	if (!cells)
		return 0;
	TAILQ_FOREACH (plan, &cells->plans, link)
		if (plan->header.serial == cells->tree_serial ||
		    (cells->briefs &&
		     plan->header.serial == cells->briefs_serial))
			list[count++] = (struct stn_stored_plan){
				plan->header, plan->store->data,
				plan->store->bytes
			};
	return count;
}

/* The history is the same on all nodes, and each writes it: one may be lost. */
static bool
write_history(struct stn_parts *array, struct stn_log_file *file,
	      uint64_t version)
{
	struct stn_log_entry entry = { .key = { version, array->id.number },
				       .hint = STN_STORED_HISTORY };
	struct stn_stored_plan plans[STN_STORED_PLANS];
	uint32_t count = list_plans(array, plans);
	void *bytes = stn_stored_write(&array->create, &array->history,
				       array->operation.order.number, plans,
				       count, &entry.size,
				       &array->storing.lineage);

	if (!bytes)
		stn_array_no_memory(array);
	entry.cost_ns = array->storing.lineage;
	entry.outputs = bytes;
	return store_entry(array, file, &entry, release_history, bytes);
}

static struct stn_store_file *
find_file(const struct stn_parts *array, uint64_t version)
{
	struct stn_store_file *file;

	SLIST_FOREACH(file, &array->storing.files, link)
	if (file->version == version)
		return file;
	return NULL;
}

/* The file of the version; its first entry is the history. NULL: it failed. */
static struct stn_log_file *
open_file(struct stn_parts *array, uint64_t version)
{
	struct stn_store_file *file = find_file(array, version);
	char name[48];

	if (file)
		return file->file;
	snprintf(name, sizeof(name), "-%" PRIu32 "-%" PRIu64, array->id.number,
		 version);
	file = calloc(1, sizeof(*file));
	if (!file)
		stn_array_no_memory(array);
	file->version = version;
	file->file = stn_log_file_create(&steal_of(array)->keep->writer, name);
	if (!file->file)
		stn_array_no_memory(array);
	SLIST_INSERT_HEAD(&array->storing.files, file, link);
	return write_history(array, file->file, version) ? file->file : NULL;
}

static bool
write_copy(struct stn_copy *copy)
{
	struct stn_parts *array = copy->array;
	uint64_t version = copy->header.version;
	struct stn_log_file *file = open_file(array, version);
	const struct stn_log_entry entry = {
		.key = { version, array->id.number },
		.hint = copy->header.part,
		.cost_ns = array->storing.lineage,
		.size = copy->bytes,
		.outputs = copy->data,
	};

	copy->writing =
		file && store_entry(array, file, &entry, release_copy, copy);
	return copy->writing;
}

static bool
is_pending(const struct stn_storing *storing)
{
	return storing->wanted && storing->next > storing->kept;
}

bool
stn_store_due(const struct stn_part *part)
{
	const struct stn_storing *storing = &part->array->storing;

	return is_pending(storing) && part->version + 1 == storing->next &&
	       part->array->operation.blocks;
}

/*
 * A version behind an STN_GET is of no use: main, which begins anew, would need
 * the points as they were then. The root counts such a version as failed.
 */
void
stn_store_copy(struct stn_part *part, struct stn_copy *copy, uint64_t took_ns)
{
	struct stn_parts *array = part->array;
	struct stn_storing *storing = &array->storing;

	if (!is_pending(storing) || copy->header.version != storing->next)
		return;
	part->stored = stn_store_short(storing->next);
	storing->took_ns += took_ns;
	if (!storing->failed && !array->history.got && write_copy(copy)) {
		storing->unwritten++;
		return;
	}
	storing->failed = true;
	array->service->report(array);
}

void
stn_store_check(struct stn_part *part)
{
	struct stn_storing *storing = &part->array->storing;

	if (!is_pending(storing) || storing->missed || part->array->restoring ||
	    part->version < storing->next ||
	    part->stored == stn_store_short(storing->next))
		return;
	storing->missed = true;
	part->array->service->report(part->array);
}

static void
drop_file(struct stn_parts *array, struct stn_store_file *file)
{
	SLIST_REMOVE(&array->storing.files, file, stn_store_file, link);
	stn_log_file_remove(&steal_of(array)->keep->writer, file->file);
	free(file);
}

/* What this run has resumed from is of no use any more. */
static void
drop_resumed(struct stn_parts *array)
{
	struct stn_parts_service *service = array->service;

	if (!array->revived || array->storing.trimmed)
		return;
	array->storing.trimmed = true;
	if (stn_keep_continues(steal_of(array)))
		stn_stored_remove(service->stored, array->id.number,
				  array->storing.kept);
}

void
stn_store_set(struct stn_parts *array, uint64_t kept, uint64_t next)
{
	struct stn_storing *storing = &array->storing;
	struct stn_store_file *file = SLIST_FIRST(&storing->files);

	if (kept != storing->kept)
		storing->before = storing->kept;
	storing->kept = kept;
	if (next != storing->next) {
		storing->next = next;
		storing->parts = 0;
		storing->unwritten = storing->written = 0;
		storing->took_ns = 0;
		storing->missed = false;
	}
	while (file) {
		struct stn_store_file *after = SLIST_NEXT(file, link);

		if (file->version != kept && file->version != storing->before &&
		    file->version != next)
			drop_file(array, file);
		file = after;
	}
	if (storing->before)
		drop_resumed(array);
}

void
stn_store_free(struct stn_parts *array)
{
	struct stn_storing *storing = &array->storing;

	storing->before = 0;
	stn_store_set(array, storing->kept, storing->kept);
	storing->wanted = false;
}

/* On all workers, so a thread's time counts as its share of the node. */
uint64_t
stn_store_cost(const struct stn_parts *array)
{
	if (array->storing.failed)
		return STN_STORE_FAILED;
	return array->storing.took_ns / array->service->node->worker_count;
}

static void
copy_written(const struct stn_copy *copy, const struct stn_log_item *item)
{
	struct stn_parts *array = copy->array;
	struct stn_storing *storing = &array->storing;

	storing->failed |= !item->written;
	if (copy->header.version != storing->next || !storing->unwritten)
		return;
	storing->took_ns += item->took_ns;
	storing->unwritten--;
	storing->written++;
	if (!storing->unwritten)
		array->service->report(array);
}

uint64_t
stn_store_look_after(struct stn_parts_service *service, uint64_t now)
{
	struct stn_steal *steal =
		stn_node_state(service->node, &stn_steal_service);
	struct stn_log_item *item;

	if (!service->writing)
		return STN_FOREVER;
	while ((item = stn_log_writer_done(&steal->keep->writer))) {
		service->writing--;
		if (item->release == release_copy)
			copy_written(item->arg, item);
		item->release(item);
		free(item);
	}
	return service->writing ? now + LOOK_NS : STN_FOREVER;
}

void
stn_store_fini(struct stn_parts *array)
{
	while (!SLIST_EMPTY(&array->storing.files)) {
		struct stn_store_file *file =
			SLIST_FIRST(&array->storing.files);

		SLIST_REMOVE_HEAD(&array->storing.files, link);
		free(file);
	}
}
