/*
 * entry.h: what a gateway leaves at the meeting point for the others to read:
 * a line of text, "2 STATE IDENTITY CLUSTERS PLACE [PLACE...]", where the state
 * is "waits" or "runs", and the identity 16 hexadecimal digits. Whoever can
 * write there can write nonsense, which is rejected, or places of strangers,
 * who don't know the run's secret.
 */
#ifndef STN_TRANSPORT_WAN_ENTRY_H
#define STN_TRANSPORT_WAN_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/error.h"
#include "transport/wan/place.h"

#define STN_ENTRY_PLACES 16
#define STN_ENTRY_BYTES 1024 /* none is longer */

struct stn_entry {
	bool runs;	   /* all clusters have joined */
	uint64_t identity; /* no other gateway has it */
	uint32_t clusters;
	size_t count;
	struct stn_place places[STN_ENTRY_PLACES];
};

/* stn_entry_write: false if it is too long. */
bool stn_entry_write(char text[STN_ENTRY_BYTES], const struct stn_entry *entry);

/* stn_entry_read: STN_MALFORMED if @size bytes of @text aren't exactly one. */
STN_CHECKED enum stn_err stn_entry_read(const char *text, size_t size,
					struct stn_entry *entry);

#endif
