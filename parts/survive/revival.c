#include "parts/survive/revival.h"

#include <stdlib.h>
#include <string.h>

struct stn_revival *
stn_revival_create(uint32_t most)
{
	struct stn_revival *revival = calloc(1, sizeof(*revival));

	if (revival)
		revival->most = most;
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

/* The candidate with these numbers; makes it. NULL: no memory. */
static struct stn_revival_candidate *
need_candidate(struct stn_revival *revival, uint64_t version, uint64_t lineage)
{
	struct stn_revival_candidate *found =
		find_candidate(revival, version, lineage);
	struct stn_revival_candidate *larger;

	if (found)
		return found;
	larger = reallocarray(revival->list, revival->count + 1ul,
			      sizeof(larger[0]));
	if (!larger)
		return NULL;
	revival->list = larger;
	revival->list[revival->count] = (struct stn_revival_candidate){
		.version = version, .lineage = lineage
	};
	return &revival->list[revival->count++];
}

/* Makes room for the holders of @parts parts. */
static enum stn_err
grow(struct stn_revival_candidate *candidate, uint32_t parts)
{
	uint32_t *larger;

	if (parts <= candidate->room)
		return STN_OK;
	larger = reallocarray(candidate->holders, parts, sizeof(larger[0]));
	if (!larger)
		return STN_NO_MEMORY;
	candidate->holders = larger;
	while (candidate->room < parts)
		candidate->holders[candidate->room++] = STN_NOBODY;
	return STN_OK;
}

static enum stn_err
add_run(struct stn_revival_candidate *candidate, uint32_t from,
	const struct stn_parts_run *run)
{
	enum stn_err err = grow(candidate, run->first + run->count);

	for (uint32_t i = run->first; !err && i < run->first + run->count; i++)
		if (candidate->holders[i] == STN_NOBODY)
			candidate->holders[i] = from;
	return err;
}

enum stn_err
stn_revival_add(struct stn_revival *revival, uint64_t version, uint64_t lineage,
		uint32_t from, const struct stn_parts_run *runs, uint32_t count)
{
	struct stn_revival_candidate *candidate =
		need_candidate(revival, version, lineage);
	enum stn_err err = candidate ? STN_OK : STN_NO_MEMORY;

	for (uint32_t i = 0; !err && i < count; i++)
		err = runs[i].first >= revival->most ||
				      runs[i].count >
					      revival->most - runs[i].first
			      ? STN_MALFORMED
			      : add_run(candidate, from, &runs[i]);
	return err;
}

enum stn_err
stn_revival_add_history(struct stn_revival *revival, uint64_t version,
			uint64_t lineage, uint32_t parts, const void *history,
			size_t bytes)
{
	struct stn_revival_candidate *candidate =
		need_candidate(revival, version, lineage);

	if (!candidate)
		return STN_NO_MEMORY;
	if (candidate->history)
		return STN_OK;
	candidate->history = malloc(bytes);
	if (!candidate->history)
		return STN_NO_MEMORY;
	memcpy(candidate->history, history, bytes);
	candidate->history_bytes = bytes;
	candidate->parts = parts;
	return STN_OK;
}

/* Whether some node has each part, and some node the history. */
static bool
is_whole(const struct stn_revival_candidate *candidate)
{
	if (!candidate->history || !candidate->parts ||
	    candidate->room < candidate->parts)
		return false;
	for (uint32_t i = 0; i < candidate->parts; i++)
		if (candidate->holders[i] == STN_NOBODY)
			return false;
	return true;
}

const struct stn_revival_candidate *
stn_revival_choose(const struct stn_revival *revival)
{
	const struct stn_revival_candidate *best = NULL;

	for (uint32_t i = 0; i < revival->count; i++) {
		const struct stn_revival_candidate *candidate =
			&revival->list[i];

		if (is_whole(candidate) &&
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
