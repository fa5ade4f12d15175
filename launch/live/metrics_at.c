#include "launch/live/metrics_at.h"

#include <stdio.h>
#include <string.h>

#include "node/config.h"
#include "transport/units.h"

enum stn_err
stn_metrics_at(const char *text, struct stn_host_port *at, struct stn_why *why)
{
	char address[STN_HOST_PORT_BYTES];
	const char *colon = strrchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : 0;
	uint64_t port;

	snprintf(address, sizeof(address), "%.*s", (int)length, text);
	if (stn_parse_count(colon ? colon + 1 : text, 0, UINT16_MAX, &port) ||
	    length >= sizeof(address) ||
	    !stn_host_port_read_address(colon ? address : STN_LOCALHOST, at))
		return stn_because(why, STN_INVALID,
				   "metrics is \"%.60s\", but it must be a "
				   "port or ADDRESS:PORT, like 9100 or "
				   "127.0.0.1:9100",
				   text);
	at->port = (uint16_t)port;
	return STN_OK;
}
