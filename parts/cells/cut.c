#include "parts/cells/cut.h"

#include <stdlib.h>

#define LEVELS_MOST 4 /* of a question: 4096 counts */

static uint32_t
bins_of(uint32_t levels)
{
	return 1u << 3 * levels;
}

static enum stn_err
add_leaf(struct stn_cut *cut, struct stn_record_key key, uint32_t level,
	 uint64_t count)
{
	if (cut->leaf_count == cut->leaf_room) {
		uint32_t room = 2 * cut->leaf_room + 64;
		struct stn_leaf *larger =
			reallocarray(cut->leaves, room, sizeof(larger[0]));

		if (!larger)
			return STN_NO_MEMORY;
		cut->leaves = larger;
		cut->leaf_room = room;
	}
	cut->leaves[cut->leaf_count++] =
		(struct stn_leaf){ .key = key, .count = count, .level = level };
	return STN_OK;
}

/*
 * Many questions make many bins, but only as long as there are few bins do
 * single questions make many. So @count questions have STN_CUT_BINS_MOST + 8 *
 * @count bins at most, and a node that gets questions needs memory in proportion
 * to the questions.
 */
static bool
levels_fit(uint64_t bins, uint32_t levels)
{
	return levels == 1 || bins + bins_of(levels) <= STN_CUT_BINS_MOST;
}

/* As many levels as the cell would need if its records were spread evenly. */
static uint32_t
choose_levels(const struct stn_cut *cut, uint64_t count, uint32_t level)
{
	uint32_t levels = 1;

	while (levels < LEVELS_MOST && level + levels < STN_KEY_LEVELS &&
	       count >> 3 * levels > cut->most &&
	       levels_fit(cut->bins, levels + 1))
		levels++;
	return levels;
}

static enum stn_err
add_question(struct stn_cut *cut, struct stn_record_key key, uint32_t level,
	     uint64_t count)
{
	uint32_t levels = choose_levels(cut, count, level);

	if (bins_of(levels) > UINT32_MAX - cut->bins)
		return STN_NO_MEMORY; /* the counts would take 32 GiB */
	if (cut->count == cut->room) {
		uint32_t room = 2 * cut->room + 64;
		struct stn_question *larger =
			reallocarray(cut->questions, room, sizeof(larger[0]));

		if (!larger)
			return STN_NO_MEMORY;
		cut->questions = larger;
		cut->room = room;
	}
	cut->questions[cut->count++] = (struct stn_question){
		.key = key, .level = level, .levels = levels, .bins = cut->bins
	};
	cut->bins += bins_of(levels);
	return STN_OK;
}

enum stn_err
stn_cut_begin(struct stn_cut *cut, uint64_t records, uint64_t most)
{
	const struct stn_record_key first = { 0, 0 };

	*cut = (struct stn_cut){ .most = most };
	return records > most ? add_question(cut, first, 0, records)
			      : add_leaf(cut, first, 0, records);
}

static uint64_t
sum_of(const uint64_t *counts, uint32_t count)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += counts[i];
	return sum;
}

static struct stn_record_key
child_key(struct stn_record_key key, uint32_t level, uint64_t octant)
{
	if (level < STN_CELL_LEVELS)
		key.place |= octant << 3 * (STN_CELL_LEVELS - 1 - level);
	else
		key.index |= octant << 3 * (STN_KEY_LEVELS - 1 - level);
	return key;
}

/*
 * The cell with @key at @level has the records of @counts, which are those of
 * cells @levels levels below.
 */
static enum stn_err
place_cell(struct stn_cut *cut, struct stn_record_key key, uint32_t level,
	   uint32_t levels, const uint64_t *counts)
{
	uint64_t sum = sum_of(counts, bins_of(levels));
	enum stn_err err = STN_OK;

	if (!sum)
		return STN_OK;
	if (sum <= cut->most || level == STN_KEY_LEVELS)
		return add_leaf(cut, key, level, sum);
	if (!levels)
		return add_question(cut, key, level, sum);
	for (uint32_t i = 0; !err && i < 8; i++)
		err = place_cell(cut, child_key(key, level, i), level + 1,
				 levels - 1, counts + i * bins_of(levels - 1));
	return err;
}

static int
compare_leaves(const void *a, const void *b)
{
	const struct stn_leaf *one = a, *other = b;

	return stn_key_below(one->key, other->key)   ? -1
	       : stn_key_below(other->key, one->key) ? 1
						     : 0;
}

enum stn_err
stn_cut_answer(struct stn_cut *cut, const uint64_t *counts)
{
	struct stn_question *questions = cut->questions;
	uint32_t count = cut->count;
	enum stn_err err = STN_OK;

	cut->questions = NULL;
	cut->count = cut->room = cut->bins = 0;
	/* The cell itself has too many records: there is a question about it. */
	for (uint32_t i = 0; !err && i < count; i++)
		err = place_cell(cut, questions[i].key, questions[i].level,
				 questions[i].levels,
				 counts + questions[i].bins);
	free(questions);
	if (!err && !cut->count)
		qsort(cut->leaves, cut->leaf_count, sizeof(cut->leaves[0]),
		      compare_leaves);
	return err;
}

void
stn_cut_fini(struct stn_cut *cut)
{
	free(cut->questions);
	free(cut->leaves);
}

bool
stn_questions_valid(const struct stn_question *questions, size_t count,
		    size_t bins)
{
	size_t all = 0;

	for (size_t i = 0; i < count; i++) {
		const struct stn_question *question = &questions[i];

		if (!question->levels || question->levels > LEVELS_MOST ||
		    !levels_fit(all, question->levels) ||
		    question->level > STN_KEY_LEVELS - question->levels ||
		    question->bins != all)
			return false;
		all += bins_of(question->levels);
	}
	return all == bins && bins <= UINT32_MAX;
}

/* The first of the keys from @low on that is not below @key. */
static size_t
first_key(const struct stn_record_key *keys, size_t low, size_t high,
	  struct stn_record_key key)
{
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (stn_key_below(keys[middle], key))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * The first key behind those that are in the same cell of @level as the one at
 * @at. Looks in steps that grow, because most cells have few records or many.
 */
static size_t
cell_end(const struct stn_record_key *keys, size_t at, size_t count,
	 uint32_t level)
{
	struct stn_record_key last = stn_key_last(keys[at], level);
	size_t step = 1;

	while (step < count - at && !stn_key_below(last, keys[at + step])) {
		at += step;
		step *= 2;
	}
	count = step < count - at ? at + step : count;
	for (at++; at < count;) {
		size_t middle = at + (count - at) / 2;

		if (stn_key_below(last, keys[middle]))
			count = middle;
		else
			at = middle + 1;
	}
	return at;
}

void
stn_questions_count(const struct stn_question *questions, size_t count,
		    const struct stn_record_key *keys, size_t key_count,
		    uint64_t *counts)
{
	for (size_t i = 0; i < count; i++) {
		const struct stn_question *question = &questions[i];
		struct stn_record_key last =
			stn_key_last(question->key, question->level);
		size_t at = first_key(keys, 0, key_count, question->key);

		while (at < key_count && !stn_key_below(last, keys[at])) {
			uint32_t bin = stn_key_bin(keys[at], question->level,
						   question->levels);
			size_t end = cell_end(keys, at, key_count,
					      question->level +
						      question->levels);

			counts[question->bins + bin] += end - at;
			at = end;
		}
	}
}
