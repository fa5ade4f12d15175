/*
 * gateway_late_state.c: what the other files of the gateway also need to know of
 * clusters that join the run while it runs.
 */
#include <stdlib.h>

#include "launch/gateway/gateway_private.h"

struct cluster *
gateway_late_cluster(struct gateway *gateway)
{
	return gateway->late.max_nodes && gateway->late.next < gateway->known
		       ? &gateway->clusters[gateway->late.next]
		       : NULL;
}

void
gateway_late_publish(struct gateway *gateway)
{
	stn_meeting_set_running(gateway->meeting, gateway->late.max_nodes,
				gateway->late.max_clusters, gateway->mine);
}

void
gateway_late_add_round(struct gateway *gateway, const void *bytes, size_t size,
		       bool more)
{
	struct late_cluster *late = &gateway->late;
	struct stn_bytes *rounds = late->rounds;

	if (!late->partial) {
		rounds = reallocarray(rounds, late->round_count + 1,
				      sizeof(rounds[0]));
		if (!rounds) {
			gateway_fail(gateway, "out of memory");
			return;
		}
		late->rounds = rounds;
		rounds[late->round_count++] = (struct stn_bytes){ NULL };
	}
	late->partial = more;
	if (!stn_bytes_add(&rounds[late->round_count - 1], bytes, size))
		gateway_fail(gateway, "out of memory");
}

void
gateway_late_keep(struct gateway *gateway, const void *bytes, size_t size)
{
	if (gateway->late.max_nodes)
		gateway_late_add_round(gateway, bytes, size, false);
}

void
gateway_late_fini(struct gateway *gateway)
{
	struct late_cluster *late = &gateway->late;

	for (uint32_t i = 0; i < late->round_count; i++)
		stn_bytes_fini(&late->rounds[i]);
	free(late->rounds);
	free(late->found);
	stn_bytes_fini(&late->peers);
	stn_bytes_fini(&late->joined);
}

/* The gateways' identities are random, and so is their sum. */
uint64_t
gateway_run_number(const struct gateway *gateway)
{
	uint64_t number = 0;

	if (gateway->late.ours)
		return gateway->late.run_number;
	for (uint32_t i = 0; i < gateway->options->clusters; i++)
		number += gateway->clusters[i].entry.identity;
	return number;
}

/* The next cluster that joins gets the cards of this one, too. */
static void
late_make_room(struct gateway *gateway)
{
	struct late_cluster *late = &gateway->late;

	if (!stn_bytes_add(&late->joined, stn_bytes_front(&late->peers),
			   stn_bytes_count(&late->peers)))
		gateway_fail(gateway, "out of memory");
	stn_bytes_fini(&late->peers);
	late->asked = late->answered = late->partial = false;
	late->next++;
}

void
gateway_late_joined(struct gateway *gateway)
{
	const struct stn_members *members =
		&gateway->membership.sequencer.members;
	struct cluster *place = gateway_late_cluster(gateway);

	if (!place || !members->in_cluster[gateway->late.next] ||
	    (!place->joining && !gateway->late.joining))
		return;
	place->joining = place->lost = place->dead = false;
	place->arrived = false;
	place->watches = true;
	place->heard_ns = gateway_now();
	gateway_say(gateway, "cluster %s has joined the run", place->name);
	if (gateway->late.joining)
		gateway->membership.begun = true;
	gateway->late.joining = false;
	late_make_room(gateway);
}
