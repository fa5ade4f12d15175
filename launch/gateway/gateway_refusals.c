#include "launch/gateway/gateway_refusals.h"

#include "launch/gateway/gateway_private.h"

#define SAID_MOST 5 /* refusals that are printed one by one */
#define SUM_NS (10 * STN_SECOND_NS)

void
gateway_say_refused(struct gateway *gateway, const struct stn_host_port *from,
		    const char *why)
{
	struct refusals *refusals = &gateway->refusals;
	char text[STN_HOST_PORT_BYTES];

	if (refusals->said >= SAID_MOST) {
		if (!refusals->held++)
			refusals->last_ns = gateway_now();
		return;
	}
	refusals->said++;
	stn_host_port_write(text, from);
	gateway_say(gateway, "refused a connection from %s: %s", text, why);
}

void
gateway_sum_refusals(struct gateway *gateway, uint64_t now)
{
	struct refusals *refusals = &gateway->refusals;

	if (!refusals->held || now - refusals->last_ns < SUM_NS)
		return;
	gateway_say(gateway, "refused %u more connections", refusals->held);
	refusals->held = 0;
	refusals->last_ns = now;
}
