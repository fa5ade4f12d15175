#include "parts/survive/revive_parts.h"

#include <stdlib.h>
#include <string.h>

#include "node/dispatch.h"
#include "node/progress.h"
#include "parts/array.h"
#include "parts/cells/cells_revive.h"
#include "parts/early.h"
#include "parts/gather.h"
#include "parts/scheduler.h"
#include "parts/survive/copies.h"
#include "parts/survive/revival.h"
#include "parts/survive/stored.h"

/* The array has its parts: this node takes part from now on. */
static void
take_part(struct stn_parts *array)
{
	stn_revival_destroy(array->revival);
	array->revival = NULL;
	stn_scheduler_created(array);
	stn_gather_begin(array);
	stn_gather_flush(array);
	stn_early_retry(array->service);
}

static void
place(struct stn_parts *array)
{
	struct stn_why why;

	if (stn_array_place(array, &why))
		stn_node_fail(array->service->node, "%s", why.text);
}

/* If nodes may die, the parts are copied at once (see stn_gather_waits). */
static void
copy_part(struct stn_part *part, void *arg)
{
	struct stn_copy *copy = stn_copy_make(part, part->version);

	(void)arg;
	stn_copies_add(part, copy, 0);
	stn_copy_release(copy);
}

/* All parts are here. */
static void
revive_end(struct stn_parts *array)
{
	uint64_t version = array->restored;

	array->service->counts.revived += array->here;
	array->revived = true;
	if (array->copies.wanted) {
		stn_copies_keep(array, 0, version);
		array->copies.parts = array->count;
		stn_array_each(array, copy_part, NULL);
		stn_progress_kick(array->service->node); /* to send them */
	}
	take_part(array);
}

/* Reads the part from this node's disk, or asks its holder. */
static void
find_part(struct stn_part *part, void *arg)
{
	struct stn_parts *array = part->array;
	struct stn_parts_service *service = array->service;
	struct stn_revival *revival = array->revival;
	const struct stn_stored_entry *entry = stn_stored_find(
		service->stored, array->id.number, revival->version,
		revival->lineage, part->number);
	const struct stn_parts_need need = {
		array->id,	  service->view, revival->version,
		revival->lineage, part->number,	 service->node->rank
	};

	(void)arg;
	if (entry &&
	    !stn_part_return(part, revival->version, entry->bytes, entry->size))
		return;
	revival->missing++;
	stn_node_say(service->node, revival->holders[part->number],
		     STN_PARTS_KIND_NEED, &need, sizeof(need));
}

static enum stn_err
note_holders(struct stn_parts *array, const struct stn_home *list,
	     uint32_t count)
{
	struct stn_revival *revival = array->revival;

	if (!stn_homes_valid(list, count, array->count,
			     array->service->node->topology->nodes, true) ||
	    !count)
		return STN_MALFORMED;
	revival->holders = malloc(array->count * sizeof(revival->holders[0]));
	if (!revival->holders)
		return STN_NO_MEMORY;
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t j = 0; j < list[i].count; j++)
			revival->holders[list[i].first + j] = list[i].home;
	return STN_OK;
}

/*
 * Gives the array the history of the version that was read from disk: its
 * operations, and with cells the parts into which they were divided.
 */
static enum stn_err
take_history(struct stn_parts *array, uint64_t version, const void *bytes,
	     size_t size)
{
	struct stn_history *history = &array->history;
	struct stn_stored_read read;
	enum stn_err err = stn_stored_read(
		bytes, size, version, &array->service->program->table, &read);
	struct stn_order order = { read.head.order, read.head.base,
				   read.head.end };

	if (err || !array->cells != !read.head.plans)
		return STN_MALFORMED;
	err = stn_history_take(history, read.calls, read.head.calls, &order, 1);
	history->boundary = read.head.boundary;
	array->revived_calls = read.head.calls;
	array->revived_sweeps =
		stn_stored_sweeps(&read.head, version, array->shape.block);
	if (!err && array->cells)
		err = stn_cells_revive(array, &read);
	return err;
}

void
stn_revive_new(struct stn_parts *array)
{
	array->revived_calls = 0;
	place(array);
	take_part(array);
}

enum stn_err
stn_revive_parts(struct stn_parts *array, const struct stn_revive_mail *mail)
{
	const struct stn_parts_revive *header = &mail->revive;
	size_t lists = header->holders * sizeof(struct stn_home);
	enum stn_err err;

	if (!header->version) {
		stn_revive_new(array);
		return STN_OK;
	}
	array->revival->version = header->version;
	array->revival->lineage = header->lineage;
	array->restored = header->version;
	array->regrouped = true;
	err = take_history(array, header->version, mail->payload + lists,
			   mail->bytes - lists);
	if (!err)
		err = note_holders(array, (const void *)mail->payload,
				   header->holders);
	if (err)
		return err;
	place(array);
	stn_array_each(array, find_part, NULL);
	if (!array->revival->missing)
		revive_end(array);
	return STN_OK;
}

enum stn_err
stn_revive_needed(struct stn_parts_service *service,
		  const struct stn_parts_need *header)
{
	const struct stn_stored_entry *entry = NULL;
	struct stn_parts *array = stn_array_find(service, header->array);
	struct stn_revive_mail *mail;

	if (service->stored)
		entry = stn_stored_find(service->stored, header->array.number,
					header->version, header->lineage,
					header->part);
	if (!entry || !array || header->to >= service->node->topology->nodes)
		return STN_MALFORMED;
	mail = stn_revive_mail_begin(array, entry->size);
	mail->need = *header;
	memcpy(mail->payload, entry->bytes, entry->size);
	stn_revive_mail_send(mail, header->to, STN_PARTS_KIND_REVIVED,
			     &mail->need, sizeof(mail->need));
	return STN_OK;
}

static void
part_landed(void *arg, enum stn_err err)
{
	struct stn_revive_mail *mail = arg;
	struct stn_parts *array = mail->array;
	const struct stn_parts_need *header = &mail->need;
	struct stn_part *part = stn_array_known(array, header->part);

	if (!err && stn_revive_mail_is_current(array, header->view) && part &&
	    part->here && header->version == array->revival->version) {
		if (stn_part_return(part, header->version, mail->payload,
				    mail->bytes))
			stn_node_fail(array->service->node,
				      "a node has sent a malformed part of an "
				      "array");
		if (!--array->revival->missing)
			revive_end(array);
	}
	free(mail);
}

enum stn_err
stn_revive_take(struct stn_parts *array, const struct stn_message *message,
		const struct stn_parts_need *header)
{
	struct stn_revive_mail *mail;

	if (header->part >= array->count ||
	    (!array->cells &&
	     message->payload_bytes != stn_copy_bytes(array, header->part)))
		return STN_MALFORMED;
	mail = stn_revive_mail_begin(array, message->payload_bytes);
	mail->need = *header;
	stn_revive_mail_receive(mail, message, part_landed);
	return STN_OK;
}
