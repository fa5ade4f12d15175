#include "launch/gateway/gateway_clusters.h"

#include <stdlib.h>
#include <string.h>

#include "launch/gateway/gateway_private.h"

/* A quarter of the shortest --silence: that of other gateways may be shorter. */
#define HEARTBEAT_NS (STN_SECOND_NS / 4)

struct cluster *
gateway_find_cluster(struct gateway *gateway, const char *name)
{
	for (uint32_t i = 0; i < gateway->known; i++)
		if (!strcmp(gateway->clusters[i].name, name))
			return &gateway->clusters[i];
	return NULL;
}

bool
gateway_is_known_host(const struct gateway *gateway,
		      const struct stn_host_port *host)
{
	for (uint32_t i = 0; i < gateway->known; i++) {
		const struct stn_meeting_entry *entry =
			&gateway->clusters[i].entry;

		for (size_t j = 0; j < entry->count; j++)
			if (stn_host_port_is_near(&entry->addresses[j], host))
				return true;
	}
	return false;
}

void
gateway_put_segment(struct stn_stream *stream, enum stn_trunk_type type,
		    const void *bytes, size_t size)
{
	struct stn_segment segment = {
		.to = STN_SEGMENT_GATEWAY,
		.bytes = (uint16_t)size,
		.type = (uint8_t)type,
	};
	unsigned char head[STN_SEGMENT_HEAD];

	stn_segment_write(head, &segment);
	stn_stream_put(stream, head, sizeof(head));
	stn_stream_put(stream, bytes, size);
}

void
gateway_tell_gateway(struct gateway *gateway, uint32_t cluster,
		     enum stn_trunk_type type, const void *bytes, size_t size)
{
	struct connection *trunk = gateway->clusters[cluster].trunk;
	const unsigned char *at = bytes;
	size_t done = 0;

	if (!trunk)
		return;
	do {
		size_t part = size - done < STN_SEGMENT_DATA ? size - done
							     : STN_SEGMENT_DATA;
		struct stn_segment segment = {
			.to = STN_SEGMENT_GATEWAY,
			.bytes = (uint16_t)part,
			.type = (uint8_t)type,
			.flags = done + part < size ? STN_SEGMENT_MORE : 0,
		};

		stn_switch_put(&gateway->hub, &trunk->port, &segment,
			       at + done);
		done += part;
	} while (done < size);
}

void
gateway_tell_gateways(struct gateway *gateway, enum stn_trunk_type type,
		      const void *bytes, size_t size)
{
	for (uint32_t i = 0; i < gateway->known; i++)
		if (!gateway->clusters[i].joining ||
		    type == STN_TRUNK_HEARTBEAT)
			gateway_tell_gateway(gateway, i, type, bytes, size);
}

/* Has the gateway at the trunk's other end sent nothing for too long? */
static bool
is_silent(const struct gateway *gateway, struct cluster *cluster, uint64_t now)
{
	struct stn_port *port = &cluster->trunk->port;

	if (port->heard || port->blocked_by) {
		port->heard = false;
		if (now > cluster->heard_ns)
			cluster->heard_ns = now;
	}
	return now > cluster->heard_ns &&
	       now - cluster->heard_ns > gateway->options->silence_ns;
}

/*
 * If this gateway itself was stopped, perhaps with its host, that time is no
 * silence of the others.
 */
static void
forgive_pause(struct gateway *gateway, uint64_t now)
{
	uint64_t before = gateway->heartbeat.checked_ns;

	gateway->heartbeat.checked_ns = now;
	if (!before || now - before < STN_SECOND_NS)
		return;
	for (uint32_t i = 0; i < gateway->known; i++)
		gateway->clusters[i].heard_ns += now - before;
}

static bool
needs_heartbeats(const struct gateway *gateway, const struct cluster *cluster)
{
	if (!cluster->trunk)
		return false;
	return cluster->joining ||
	       (!cluster->lost &&
		(!cluster->arrived || gateway->membership.begun));
}

static void
check_gateways(struct gateway *gateway, uint64_t now)
{
	forgive_pause(gateway, now);
	for (uint32_t i = 0; i < gateway->known; i++) {
		struct cluster *cluster = &gateway->clusters[i];

		if (needs_heartbeats(gateway, cluster) &&
		    is_silent(gateway, cluster, now))
			gateway->heartbeat.silent(gateway, i);
	}
}

void
gateway_heartbeat(struct gateway *gateway, uint64_t now)
{
	if (gateway->over)
		return;
	if (gateway->options->silence_ns)
		check_gateways(gateway, now);
	if (now < gateway->heartbeat.next_ns)
		return;
	gateway->heartbeat.next_ns = now + HEARTBEAT_NS;
	gateway_tell_gateways(gateway, STN_TRUNK_HEARTBEAT, NULL, 0);
}
