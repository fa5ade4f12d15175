#include "parts/survive/copy_holders.h"

#include <stdlib.h>

#include "parts/array.h"
#include "parts/survive/copies.h"

/*
 * A notice is about a run of copies: of parts that lie together, in one
 * version, all first ones or all second ones. Its second word has the version,
 * the number of parts, and whether they are first ones.
 */
#define RUN_BITS 21
#define RUN_MOST ((1u << RUN_BITS) - 1)

struct run {
	uint64_t version;
	uint32_t first_part, count;
	bool first;
};

static uint64_t
word_of_run(const struct run *run)
{
	return run->version << (RUN_BITS + 1) | (uint64_t)run->count << 1 |
	       run->first;
}

static struct run
run_of(const struct stn_notice *notice)
{
	uint64_t word = notice->words[1];

	return (struct run){ .version = word >> (RUN_BITS + 1),
			     .first_part = notice->about,
			     .count = word >> 1 & RUN_MOST,
			     .first = word & 1 };
}

/* By version and kind, and then by part. */
static int
compare_copies(const void *a, const void *b)
{
	const struct stn_copy *one = *(const struct stn_copy *const *)a;
	const struct stn_copy *other = *(const struct stn_copy *const *)b;

	if (one->header.version != other->header.version)
		return one->header.version < other->header.version ? -1 : 1;
	if (one->first != other->first)
		return one->first ? -1 : 1;
	return one->header.part < other->header.part ? -1 : 1;
}

/* All copies that are whole. The caller frees the list. */
static const struct stn_copy **
list_copies(const struct stn_parts *array, size_t *count_p)
{
	const struct stn_copy **list, *copy;
	size_t count = 0;

	SLIST_FOREACH(copy, &array->copies.list, link)
	count += stn_copy_whole(copy);
	list = calloc(count + 1, sizeof(list[0]));
	if (!list)
		stn_array_no_memory(array);
	*count_p = count;
	SLIST_FOREACH(copy, &array->copies.list, link)
	if (stn_copy_whole(copy))
		list[--count] = copy;
	qsort(list, *count_p, sizeof(list[0]), compare_copies);
	return list;
}

static uint64_t
name_of(const struct stn_parts *array)
{
	return (uint64_t)array->id.rank << 32 | array->id.number;
}

static void
send_run(const struct stn_parts *array, const struct run *run)
{
	const uint64_t words[2] = { name_of(array), word_of_run(run) };

	if (run->count)
		stn_membership_notice(array->service->node, STN_PARTS_KIND_COPY,
				      words, run->first_part);
}

static bool
continues(const struct run *run, const struct stn_copy *copy)
{
	return run->count && run->count < RUN_MOST &&
	       copy->header.version == run->version &&
	       copy->first == run->first &&
	       copy->header.part == run->first_part + run->count;
}

/* Cells have another number of parts in each version. */
static void
send_parts(const struct stn_parts *array, const struct stn_copy *copy)
{
	const uint64_t words[2] = { name_of(array), copy->header.version };

	if (array->cells)
		stn_membership_notice(array->service->node,
				      STN_PARTS_KIND_VERSION, words,
				      copy->header.parts);
}

void
stn_copies_notices(struct stn_parts *array)
{
	size_t count;
	const struct stn_copy **list = list_copies(array, &count);
	struct run run = { 0 };

	for (size_t i = 0; i < count; i++) {
		const struct stn_copy *copy = list[i];

		if (!i || copy->header.version != list[i - 1]->header.version)
			send_parts(array, copy);
		if (!continues(&run, copy)) {
			send_run(array, &run);
			run = (struct run){ copy->header.version,
					    copy->header.part, 0, copy->first };
		}
		run.count++;
	}
	send_run(array, &run);
	free(list);
}

static bool
is_copy_of(const struct stn_parts *array, const struct stn_notice *notice)
{
	return notice->kind == STN_PARTS_KIND_COPY &&
	       notice->words[0] == name_of(array);
}

/* How many parts the array had in that version; 0: no node has said so. */
static uint32_t
count_parts(const struct stn_parts *array, const struct stn_notice *notices,
	    size_t count, uint64_t version)
{
	if (!array->cells)
		return array->count;
	for (size_t i = 0; i < count; i++)
		if (notices[i].kind == STN_PARTS_KIND_VERSION &&
		    notices[i].words[0] == name_of(array) &&
		    notices[i].words[1] == version)
			return notices[i].about;
	return 0;
}

/* The highest version below @below that a notice names; 0: none. */
static uint64_t
find_version(const struct stn_parts *array, const struct stn_notice *notices,
	     size_t count, uint64_t below)
{
	uint64_t version = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t named = run_of(&notices[i]).version;

		if (is_copy_of(array, &notices[i]) && named < below &&
		    named > version)
			version = named;
	}
	return version;
}

/* Returns the number of parts that had no holder. */
static uint32_t
take_run(const struct run *run, uint32_t from, uint32_t *holders,
	 uint32_t parts)
{
	uint32_t taken = 0;

	for (uint32_t i = run->first_part;
	     i < parts && i - run->first_part < run->count; i++) {
		if (holders[i] != STN_NOBODY)
			continue;
		holders[i] = from;
		taken++;
	}
	return taken;
}

/*
 * The nodes that have copies of the version: best the first ones, because the
 * parts of a node were neighbours then. Returns the number of parts with
 * copies.
 */
static uint32_t
find_holders(const struct stn_parts *array, const struct stn_notice *notices,
	     size_t count, uint64_t version, uint32_t *holders, uint32_t all)
{
	const struct stn_members *members = &array->service->node->members;
	uint32_t parts = 0;

	for (uint32_t i = 0; i < all; i++)
		holders[i] = STN_NOBODY;
	for (int rank = 0; rank < 4; rank++) { /* stays and first, then less */
		for (size_t i = 0; i < count; i++) {
			const struct stn_notice *notice = &notices[i];
			struct run run = run_of(notice);

			if (is_copy_of(array, notice) &&
			    run.version == version && run.first != (rank & 1) &&
			    stn_members_stays(members, notice->from) ==
				    (rank < 2))
				parts += take_run(&run, notice->from, holders,
						  all);
		}
	}
	return parts;
}

/* Whether each part has a copy of the version: then sets @homes. */
static bool
find_homes(const struct stn_parts *array, const struct stn_notice *notices,
	   size_t count, uint64_t version, struct stn_homes *homes)
{
	uint32_t parts = count_parts(array, notices, count, version);
	uint32_t *holders = calloc(parts + 1ul, sizeof(holders[0]));
	bool whole;

	if (!holders)
		stn_array_no_memory(array);
	whole = parts && find_holders(array, notices, count, version, holders,
				      parts) == parts;
	for (uint32_t i = 0; whole && i < parts; i++)
		if (stn_homes_add(homes, i, holders[i], 0))
			stn_array_no_memory(array);
	free(holders);
	return whole;
}

uint64_t
stn_copies_choose(const struct stn_parts *array,
		  const struct stn_notice *notices, size_t count,
		  struct stn_homes *homes)
{
	uint64_t version = UINT64_MAX;

	homes->count = 0;
	do {
		version = find_version(array, notices, count, version);
	} while (version && !find_homes(array, notices, count, version, homes));
	return version;
}
