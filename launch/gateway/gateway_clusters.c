#include "launch/gateway/gateway_clusters.h"

#include <stdlib.h>
#include <string.h>

#include "launch/gateway/gateway_private.h"

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

bool
gateway_collect_cards(struct collected_cards *collected, const void *bytes,
		      size_t size)
{
	unsigned char *all =
		realloc(collected->bytes, collected->size + size + 1);

	if (!all)
		return false;
	memcpy(all + collected->size, bytes, size);
	collected->bytes = all;
	collected->size += size;
	return true;
}
