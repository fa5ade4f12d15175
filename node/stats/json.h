/*
 * json.h: writes JSON, one member at a time. It writes only counts and short
 * texts, so a library, which each program would have to bring, is not worth it.
 * One thread at a time uses the stream.
 */
#ifndef STN_NODE_STATS_JSON_H
#define STN_NODE_STATS_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * A JSON text that is being written. Begins as { .out = FILE }, perhaps
 * with .flat. In the calls below, @name is NULL for elements of an array.
 */
struct stn_json {
	FILE *out;
	/* Objects and arrays deeper than this stand on one line; 0: none. */
	unsigned flat;
	unsigned depth;
	bool filled; /* the object or array has a member already */
};

/*
 * stn_json_open, _close: begin and end an object, '{' and '}', or an array, '['
 * and ']'.
 */
void stn_json_open(struct stn_json *json, const char *name, char bracket);
void stn_json_close(struct stn_json *json, char bracket);

void stn_json_integer(struct stn_json *json, const char *name, uint64_t value);
void stn_json_signed(struct stn_json *json, const char *name, int64_t value);

/* stn_json_real: writes six decimals. @value is from 0 to 10^12. */
void stn_json_real(struct stn_json *json, const char *name, double value);

/* stn_json_thousandths: writes @value / 1000, with three decimals. */
void stn_json_thousandths(struct stn_json *json, const char *name,
			  uint64_t value);

void stn_json_bool(struct stn_json *json, const char *name, bool value);

/*
 * stn_json_text: writes a string. Bytes outside ASCII that are no UTF-8 are
 * taken as Latin-1.
 */
void stn_json_text(struct stn_json *json, const char *name, const char *text);

#endif
