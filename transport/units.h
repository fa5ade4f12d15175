/*
 * units.h: reads numbers with units, as people write them. Except for
 * stn_parse_real, the parsers return STN_OK or STN_INVALID, and set their last
 * argument only on success. The text must consist of a number and its unit,
 * without spaces. Negative numbers, infinities and NaN, and results of 2^63 or
 * more are refused, except that a count may be up to UINT64_MAX. Any thread.
 */
#ifndef STN_TRANSPORT_UNITS_H
#define STN_TRANSPORT_UNITS_H

#include "transport/topology.h"
#include "transport/error.h"

/* The units, for messages. */
#define STN_DURATION_UNITS "ns, us, ms or s"
#define STN_BYTES_UNITS "B, KB, MB, GB, KiB, MiB or GiB"
#define STN_RATE_UNITS "B/s, KB/s, MB/s or GB/s"

/* stn_parse_count: "16", a whole number from @least to @most. */
STN_CHECKED enum stn_err stn_parse_count(const char *text, uint64_t least,
					 uint64_t most, uint64_t *value_p);

/*
 * stn_parse_real: as strtod, but with a decimal point in every locale, as a
 * program may have set one with decimal commas. The C library has the C locale
 * as a constant, so that this can't fail.
 */
double stn_parse_real(const char *text, char **end_p);

/* stn_parse_duration: "100ms", "1.5s", "20us", "5ns" or "0", in nanoseconds. */
STN_CHECKED enum stn_err stn_parse_duration(const char *text,
					    uint64_t *value_p);

/* stn_parse_bytes: "64MiB", "100KB" (of 1000 bytes) or "512", in bytes. */
STN_CHECKED enum stn_err stn_parse_bytes(const char *text, uint64_t *value_p);

/*
 * stn_parse_link: "LATENCY,BANDWIDTH,JITTER,LOSS", such as
 * "100ms,100KB/s,5ms,2%". The last numbers may be left out: one, two or all
 * three of them. With a jitter the bandwidth may be "none", which means
 * unlimited. The loss is at least 0 % and less than 100 %. "none" alone is a
 * link of zeros.
 */
STN_CHECKED enum stn_err stn_parse_link(const char *text,
					struct stn_link *link_p);

/* stn_print_link: writes a text that stn_parse_link reads as the same link. */
#define STN_LINK_BYTES 112
void stn_print_link(const struct stn_link *link, char text[STN_LINK_BYTES]);

#endif
