#include "parts/survive/revival.h"

#include <stdlib.h>
#include <string.h>

struct stn_revival *
stn_revival_create(uint32_t parts)
{
	struct stn_revival *revival = calloc(1, sizeof(*revival));

	if (revival)
		revival->parts = parts;
	return revival;
}

static struct stn_revival_candidate *
find_candidate(const struct stn_revival *revival, uint64_t version,
	       uint64_t lineage)
{
	for (uint32_t i = 0; i < revival->count; i++)
		if (revival->list[i].version == version &&
		    revival->list[i].lineage == lineage)
			return &revival->list[i];
	return NULL;
}

static struct stn_revival_candidate *
add_candidate(struct stn_revival *revival, uint64_t version, uint64_t lineage)
{
	struct stn_revival_candidate *larger = reallocarray(
		revival->list, revival->count + 1ul, sizeof(larger[0]));
	uint32_t *holders = malloc(revival->parts * sizeof(holders[0]));

	if (larger)
		revival->list = larger;
	if (!larger || !holders) {
		free(holders);
		return NULL;
	}
	memset(holders, 0xff, revival->parts * sizeof(holders[0]));
	revival->list[revival->count] = (struct stn_revival_candidate){
		.version = version, .lineage = lineage, .holders = holders
	};
	return &revival->list[revival->count++];
}

_Static_assert(STN_NOBODY == UINT32_MAX, "all bits of nobody are set");

static void
add_run(struct stn_revival_candidate *candidate, uint32_t from,
	const struct stn_parts_run *run)
{
	for (uint32_t i = run->first; i < run->first + run->count; i++) {
		if (candidate->holders[i] != STN_NOBODY)
			continue;
		candidate->holders[i] = from;
		candidate->covered++;
	}
}

static enum stn_err
add_history(struct stn_revival_candidate *candidate, const void *history,
	    size_t bytes)
{
	if (!bytes || candidate->history)
		return STN_OK;
	candidate->history = malloc(bytes);
	if (!candidate->history)
		return STN_NO_MEMORY;
	memcpy(candidate->history, history, bytes);
	candidate->history_bytes = bytes;
	return STN_OK;
}

enum stn_err
stn_revival_add(struct stn_revival *revival, uint64_t version, uint64_t lineage,
		uint32_t from, const struct stn_parts_run *runs, uint32_t count,
		const void *history, size_t history_bytes)
{
	struct stn_revival_candidate *candidate =
		find_candidate(revival, version, lineage);

	for (uint32_t i = 0; i < count; i++)
		if (runs[i].first >= revival->parts ||
		    runs[i].count > revival->parts - runs[i].first)
			return STN_MALFORMED;
	if (!candidate)
		candidate = add_candidate(revival, version, lineage);
	if (!candidate)
		return STN_NO_MEMORY;
	for (uint32_t i = 0; i < count; i++)
		add_run(candidate, from, &runs[i]);
	return add_history(candidate, history, history_bytes);
}

const struct stn_revival_candidate *
stn_revival_choose(const struct stn_revival *revival)
{
	const struct stn_revival_candidate *best = NULL;

	for (uint32_t i = 0; i < revival->count; i++) {
		const struct stn_revival_candidate *candidate =
			&revival->list[i];

		if (candidate->covered == revival->parts &&
		    candidate->history &&
		    (!best || candidate->version > best->version))
			best = candidate;
	}
	return best;
}

void
stn_revival_destroy(struct stn_revival *revival)
{
	if (!revival)
		return;
	for (uint32_t i = 0; i < revival->count; i++) {
		free(revival->list[i].holders);
		free(revival->list[i].history);
	}
	free(revival->list);
	free(revival->holders);
	free(revival);
}
