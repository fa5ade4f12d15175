#include "node/sequencer.h"

#include <stdlib.h>

bool
stn_changes_valid(const struct stn_change *changes, uint32_t count,
		  uint32_t nodes)
{
	const struct stn_topology topology = { .nodes = nodes, .clusters = 1 };
	struct stn_members members;
	bool valid = count && count < 2 * (uint64_t)nodes;

	if (!valid || stn_members_init(&members, &topology))
		return false;
	for (uint32_t i = 0; valid && i < count; i++) {
		uint32_t rank = changes[i].rank;

		valid = rank < nodes && stn_members_has(&members, rank) &&
			changes[i].what <= STN_LEAVING &&
			(changes[i].what != STN_LEAVING ||
			 stn_members_stays(&members, rank));
		if (valid && changes[i].what == STN_LEAVING)
			stn_members_leave(&members, rank);
		else if (valid)
			stn_members_remove(&members, rank);
	}
	valid = valid && members.living;
	stn_members_fini(&members);
	return valid;
}

enum stn_err
stn_sequencer_init(struct stn_sequencer *sequencer,
		   const struct stn_topology *topology,
		   struct stn_sequencer_host host)
{
	*sequencer = (struct stn_sequencer){
		.host = host,
		.changes = calloc(2 * (size_t)topology->nodes,
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
		stn_sequencer_gone(sequencer, changes[i].rank,
				   changes[i].what);
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
