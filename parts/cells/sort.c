/*
 * sort.c: keys that consist of few runs, each in order, are merged: most
 * records stay in their part, and the others come from few parts, in order. Or
 * else a radix sort by the places of the keys, from the lowest byte on, without
 * the bytes that are equal in all keys: those are most of the higher ones,
 * because the records of a part are near each other. Then those with equal
 * places, which are few, are sorted by their indices.
 */
#include "parts/cells/sort.h"

#include <stdlib.h>
#include <string.h>

#define DIGITS 8 /* bytes of a key's place */
#define RUNS_MOST 32

struct pair {
	struct stn_record_key key;
	uint32_t order;
};

static int
compare_indices(const void *a, const void *b)
{
	const struct pair *one = a, *other = b;

	return one->key.index < other->key.index
		       ? -1
		       : one->key.index > other->key.index;
}

static void
sort_equals(struct pair *pairs, size_t count)
{
	for (size_t i = 0, end; i < count; i = end) {
		end = i + 1;
		while (end < count &&
		       pairs[end].key.place == pairs[i].key.place)
			end++;
		if (end - i > 1)
			qsort(pairs + i, end - i, sizeof(pairs[0]),
			      compare_indices);
	}
}

static unsigned
digit_of(const struct pair *pair, int digit)
{
	return pair->key.place >> 8 * digit & 255;
}

/* Sorts @from by a digit, to @to. Returns false if all digits are equal. */
static bool
sort_digit(const struct pair *from, struct pair *to, size_t count, int digit)
{
	size_t places[256] = { 0 }, sum = 0;

	for (size_t i = 0; i < count; i++)
		places[digit_of(&from[i], digit)]++;
	if (places[digit_of(&from[0], digit)] == count)
		return false;
	for (int i = 0; i < 256; i++) {
		size_t here = places[i];

		places[i] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		to[places[digit_of(&from[i], digit)]++] = from[i];
	return true;
}

/*
 * Sets @starts to where the runs begin, and where the last one ends. Returns
 * their number; if there are more than RUNS_MOST, a larger one.
 */
static unsigned
find_runs(const struct pair *pairs, size_t count, size_t starts[RUNS_MOST + 1])
{
	unsigned runs = 1;

	starts[0] = 0;
	for (size_t i = 1; i < count && runs <= RUNS_MOST; i++)
		if (stn_key_below(pairs[i].key, pairs[i - 1].key))
			starts[runs++] = i;
	if (runs <= RUNS_MOST)
		starts[runs] = count;
	return runs;
}

/* Merges @middle pairs and those behind them, up to @count. */
static void
merge_two(const struct pair *from, size_t middle, size_t count, struct pair *to)
{
	size_t a = 0, b = middle;

	while (a < middle || b < count)
		if (b == count || (a < middle && !stn_key_below(from[b].key,
								from[a].key)))
			*to++ = from[a++];
		else
			*to++ = from[b++];
}

/* Merges each two runs of @from, to @to. Returns how many runs there are now. */
static unsigned
merge_runs(const struct pair *from, struct pair *to, size_t *starts,
	   unsigned runs)
{
	unsigned merged = 0;

	for (unsigned i = 0; i < runs; i += 2) {
		size_t first = starts[i], end = starts[i + 1 + (i + 1 < runs)];

		merge_two(from + first, starts[i + 1] - first, end - first,
			  to + first);
		starts[merged++] = first;
		starts[merged] = end;
	}
	return merged;
}

/* These two return @from or @to, whichever has the sorted pairs. */
static struct pair *
merge_all(struct pair *from, struct pair *to, size_t *starts, unsigned runs)
{
	while (runs > 1) {
		struct pair *merged = to;

		runs = merge_runs(from, to, starts, runs);
		to = from;
		from = merged;
	}
	return from;
}

static struct pair *
sort_digits(struct pair *from, struct pair *to, size_t count)
{
	for (int i = 0; i < DIGITS; i++)
		if (sort_digit(from, to, count, i)) {
			struct pair *sorted = to;

			to = from;
			from = sorted;
		}
	sort_equals(from, count);
	return from;
}

enum stn_err
stn_keys_sort(struct stn_record_key *keys, uint32_t *order, size_t count)
{
	size_t starts[RUNS_MOST + 1];
	struct pair *pairs, *from, *to;
	unsigned runs;

	if (!count)
		return STN_OK;
	pairs = reallocarray(NULL, 2 * count, sizeof(pairs[0]));
	if (!pairs)
		return STN_NO_MEMORY;
	from = pairs;
	to = pairs + count;
	for (size_t i = 0; i < count; i++)
		from[i] = (struct pair){ keys[i], (uint32_t)i };
	runs = find_runs(from, count, starts);
	if (runs <= RUNS_MOST)
		from = merge_all(from, to, starts, runs);
	else
		from = sort_digits(from, to, count);
	for (size_t i = 0; i < count; i++) {
		keys[i] = from[i].key;
		order[i] = from[i].order;
	}
	free(pairs);
	return STN_OK;
}
