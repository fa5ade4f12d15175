/*
 * sort.c: a radix sort by the places of the keys, from the lowest byte on,
 * without the bytes that are equal in all keys: those are most of the higher
 * ones, because the records of a part are near each other. Then those with
 * equal places, which are few, are sorted by their indices.
 */
#include "parts/cells/sort.h"

#include <stdlib.h>
#include <string.h>

#define DIGITS 8 /* bytes of a key's place */

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

enum stn_err
stn_keys_sort(struct stn_record_key *keys, uint32_t *order, size_t count)
{
	struct pair *pairs, *from, *to;

	if (!count)
		return STN_OK;
	pairs = reallocarray(NULL, 2 * count, sizeof(pairs[0]));
	if (!pairs)
		return STN_NO_MEMORY;
	from = pairs;
	to = pairs + count;
	for (size_t i = 0; i < count; i++)
		from[i] = (struct pair){ keys[i], (uint32_t)i };
	for (int i = 0; i < DIGITS; i++)
		if (sort_digit(from, to, count, i)) {
			struct pair *sorted = to;

			to = from;
			from = sorted;
		}
	sort_equals(from, count);
	for (size_t i = 0; i < count; i++) {
		keys[i] = from[i].key;
		order[i] = from[i].order;
	}
	free(pairs);
	return STN_OK;
}
