#include "parts/cells/given.h"

#include <stdlib.h>
#include <string.h>

/* So many are kept, to give all again if copies are lost. */
#define BYTES_LEAST (8u << 20)

bool
stn_given_small(const struct stn_cells *cells)
{
	return cells->records <= BYTES_LEAST / cells->record;
}

enum stn_err
stn_given_keep(struct stn_parts *array, const struct stn_given *given,
	       uint32_t serial)
{
	size_t bytes = given->count * array->cells->record;
	struct stn_given *kept = malloc(sizeof(*kept));
	bool copied = array->copies.wanted;
	unsigned char *copy = copied ? malloc(bytes + 1) : NULL;

	if (!kept || (copied && !copy)) {
		free(kept);
		free(copy);
		return STN_NO_MEMORY;
	}
	*kept = *given;
	kept->serial = serial;
	if (copied) {
		memcpy(copy, given->records, bytes);
		kept->records = kept->copy = copy;
	}
	SLIST_INSERT_HEAD(&array->cells->given, kept, link);
	return STN_OK;
}

struct stn_given *
stn_given_find(const struct stn_cells *cells, uint32_t serial)
{
	struct stn_given *given;

	SLIST_FOREACH(given, &cells->given, link)
	if (given->serial == serial)
		return given;
	return NULL;
}

static void
remove_given(struct stn_cells *cells, struct stn_given *given)
{
	SLIST_REMOVE(&cells->given, given, stn_given, link);
	free(given->keys);
	free(given->order);
	free(given->copy);
	free(given);
}

void
stn_given_over(struct stn_parts *array, uint32_t serial)
{
	struct stn_given *given = stn_given_find(array->cells, serial);

	if (given && !given->copy)
		remove_given(array->cells, given);
}

static uint64_t
bytes_of_given(const struct stn_cells *cells)
{
	const struct stn_given *given;
	uint64_t bytes = 0;

	SLIST_FOREACH(given, &cells->given, link)
	bytes += given->count * cells->record;
	return bytes;
}

void
stn_given_drop(struct stn_parts *array, uint64_t version)
{
	struct stn_cells *cells = array->cells;
	struct stn_given *given = SLIST_FIRST(&cells->given);

	/* All or none: without the first records the last are of no use. */
	if (bytes_of_given(cells) <= BYTES_LEAST)
		return;
	while (given) {
		struct stn_given *next = SLIST_NEXT(given, link);

		if (given->end && given->end <= version)
			remove_given(cells, given);
		given = next;
	}
}

void
stn_given_unsend(struct stn_cells *cells)
{
	struct stn_given *given;

	SLIST_FOREACH(given, &cells->given, link)
	given->sent = false;
}

void
stn_given_fini(struct stn_cells *cells)
{
	while (!SLIST_EMPTY(&cells->given))
		remove_given(cells, SLIST_FIRST(&cells->given));
}
