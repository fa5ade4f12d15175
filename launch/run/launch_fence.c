#include "launch/run/launch_fence.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/join_far.h"
#include "launch/run/launch_wait.h"
#include "transport/peers.h"

enum stn_err
launch_fence_init(struct launch *launch)
{
	launch->fences = calloc(launch->ranks, sizeof(launch->fences[0]));
	return launch->fences ? STN_OK : STN_NO_MEMORY;
}

void
launch_fence_fini(struct launch *launch)
{
	free(launch->fences);
	launch->fences = NULL;
}

/*
 * The first node that misses it is the reason. A reason that is not kept can be
 * a consequence of the node's death: a node often learns of that before the
 * launcher does.
 */
void
launch_fence_note(struct launch *launch, uint32_t rank, uint32_t by,
		  const char *how)
{
	const size_t length = strlen(STN_PEERS_SILENT);
	struct launch_fence *fence = &launch->fences[rank];
	bool silent = !strncmp(how, STN_PEERS_SILENT, length);

	if (stn_sequencer_suspects(&launch->sequencer, rank) ||
	    (!silent && strcmp(how, STN_PEERS_NO_MEMORY) != 0))
		return;
	fence->silent = silent;
	fence->by = by;
	snprintf(fence->how, sizeof(fence->how), "%s",
		 silent ? how + length : how);
}

bool
launch_fence_tell(struct launch *launch, uint32_t rank, const char *more)
{
	const struct launch_fence *fence = &launch->fences[rank];
	char place[LAUNCH_ON_HOST], other[LAUNCH_ON_HOST];
	const char *cluster =
		stn_join_far_offered() ? " of this cluster" : "";

	if (!*fence->how)
		return false;
	launch_say(launch,
		   "node %" PRIu32 "%s%s was ended because node %" PRIu32
		   "%s %s%s; the run goes on without it%s",
		   rank, cluster, launch_on_host(launch, rank, place),
		   fence->by, launch_on_host(launch, fence->by, other),
		   fence->silent ? "had not heard from it for "
				 : "has lost it: ",
		   fence->how, more);
	return true;
}

/* Are all nodes that live on the root's host? */
static bool
one_host_is_left(const struct launch *launch)
{
	const struct stn_members *members = &launch->sequencer.members;
	const char *host = stn_agents_host(&launch->agents, members->root);

	for (uint32_t i = 0; i < launch->ranks; i++)
		if (stn_members_has(members, i) &&
		    strcmp(stn_agents_host(&launch->agents, i), host))
			return false;
	return true;
}

void
launch_fence_check(struct launch *launch, uint32_t rank)
{
	const struct launch_fence *fence = &launch->fences[rank];
	const struct stn_agents *agents = &launch->agents;

	if (!fence->silent || launch->cut_told || !launch->hosts.count ||
	    agents->one_host || !one_host_is_left(launch) ||
	    !strcmp(stn_agents_host(agents, rank),
		    stn_agents_host(agents, fence->by)))
		return;
	launch->cut_told = true;
	launch_say(
		launch,
		"only nodes on %s are left, though the agents of other "
		"hosts answer: is there a firewall between the hosts, or have "
		"their nodes hung?",
		stn_agents_host(agents, launch->sequencer.members.root));
}
