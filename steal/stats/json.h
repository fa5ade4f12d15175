/*
 * json.h: writes JSON, a member at a time. What is written are counts and a few
 * words; for that no program shall have to bring a library.
 */
#ifndef STN_STEAL_STATS_JSON_H
#define STN_STEAL_STATS_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Begins as { .out = FILE }; @name is NULL for what stands in an array. */
struct stn_json {
	FILE *out;
	unsigned depth;
	bool filled; /* there is something before, in the same object */
};

/* stn_json_open, _close: an object, '{' and '}', or an array, '[' and ']'. */
void stn_json_open(struct stn_json *json, const char *name, char bracket);
void stn_json_close(struct stn_json *json, char bracket);

void stn_json_integer(struct stn_json *json, const char *name, uint64_t value);

/* stn_json_real: with six decimals; @value is from 0 to 10^12. */
void stn_json_real(struct stn_json *json, const char *name, double value);

void stn_json_bool(struct stn_json *json, const char *name, bool value);

/* stn_json_text: bytes that are no ASCII are taken for Latin-1. */
void stn_json_text(struct stn_json *json, const char *name, const char *text);

#endif
