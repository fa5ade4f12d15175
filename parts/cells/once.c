#include "parts/cells/once.h"

#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 64
#define ENTRIES_LEAST 256

struct stn_once_entry {
	struct stn_once_entry *next;
	uint32_t what, level, at[3];
	unsigned char data[] __attribute__((aligned(ALIGNMENT)));
};

void
stn_once_init(struct stn_once *once)
{
	*once = (struct stn_once){ 0 };
	pthread_mutex_init(&once->mutex, NULL);
}

void
stn_once_clear(struct stn_once *once)
{
	for (uint32_t i = 0; once->entries && i <= once->mask; i++)
		while (once->entries[i]) {
			struct stn_once_entry *entry = once->entries[i];

			once->entries[i] = entry->next;
			free(entry);
		}
	once->count = 0;
}

void
stn_once_fini(struct stn_once *once)
{
	stn_once_clear(once);
	free(once->entries);
	pthread_mutex_destroy(&once->mutex);
}

static uint32_t
hash_of(const struct stn_once *once, uint32_t what, const struct stn_cell *cell)
{
	uint64_t hash = what * 64 + (uint32_t)cell->level;

	for (int d = 0; d < 3; d++)
		hash = (hash ^ cell->at[d]) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(hash >> 32) & once->mask;
}

static struct stn_once_entry *
once_find(const struct stn_once *once, uint32_t what,
	  const struct stn_cell *cell)
{
	struct stn_once_entry *entry = NULL;

	if (once->entries)
		entry = once->entries[hash_of(once, what, cell)];
	while (entry &&
	       (entry->what != what || entry->level != (uint32_t)cell->level ||
		memcmp(entry->at, cell->at, sizeof(entry->at))))
		entry = entry->next;
	return entry;
}

/* Makes the table larger. Without memory its chains become longer. */
static enum stn_err
table_grow(struct stn_once *once)
{
	uint32_t mask = once->entries ? 2 * once->mask + 1 : ENTRIES_LEAST - 1;
	uint32_t old = once->entries ? once->mask + 1 : 0;
	struct stn_once_entry **from = once->entries;
	struct stn_once_entry **to = calloc(mask + 1ull, sizeof(to[0]));

	if (!to)
		return from ? STN_OK : STN_NO_MEMORY;
	once->entries = to;
	once->mask = mask;
	for (uint32_t i = 0; i < old; i++)
		while (from[i]) {
			struct stn_once_entry *entry = from[i];
			const struct stn_cell cell = {
				(int)entry->level,
				{ entry->at[0], entry->at[1], entry->at[2] },
				{ 0 },
				0
			};
			uint32_t hash = hash_of(once, entry->what, &cell);

			from[i] = entry->next;
			entry->next = to[hash];
			to[hash] = entry;
		}
	free(from);
	return STN_OK;
}

/* Another thread may have inserted one meanwhile: then that one is used. */
static struct stn_once_entry *
insert_entry(struct stn_once *once, struct stn_once_entry *entry,
	     const struct stn_cell *cell)
{
	struct stn_once_entry *other = once_find(once, entry->what, cell);
	uint32_t hash;

	if (other || ((!once->entries || once->count > once->mask) &&
		      table_grow(once))) {
		free(entry);
		return other;
	}
	hash = hash_of(once, entry->what, cell);
	entry->next = once->entries[hash];
	once->entries[hash] = entry;
	once->count++;
	return entry;
}

const void *
stn_once_get(struct stn_once *once, uint32_t what, const struct stn_cell *cell,
	     size_t bytes, stn_cells_make *make, const void *argument)
{
	struct stn_once_entry *entry;

	pthread_mutex_lock(&once->mutex);
	entry = once_find(once, what, cell);
	pthread_mutex_unlock(&once->mutex);
	if (entry)
		return entry->data;
	entry = aligned_alloc(ALIGNMENT,
			      (sizeof(*entry) + bytes + ALIGNMENT - 1) /
				      ALIGNMENT * ALIGNMENT);
	if (!entry)
		return NULL;
	entry->what = what;
	entry->level = (uint32_t)cell->level;
	memcpy(entry->at, cell->at, sizeof(entry->at));
	make(entry->data, bytes, cell, argument);
	pthread_mutex_lock(&once->mutex);
	entry = insert_entry(once, entry, cell);
	pthread_mutex_unlock(&once->mutex);
	return entry ? entry->data : NULL;
}
