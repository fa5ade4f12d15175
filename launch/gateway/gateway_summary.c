#include "launch/gateway/gateway_summary.h"

#include "launch/gateway/gateway_private.h"

/* The newest view, of those that this gateway knows, with a death. */
static uint32_t
last_death(const struct stn_sequencer *sequencer)
{
	uint32_t view = sequencer->count;

	while (view && sequencer->changes[view - 1].what != STN_DIED &&
	       sequencer->changes[view - 1].what != STN_LEFT)
		view--;
	return view;
}

/* If another node dies before the barrier opens, the root sends a new line. */
void
gateway_summary_take(struct gateway *gateway, uint32_t index,
		     const struct stn_wireup_frame *frame)
{
	const struct stn_sequencer *sequencer = &gateway->membership.sequencer;
	uint32_t rank = gateway->hub.first[gateway->mine] + index;
	struct stn_why line;
	uint32_t view = stn_wireup_frame_missed(frame, &line);

	if (rank != sequencer->members.root || view < gateway->summary.view)
		return;
	gateway->summary.line = line;
	gateway->summary.view = view;
}

void
gateway_summary_hold(struct gateway *gateway)
{
	gateway->summary.holds = true;
	stn_wireup_server_hold(&gateway->members.server);
}

/* Does the newest view have the ends of all own nodes? */
static bool
knows_own_deaths(const struct gateway *gateway)
{
	const struct stn_members *members =
		&gateway->membership.sequencer.members;

	for (uint32_t i = 0; i < gateway->members.size; i++)
		if (gateway->nodes.list[i].gone &&
		    stn_members_has(members,
				    gateway->hub.first[gateway->mine] + i))
			return false;
	return true;
}

void
gateway_summary_attend(struct gateway *gateway)
{
	if (!gateway->summary.holds || gateway->over ||
	    !knows_own_deaths(gateway))
		return;
	gateway->summary.holds = false;
	stn_wireup_server_release(&gateway->members.server);
}

bool
gateway_summary_complete(const struct gateway *gateway)
{
	const struct membership *membership = &gateway->membership;

	if (!membership->begun || membership->over)
		return true;
	return gateway_is_first(gateway) &&
	       (membership->host != gateway->mine ||
		!membership->reports.news) &&
	       gateway->summary.view >= last_death(&membership->sequencer);
}

void
gateway_summary_print(struct gateway *gateway)
{
	if (gateway_is_first(gateway) && *gateway->summary.line.text)
		gateway_print(gateway, gateway->summary.line.text);
}
