#include "launch/gateway/meeting_entry.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/units.h"
#include "transport/far/handshake.h"

#define IDENTITY_DIGITS 16
#define NUMBER_DIGITS 3

bool
stn_meeting_entry_write(char text[STN_ENTRY_BYTES],
			const struct stn_meeting_entry *entry)
{
	int used = snprintf(text, STN_ENTRY_BYTES, "3 %s %016" PRIx64 " %u",
			    entry->runs ? "runs" : "waits", entry->identity,
			    entry->clusters);

	if (entry->max_nodes)
		used += snprintf(text + used, STN_ENTRY_BYTES - (size_t)used,
				 "+%u/%u:%03u", entry->max_nodes,
				 entry->max_clusters, entry->number);

	for (size_t i = 0; i < entry->count; i++) {
		char address[STN_HOST_PORT_BYTES];

		stn_host_port_write(address, &entry->addresses[i]);
		used += snprintf(text + used, STN_ENTRY_BYTES - (size_t)used,
				 " %s", address);
		if (used >= STN_ENTRY_BYTES)
			return false;
	}
	return true;
}

/* Reads "MAX/PLACES:NUMBER", and cuts it up. */
static bool
read_room(char *text, struct stn_meeting_entry *entry)
{
	char *nodes = strsep(&text, "/"), *places = strsep(&text, ":");
	uint64_t max_nodes, max_clusters, number;

	if (!text || strlen(text) != NUMBER_DIGITS ||
	    stn_parse_count(nodes, 1, INT32_MAX, &max_nodes) ||
	    stn_parse_count(places, entry->clusters + 1, STN_CLUSTERS_MOST,
			    &max_clusters) ||
	    stn_parse_count(text, 0, max_clusters - 1, &number))
		return false;
	entry->max_nodes = (uint32_t)max_nodes;
	entry->max_clusters = (uint32_t)max_clusters;
	entry->number = (uint32_t)number;
	return true;
}

/* Reads "CLUSTERS" or "CLUSTERS+ROOM", and cuts it up. */
static bool
read_clusters(char *text, struct stn_meeting_entry *entry)
{
	const char *first = strsep(&text, "+");
	uint64_t clusters;

	if (stn_parse_count(first, 2, STN_CLUSTERS_MOST, &clusters))
		return false;
	entry->clusters = (uint32_t)clusters;
	return !text || read_room(text, entry);
}

/* Takes all but the addresses off the front of @rest_p. */
static bool
read_entry_head(char **rest_p, struct stn_meeting_entry *entry)
{
	const char *version = strsep(rest_p, " ");
	const char *state = strsep(rest_p, " ");
	const char *identity = strsep(rest_p, " ");
	char *count = strsep(rest_p, " ");

	if (!count || strcmp(version, "3") ||
	    strspn(identity, "0123456789abcdef") != IDENTITY_DIGITS ||
	    identity[IDENTITY_DIGITS] ||
	    !read_clusters(count, entry))
		return false;
	entry->identity = strtoull(identity, NULL, 16);
	entry->runs = !strcmp(state, "runs");
	return entry->runs || !strcmp(state, "waits");
}

enum stn_err
stn_meeting_entry_read(const char *text, size_t size,
		       struct stn_meeting_entry *entry)
{
	char copy[STN_ENTRY_BYTES], *rest = copy, *word;

	memset(entry, 0, sizeof(*entry));
	if (size >= sizeof(copy) || memchr(text, '\0', size))
		return STN_MALFORMED;
	memcpy(copy, text, size);
	copy[size] = '\0';
	if (!read_entry_head(&rest, entry))
		return STN_MALFORMED;
	while ((word = strsep(&rest, " "))) {
		if (entry->count == STN_ENTRY_ADDRESSES ||
		    !stn_host_port_read(word, &entry->addresses[entry->count]))
			return STN_MALFORMED;
		entry->count++;
	}
	return entry->count ? STN_OK : STN_MALFORMED;
}
