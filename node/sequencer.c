#include "node/sequencer.h"

#include <stdlib.h>

/* What a list of changes says about a rank. */
enum { HAS_JOINED = 1, HAS_LEAVING = 2, HAS_GONE = 4 };

/* Takes one change; false if it can't follow the earlier ones. */
static bool
change_fits(unsigned char *seen, const struct stn_change *change)
{
	switch (change->what) {
	case STN_DIED:
	case STN_LEFT:
		if (*seen & HAS_GONE)
			return false;
		*seen |= HAS_GONE;
		return true;
	case STN_LEAVING:
		if (*seen & (HAS_LEAVING | HAS_GONE))
			return false;
		*seen |= HAS_LEAVING;
		return true;
	case STN_JOINED:
		if (*seen)
			return false;
		*seen = HAS_JOINED;
		return true;
	}
	return false;
}

static bool
is_end(uint32_t what)
{
	return what == STN_DIED || what == STN_LEFT;
}

bool
stn_changes_valid(const struct stn_change *changes, uint32_t count,
		  uint32_t nodes)
{
	unsigned char *seen;
	bool valid = count && count < STN_CHANGES_MOST(nodes);
	uint32_t gone = 0;

	seen = valid ? calloc(nodes, sizeof(seen[0])) : NULL;
	valid = seen;
	for (uint32_t i = 0; valid && i < count; i++) {
		valid = changes[i].rank < nodes &&
			change_fits(&seen[changes[i].rank], &changes[i]);
		gone += valid && is_end(changes[i].what);
	}
	free(seen);
	return valid && gone < nodes;
}

enum stn_err
stn_sequencer_init(struct stn_sequencer *sequencer,
		   const struct stn_topology *topology,
		   struct stn_sequencer_host host)
{
	*sequencer = (struct stn_sequencer){
		.host = host,
		.changes = calloc(STN_CHANGES_MOST((size_t)topology->nodes),
				  sizeof(struct stn_change)),
		.suspects = calloc(topology->nodes / 64 + 1, sizeof(uint64_t)),
	};
	if (sequencer->changes && sequencer->suspects &&
	    !stn_members_init(&sequencer->members, topology))
		return STN_OK;
	free(sequencer->changes);
	free(sequencer->suspects);
	return STN_NO_MEMORY;
}

/* Takes a change of another sequencer's view. */
static void
repeat_change(struct stn_sequencer *sequencer, const struct stn_change *change)
{
	switch (change->what) {
	case STN_LEAVING:
		stn_sequencer_leave(sequencer, change->rank);
		return;
	case STN_JOINED:
		stn_sequencer_joined(sequencer, change->rank);
		return;
	default:
		stn_sequencer_gone(sequencer, change->rank, change->what);
	}
}

enum stn_err
stn_sequencer_resume(struct stn_sequencer *sequencer,
		     const struct stn_change *changes, uint32_t count)
{
	const struct stn_topology *topology = sequencer->members.topology;

	stn_members_fini(&sequencer->members);
	if (stn_members_init(&sequencer->members, topology))
		return STN_NO_MEMORY;
	sequencer->count = sequencer->sent = 0;
	sequencer->sent_to = STN_NOBODY;
	for (uint32_t i = 0; i < count; i++)
		repeat_change(sequencer, &changes[i]);
	return STN_OK;
}

void
stn_sequencer_fini(struct stn_sequencer *sequencer)
{
	stn_members_fini(&sequencer->members);
	free(sequencer->changes);
	free(sequencer->suspects);
}

bool
stn_sequencer_suspects(const struct stn_sequencer *sequencer, uint32_t rank)
{
	return sequencer->suspects[rank / 64] >> rank % 64 & 1;
}

void
stn_sequencer_suspect(struct stn_sequencer *sequencer, uint32_t rank)
{
	if (!stn_members_has(&sequencer->members, rank) ||
	    stn_sequencer_suspects(sequencer, rank))
		return;
	sequencer->suspects[rank / 64] |= UINT64_C(1) << rank % 64;
	sequencer->host.fence(sequencer->host.arg, rank);
}

void
stn_sequencer_gone(struct stn_sequencer *sequencer, uint32_t rank,
		   enum stn_change_what what)
{
	if (!stn_members_has(&sequencer->members, rank))
		return;
	stn_members_remove(&sequencer->members, rank);
	sequencer->changes[sequencer->count++] =
		(struct stn_change){ rank, what };
}

bool
stn_sequencer_joined(struct stn_sequencer *sequencer, uint32_t rank)
{
	if (!stn_members_add(&sequencer->members, rank))
		return false;
	sequencer->changes[sequencer->count++] =
		(struct stn_change){ rank, STN_JOINED };
	return true;
}

void
stn_sequencer_leave(struct stn_sequencer *sequencer, uint32_t rank)
{
	if (!stn_members_stays(&sequencer->members, rank))
		return;
	stn_members_leave(&sequencer->members, rank);
	sequencer->changes[sequencer->count++] =
		(struct stn_change){ rank, STN_LEAVING };
}

void
stn_sequencer_issue(struct stn_sequencer *sequencer)
{
	uint32_t root = sequencer->members.root;

	if (root == STN_NOBODY ||
	    (sequencer->sent == sequencer->count && sequencer->sent_to == root))
		return;
	sequencer->sent = sequencer->count;
	sequencer->sent_to = root;
	sequencer->host.send(sequencer->host.arg, root, sequencer->changes,
			     sequencer->count);
}

void
stn_sequencer_applied(struct stn_sequencer *sequencer, uint32_t view)
{
	if (view > sequencer->applied && view <= sequencer->count)
		sequencer->applied = view;
}
