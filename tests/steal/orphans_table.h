/*
 * orphans_table.h: a table of orphans whose results are called by numbers, for
 * tests of it. The key of a result is made from its number, its hint is the
 * number, and each of its bytes has the number's value.
 */
#ifndef TESTS_STEAL_ORPHANS_TABLE_H
#define TESTS_STEAL_ORPHANS_TABLE_H

#include <stdlib.h>
#include <string.h>

#include "steal/orphans.h"

#define MS UINT64_C(1000000)

static inline struct stn_key
key(uint64_t number)
{
	return (struct stn_key){ number / 3, number % 3 };
}

static inline void
init(struct stn_orphans *orphans, uint32_t results, uint64_t bytes,
     uint32_t pointers)
{
	struct stn_orphans_bounds bounds = { results, bytes, pointers };

	if (stn_orphans_init(orphans, &bounds))
		abort();
}

/* Stores @size bytes that have the value of @number, with hint @number. */
static inline enum stn_err
keep(struct stn_orphans *orphans, uint32_t number, size_t size, uint64_t ns)
{
	char *bytes = malloc(size);
	enum stn_err err;

	memset(bytes, (int)number, size);
	err = stn_orphans_keep(orphans, key(number), number, bytes, size, ns,
			       0);
	if (err)
		free(bytes);
	return err;
}

static inline enum stn_err
learn(struct stn_orphans *orphans, uint32_t number, uint32_t holder)
{
	return stn_orphans_learn(orphans, key(number), number, holder);
}

static inline bool
has_result(const struct stn_orphans *orphans, uint32_t number, size_t size)
{
	const struct stn_orphan *found = stn_orphans_find(orphans, key(number));
	bool right = found && found->stored && found->size == size;

	for (size_t i = 0; right && i < size; i++)
		right = ((unsigned char *)found->bytes)[i] == number % 256;
	return right && stn_orphans_maybe(orphans, number);
}

static inline bool
has_pointer(const struct stn_orphans *orphans, uint32_t number, uint32_t holder)
{
	const struct stn_orphan *found = stn_orphans_find(orphans, key(number));

	return found && !found->stored && found->holder == holder &&
	       stn_orphans_maybe(orphans, number);
}

static inline bool
lacks(const struct stn_orphans *orphans, uint32_t number)
{
	return !stn_orphans_find(orphans, key(number));
}

#endif
