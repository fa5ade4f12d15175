#include "transport/wan/entry.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/units.h"
#include "transport/wan/knock.h"

#define IDENTITY_DIGITS 16

bool
stn_entry_write(char text[STN_ENTRY_BYTES], const struct stn_entry *entry)
{
	int used = snprintf(text, STN_ENTRY_BYTES, "2 %s %016" PRIx64 " %u",
			    entry->runs ? "runs" : "waits", entry->identity,
			    entry->clusters);

	for (size_t i = 0; i < entry->count; i++) {
		char place[STN_PLACE_BYTES];

		stn_place_write(place, &entry->places[i]);
		used += snprintf(text + used, STN_ENTRY_BYTES - (size_t)used,
				 " %s", place);
		if (used >= STN_ENTRY_BYTES)
			return false;
	}
	return true;
}

/* Takes all but the places off the front of @rest_p. */
static bool
read_head(char **rest_p, struct stn_entry *entry)
{
	const char *version = strsep(rest_p, " ");
	const char *state = strsep(rest_p, " ");
	const char *identity = strsep(rest_p, " ");
	const char *count = strsep(rest_p, " ");
	uint64_t clusters;

	if (!count || strcmp(version, "2") ||
	    strspn(identity, "0123456789abcdef") != IDENTITY_DIGITS ||
	    identity[IDENTITY_DIGITS] ||
	    stn_parse_count(count, 2, STN_CLUSTERS_MOST, &clusters))
		return false;
	entry->clusters = (uint32_t)clusters;
	entry->identity = strtoull(identity, NULL, 16);
	entry->runs = !strcmp(state, "runs");
	return entry->runs || !strcmp(state, "waits");
}

enum stn_err
stn_entry_read(const char *text, size_t size, struct stn_entry *entry)
{
	char copy[STN_ENTRY_BYTES], *rest = copy, *word;

	memset(entry, 0, sizeof(*entry));
	if (size >= sizeof(copy) || memchr(text, '\0', size))
		return STN_MALFORMED;
	memcpy(copy, text, size);
	copy[size] = '\0';
	if (!read_head(&rest, entry))
		return STN_MALFORMED;
	while ((word = strsep(&rest, " "))) {
		if (entry->count == STN_ENTRY_PLACES ||
		    !stn_place_read(word, &entry->places[entry->count]))
			return STN_MALFORMED;
		entry->count++;
	}
	return entry->count ? STN_OK : STN_MALFORMED;
}
