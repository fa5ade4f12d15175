#include "node/stats/tally.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct stn_counts) < sizeof(struct stn_tally),
	       "the core's counts leave room for those of services");

/* The place behind the count called @name. */
static size_t
find_behind(const struct stn_tally_layout *layout, const char *name)
{
	size_t at = 0;

	if (!name)
		return layout->row_count;
	while (at < layout->row_count &&
	       strcmp(layout->rows[at].count->name, name))
		at++;
	return at < layout->row_count ? at + 1 : at;
}

static void
insert_row(struct stn_tally_layout *layout, const struct stn_count *count,
	   size_t first)
{
	size_t at = find_behind(layout, count->after);

	/* Counts that stand behind the same one keep their order. */
	while (count->after && at < layout->row_count &&
	       layout->rows[at].count->after &&
	       !strcmp(layout->rows[at].count->after, count->after))
		at++;
	assert(layout->row_count < STN_TALLY_ROWS);
	memmove(&layout->rows[at + 1], &layout->rows[at],
		(layout->row_count++ - at) * sizeof(layout->rows[0]));
	layout->rows[at] = (struct stn_tally_row){
		count, first + count->offset / sizeof(uint64_t)
	};
}

/*
 * Inserts the rows of one table: those with a place of their own (after), or
 * the others.
 */
static void
insert_rows(struct stn_tally_layout *layout,
	    const struct stn_count_table *table, size_t first, bool placed)
{
	for (size_t i = 0; i < table->count; i++)
		if (placed == (table->rows[i].after != NULL))
			insert_row(layout, &table->rows[i], first);
}

static void
insert_services(struct stn_tally_layout *layout, bool placed)
{
	size_t bytes = sizeof(struct stn_counts);

	for (size_t i = 0; layout->services[i]; i++) {
		const struct stn_count_table *table =
			layout->services[i]->counts;

		if (!table)
			continue;
		insert_rows(layout, table, bytes / sizeof(uint64_t), placed);
		bytes += table->bytes;
	}
	assert(bytes <= sizeof(struct stn_tally));
	layout->bytes = bytes;
}

struct stn_tally_layout
stn_tally_layout(const struct stn_service *const *services)
{
	struct stn_tally_layout layout = { .services = services };

	insert_services(&layout, false);
	insert_rows(&layout, &stn_counts_table, 0, false);
	insert_services(&layout, true);
	return layout;
}

void *
stn_tally_of(const struct stn_service *const *services,
	     const struct stn_count_table *table, struct stn_tally *tally)
{
	size_t bytes = sizeof(struct stn_counts);

	for (size_t i = 0; services[i]->counts != table; i++)
		if (services[i]->counts)
			bytes += services[i]->counts->bytes;
	return (char *)tally + bytes;
}

static size_t
count_words(const struct stn_tally *tally)
{
	size_t count = 0;

	for (size_t i = 0; i < STN_TALLY_WORDS; i++)
		count += tally->words[i] != 0;
	return count;
}

struct stn_tally_packed *
stn_tally_pack(const struct stn_tally *tally)
{
	size_t count = count_words(tally);
	struct stn_tally_packed *packed =
		malloc(sizeof(*packed) + count * sizeof(packed->words[0]));

	if (!packed)
		return NULL;
	packed->count = 0;
	for (uint32_t i = 0; i < STN_TALLY_WORDS; i++) {
		uint64_t value = tally->words[i];

		if (value)
			packed->words[packed->count++] =
				(struct stn_tally_word){ i, (uint32_t)value,
							 (uint32_t)(value >>
								    32) };
	}
	return packed;
}

bool
stn_tally_valid(const struct stn_tally_packed *packed)
{
	for (size_t i = 0; i < packed->count; i++)
		if (packed->words[i].word >= STN_TALLY_WORDS)
			return false;
	return true;
}

void
stn_tally_add(struct stn_tally *to, const struct stn_tally_packed *packed)
{
	for (size_t i = 0; packed && i < packed->count; i++)
		to->words[packed->words[i].word] +=
			(uint64_t)packed->words[i].high << 32 |
			packed->words[i].low;
}

uint64_t
stn_tally_get(const struct stn_tally_row *row, const struct stn_tally *tally)
{
	return tally->words[row->word];
}

bool
stn_tally_is_time(const struct stn_tally_row *row)
{
	const char *name = row->count->name;

	return !strcmp(name + strlen(name) - 3, "_ns");
}

size_t
stn_tally_sums(const struct stn_tally_layout *layout,
	       const struct stn_tally *total, bool complete,
	       struct stn_sum sums[STN_SUMS_MOST], bool *hold_p)
{
	size_t count = 0, kept = 0;

	for (size_t i = 0; layout->services[i]; i++) {
		const struct stn_count_table *table =
			layout->services[i]->counts;

		if (table && table->sums)
			count += table->sums(layout, total, sums + count);
	}
	*hold_p = true;
	for (size_t i = 0; i < count; i++)
		if (complete || sums[i].local)
			sums[kept++] = sums[i];
	for (size_t i = 0; i < kept; i++)
		*hold_p &= sums[i].left == sums[i].right;
	return kept;
}

const char *
stn_kind_name(const struct stn_service *const *services, unsigned kind)
{
	for (; *services; services++)
		for (size_t i = 0; i < (*services)->kind_count; i++)
			if ((*services)->kinds[i].number == kind)
				return (*services)->kinds[i].name;
	return NULL;
}
