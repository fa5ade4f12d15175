#include "parts/survive/revive.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node/membership_tree.h"
#include "parts/array.h"
#include "parts/cells/cells_revive.h"
#include "parts/survive/again.h"
#include "parts/survive/revival.h"
#include "parts/survive/revive_parts.h"
#include "parts/survive/stored.h"

/* Passes REVIVE on down the tree, and carries it out. */
static void
spread_choice(struct stn_revive_mail *mail)
{
	struct stn_parts *array = mail->array;
	const struct stn_node *node = array->service->node;
	uint32_t children[STN_MEMBERSHIP_CHILDREN];
	uint32_t count = stn_membership_children(&node->members, node->rank,
						 node->cluster, children);

	for (uint32_t i = 0; i < count; i++) {
		struct stn_revive_mail *copy =
			stn_revive_mail_begin(array, mail->bytes);

		copy->revive = mail->revive;
		memcpy(copy->payload, mail->payload, mail->bytes);
		stn_revive_mail_send(copy, children[i], STN_PARTS_KIND_REVIVE,
				     &copy->revive, sizeof(copy->revive));
	}
	if (stn_revive_parts(array, mail))
		stn_node_fail(array->service->node,
			      "the root has sent a malformed history of an "
			      "array");
	free(mail);
}

static void
tell_revived(const struct stn_parts *array,
	     const struct stn_revival_candidate *chosen)
{
	const struct stn_stored_history *head = chosen->history;

	/* Version 1 is that of STN_CELLS_FILL, or of STN_CELLS_PUT. */
	if (array->cells) {
		fprintf(stderr,
			"sateen: resumes cells %" PRIu32 " after %" PRIu64
			" sweeps and cuts\n",
			array->id.number + 1, chosen->version - 1);
		return;
	}
	fprintf(stderr,
		"sateen: resumes grid %" PRIu32 " in its call %" PRIu32
		", after %" PRIu64 " of %" PRIu64 " sweeps\n",
		array->id.number + 1, head->calls,
		stn_stored_sweeps(head, chosen->version, array->shape.block),
		head->order.sweeps);
}

/* The history in the mail names nodes of the former run as homes of cells. */
static void
rehome(const struct stn_revive_mail *mail, const unsigned char *history)
{
	const struct stn_parts *array = mail->array;
	struct stn_stored_read read;

	if (array->cells && !stn_stored_read(history,
					     mail->bytes - (size_t)(history -
								    mail->payload),
					     mail->revive.version,
					     &array->service->program->table,
					     &read))
		stn_cells_rehome(array, &read);
}

/* All nodes have told what they have. */
static void
choose(struct stn_parts *array)
{
	const struct stn_revival_candidate *chosen =
		stn_revival_choose(array->revival);
	struct stn_homes holders = { 0 };
	struct stn_revive_mail *mail;
	size_t lists;

	for (uint32_t i = 0; chosen && i < chosen->parts; i++)
		if (stn_homes_add(&holders, i, chosen->holders[i], 0))
			stn_array_no_memory(array);
	lists = holders.count * sizeof(holders.list[0]);
	mail = stn_revive_mail_begin(
		array, chosen ? lists + chosen->history_bytes : 0);
	mail->revive = (struct stn_parts_revive){
		.array = array->id,
		.view = array->service->view,
		.version = chosen ? chosen->version : 0,
		.lineage = chosen ? chosen->lineage : 0,
		.holders = holders.count,
	};
	if (chosen) {
		memcpy(mail->payload, holders.list, lists);
		memcpy(mail->payload + lists, chosen->history,
		       chosen->history_bytes);
		rehome(mail, mail->payload + lists);
		tell_revived(array, chosen);
	}
	stn_homes_fini(&holders);
	spread_choice(mail);
}

/*
 * Whether a history can be used. It is of another array if the program has
 * other arguments; then the run ends.
 */
static bool
check_history(const struct stn_parts *array, uint64_t version,
	      const void *bytes, size_t size, struct stn_stored_read *read)
{
	if (stn_stored_read(bytes, size, version,
			    &array->service->program->table, read))
		return false;
	stn_again_check(array, &read->head.create);
	return !read->head.got && !array->cells == !read->head.plans;
}

/* A node has a history. One that can't be used is as none. */
static enum stn_err
note_history(struct stn_parts *array, const struct stn_parts_stored *said,
	     const void *bytes, size_t size)
{
	struct stn_stored_read read;

	if (!check_history(array, said->version, bytes, size, &read))
		return STN_OK;
	return stn_revival_add_history(
		array->revival, said->version, said->lineage,
		array->cells ? stn_cells_stored_parts(&read) : array->count,
		bytes, size);
}

/* On the root: a node has told what it has. */
static enum stn_err
note_stored(struct stn_parts *array, const struct stn_revive_mail *mail)
{
	const struct stn_parts_stored *said = &mail->stored;
	size_t lists = said->runs * sizeof(struct stn_parts_run);
	const unsigned char *history = mail->payload + lists;
	size_t bytes = mail->bytes - lists;
	enum stn_err err = STN_OK;

	if (said->version)
		err = stn_revival_add(array->revival, said->version,
				      said->lineage, mail->from,
				      (const void *)mail->payload, said->runs);
	if (!err && said->version && bytes)
		err = note_history(array, said, history, bytes);
	if (err)
		return err;
	array->revival->answers += !said->left;
	if (array->revival->answers == array->service->node->members.living)
		choose(array);
	return STN_OK;
}

static void
stored_landed(void *arg, enum stn_err err)
{
	struct stn_revive_mail *mail = arg;
	struct stn_parts *array = mail->array;

	if (!err && stn_revive_mail_is_current(array, mail->stored.view) &&
	    note_stored(array, mail))
		stn_node_fail(array->service->node,
			      "a node has sent a malformed list of the parts "
			      "that it has on disk");
	free(mail);
}

/* The parts from @entry on, which are of one version, as runs. */
static uint32_t
list_runs(const struct stn_stored_entry *entry,
	  const struct stn_stored_entry *end, struct stn_parts_run *runs)
{
	uint32_t count = 0;

	for (; entry < end && entry->part != STN_STORED_HISTORY; entry++) {
		struct stn_parts_run *last = count ? &runs[count - 1] : NULL;

		if (last && entry->part < last->first + last->count)
			continue; /* a second one of the same part */
		if (last && entry->part == last->first + last->count)
			last->count++;
		else
			runs[count++] =
				(struct stn_parts_run){ entry->part, 1 };
	}
	return count;
}

/* Tells the root which parts of a version this node has. */
static void
tell_version(struct stn_parts *array, const struct stn_stored_entry *entry,
	     const struct stn_stored_entry *end, uint32_t left)
{
	const struct stn_node *node = array->service->node;
	const struct stn_stored_entry *history =
		entry < end && end[-1].part == STN_STORED_HISTORY ? &end[-1]
								  : NULL;
	size_t room = (size_t)(end - entry) * sizeof(struct stn_parts_run);
	struct stn_revive_mail *mail = stn_revive_mail_begin(
		array, room + (history ? history->size : 0));
	uint32_t runs = list_runs(entry, end, (void *)mail->payload);

	mail->from = node->rank;
	mail->bytes = runs * sizeof(struct stn_parts_run);
	mail->stored = (struct stn_parts_stored){
		.array = array->id,
		.view = array->service->view,
		.version = entry < end ? entry->version : 0,
		.lineage = entry < end ? entry->lineage : 0,
		.left = left,
		.runs = runs,
	};
	if (history) {
		memcpy(mail->payload + mail->bytes, history->bytes,
		       history->size);
		mail->bytes += history->size;
	}
	if (node->rank == node->members.root)
		stored_landed(mail, STN_OK);
	else
		stn_revive_mail_send(mail, node->members.root,
				     STN_PARTS_KIND_STORED, &mail->stored,
				     sizeof(mail->stored));
}

/* Tells the root all that this node has of the array, and at least one thing.
 */
static void
tell_stored(struct stn_parts *array)
{
	const struct stn_stored *stored = array->service->stored;
	const struct stn_stored_entry *entry =
		stn_stored_first(stored, array->id.number);
	const struct stn_stored_entry *all = stored->list + stored->count;
	const struct stn_stored_entry *end = entry;

	do {
		bool more;

		if (entry < all && entry->array == array->id.number)
			end = stn_stored_end(stored, entry);
		more = end < all && end->array == array->id.number;
		tell_version(array, entry, end, more);
		entry = end;
		if (!more)
			return;
	} while (true);
}

/* Each part of cells has records, unless there are none. */
static uint32_t
most_parts(const struct stn_parts *array)
{
	uint64_t records = array->cells ? array->cells->records : array->count;

	return records < INT32_MAX ? (uint32_t)records + !records : INT32_MAX;
}

void
stn_revive_undo(struct stn_parts *array)
{
	if (!array->revival)
		return;
	stn_array_empty(array);
	stn_history_cut(&array->history, 0);
	array->restored = 0;
	if (array->cells)
		stn_cells_unrevive(array);
}

void
stn_revive_create(struct stn_parts *array)
{
	if (!array->service->stored || array->id.rank != STN_OF_MAIN ||
	    array->shape.hollow) {
		stn_revive_new(array);
		return;
	}
	array->revival = stn_revival_create(most_parts(array));
	if (!array->revival)
		stn_array_no_memory(array);
	tell_stored(array);
}

enum stn_err
stn_revive_stored(struct stn_parts *array, const struct stn_message *message,
		  const struct stn_parts_stored *header)
{
	struct stn_revive_mail *mail =
		stn_revive_mail_begin(array, message->payload_bytes);

	mail->stored = *header;
	stn_revive_mail_receive(mail, message, stored_landed);
	return STN_OK;
}

static void
choice_landed(void *arg, enum stn_err err)
{
	struct stn_revive_mail *mail = arg;

	if (err || !stn_revive_mail_is_current(mail->array, mail->revive.view))
		free(mail);
	else
		spread_choice(mail);
}

enum stn_err
stn_revive_chosen(struct stn_parts *array, const struct stn_message *message,
		  const struct stn_parts_revive *header)
{
	struct stn_revive_mail *mail =
		stn_revive_mail_begin(array, message->payload_bytes);

	mail->revive = *header;
	stn_revive_mail_receive(mail, message, choice_landed);
	return STN_OK;
}
