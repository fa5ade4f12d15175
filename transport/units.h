/*
 * units.h: numbers with units, as people write them. Any thread. All return
 * STN_OK or STN_INVALID, and set *value_p only on success. Nothing but the
 * number and its unit may stand in the text; negative numbers, numbers that
 * aren't finite, and results of 2^63 or more are refused.
 */
#ifndef STN_TRANSPORT_UNITS_H
#define STN_TRANSPORT_UNITS_H

#include "transport/topology.h"
#include "transport/error.h"

/* stn_parse_count: "16": a whole number between @least and @most. */
STN_CHECKED enum stn_err stn_parse_count(const char *text, uint64_t least,
					 uint64_t most, uint64_t *value_p);

/* stn_parse_duration: "100ms", "1.5s", "20us", "5ns", "0"; nanoseconds. */
STN_CHECKED enum stn_err stn_parse_duration(const char *text,
					    uint64_t *value_p);

/* stn_parse_bytes: "64MiB", "100KB" (1000 bytes each), "512"; bytes. */
STN_CHECKED enum stn_err stn_parse_bytes(const char *text, uint64_t *value_p);

/*
 * stn_parse_link: "100ms,100KB/s,5ms" are a latency, a rate and a jitter,
 * "100ms,none,5ms" without a limit, "10ms" without a jitter, too; or "none".
 */
STN_CHECKED enum stn_err stn_parse_link(const char *text,
					struct stn_link *link_p);

/* stn_print_link: what stn_parse_link reads as this very link. */
#define STN_LINK_BYTES 96
void stn_print_link(const struct stn_link *link, char text[STN_LINK_BYTES]);

#endif
