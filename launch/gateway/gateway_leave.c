#include "launch/gateway/gateway_leave.h"

#include "launch/gateway/gateway_private.h"

bool
gateway_leave_possible(const struct gateway *gateway)
{
	return gateway->membership.begun && !gateway->over &&
	       !gateway->failure.declared;
}

bool
gateway_leave(struct gateway *gateway)
{
	if (!gateway_leave_possible(gateway))
		return false;
	for (uint32_t i = 0; i < gateway->members.size; i++)
		gateway_nodes_leave(gateway, i);
	return true;
}

/* For this gateway the run is over. */
void
gateway_leave_attend(struct gateway *gateway)
{
	if (!gateway->membership.parted || !gateway_leave_possible(gateway))
		return;
	gateway->over = true;
	gateway_say(gateway, "this cluster has left the run, which goes on "
			     "without it");
}
