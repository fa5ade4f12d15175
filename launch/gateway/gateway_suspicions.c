#include "launch/gateway/gateway_suspicions.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "launch/gateway/gateway_private.h"

/* Kept while the cluster joins. */
struct suspicion {
	uint32_t index, other; /* see gateway_suspicion_keep */
};

enum stn_err
gateway_suspicion_take(struct gateway *gateway, uint32_t index,
		       uint32_t suspect)
{
	uint32_t by = gateway->hub.first[gateway->mine] + index;
	char text[80];

	if (suspect >= gateway->membership.topology.nodes || suspect == by)
		return STN_MALFORMED;
	if (gateway->nodes.list[index].fenced)
		return STN_OK; /* of two that lose each other, one ends */
	if (gateway->late.joining) {
		gateway_suspicion_keep(gateway, index, suspect);
		return STN_OK;
	}
	snprintf(text, sizeof(text), "node %" PRIu32 " is gone", suspect);
	if (gateway_survives(gateway))
		gateway_membership_suspect(gateway, suspect);
	else
		gateway_attribute_missed(gateway, by, suspect, text);
	return STN_OK;
}

void
gateway_suspicion_keep(struct gateway *gateway, uint32_t index, uint32_t other)
{
	const struct suspicion suspicion = { index, other };

	if (!stn_bytes_add(&gateway->nodes.suspicions, &suspicion,
			   sizeof(suspicion)))
		gateway_fail(gateway, "out of memory");
}

/* Does node @other of the run live, and is not to end, either? */
static bool
stays_alive(const struct gateway *gateway, uint32_t other)
{
	uint32_t index = other - gateway->hub.first[gateway->mine];

	return stn_members_has(&gateway->membership.sequencer.members, other) &&
	       (index >= gateway->members.size ||
		!gateway->nodes.list[index].fenced);
}

void
gateway_suspicions_attend(struct gateway *gateway)
{
	struct stn_bytes *kept = &gateway->nodes.suspicions;
	const uint32_t *first = gateway->hub.first; /* NULL before the run */
	struct suspicion suspicion;

	while (gateway_survives(gateway) && stn_bytes_count(kept)) {
		memcpy(&suspicion, stn_bytes_front(kept), sizeof(suspicion));
		stn_bytes_drop(kept, sizeof(suspicion));
		if (suspicion.other == STN_NOBODY ||
		    stays_alive(gateway, suspicion.other))
			gateway_membership_suspect(
				gateway,
				first[gateway->mine] + suspicion.index);
	}
}
