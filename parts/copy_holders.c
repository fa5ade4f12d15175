#include "parts/copy_holders.h"

#include <stdlib.h>

#include "parts/array.h"
#include "parts/copies.h"

void
stn_copies_notices(struct stn_parts *array)
{
	const struct stn_copy *copy;

	SLIST_FOREACH(copy, &array->copies.list, link)
	{
		const uint64_t words[2] = {
			(uint64_t)array->id.rank << 32 | array->id.number,
			copy->header.version << 1 | copy->first
		};

		stn_membership_notice(array->service->node, STN_PARTS_KIND_COPY,
				      words, copy->header.part);
	}
}

static bool
is_copy_of(const struct stn_parts *array, const struct stn_notice *notice)
{
	return notice->kind == STN_PARTS_KIND_COPY &&
	       notice->words[0] ==
		       ((uint64_t)array->id.rank << 32 | array->id.number) &&
	       notice->about < array->count;
}

/* The highest version below @below that a notice names; 0: none. */
static uint64_t
find_version(const struct stn_parts *array, const struct stn_notice *notices,
	     size_t count, uint64_t below)
{
	uint64_t version = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t named = notices[i].words[1] >> 1;

		if (is_copy_of(array, &notices[i]) && named < below &&
		    named > version)
			version = named;
	}
	return version;
}

/*
 * The nodes that have copies of the version: best the first ones, because the
 * parts of a node were neighbours then. Returns the number of parts with
 * copies.
 */
static uint32_t
find_holders(const struct stn_parts *array, const struct stn_notice *notices,
	     size_t count, uint64_t version, uint32_t *holders)
{
	const struct stn_members *members = &array->service->node->members;
	uint32_t parts = 0;

	for (uint32_t i = 0; i < array->count; i++)
		holders[i] = STN_NOBODY;
	for (int rank = 0; rank < 4; rank++) { /* stays and first, then less */
		for (size_t i = 0; i < count; i++) {
			const struct stn_notice *notice = &notices[i];

			if (!is_copy_of(array, notice) ||
			    notice->words[1] >> 1 != version ||
			    (notice->words[1] & 1) == (rank & 1) ||
			    stn_members_stays(members, notice->from) !=
				    (rank < 2) ||
			    holders[notice->about] != STN_NOBODY)
				continue;
			holders[notice->about] = notice->from;
			parts++;
		}
	}
	return parts;
}

uint64_t
stn_copies_choose(const struct stn_parts *array,
		  const struct stn_notice *notices, size_t count,
		  struct stn_homes *homes)
{
	uint32_t *holders = calloc(array->count, sizeof(holders[0]));
	uint64_t version = UINT64_MAX;

	if (!holders)
		stn_array_no_memory(array);
	do {
		version = find_version(array, notices, count, version);
	} while (version && find_holders(array, notices, count, version,
					 holders) < array->count);
	homes->count = 0;
	for (uint32_t i = 0; version && i < array->count; i++)
		if (stn_homes_add(homes, i, holders[i], 0))
			stn_array_no_memory(array);
	free(holders);
	return version;
}
