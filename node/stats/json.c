#include "node/stats/json.h"

#include <inttypes.h>

static void
write_text(const char *text, FILE *out)
{
	fputc('"', out);
	for (const unsigned char *at = (const unsigned char *)text; *at; at++)
		if (*at == '"' || *at == '\\')
			fprintf(out, "\\%c", *at);
		else if (*at < ' ' || *at > '~')
			fprintf(out, "\\u%04x", *at);
		else
			fputc(*at, out);
	fputc('"', out);
}

/* Begins a new line with the name of a member, after a comma if needed. */
static void
json_begin(struct stn_json *json, const char *name)
{
	if (json->filled)
		fputc(',', json->out);
	if (json->depth)
		fprintf(json->out, "\n%*s", 2 * (int)json->depth, "");
	json->filled = true;
	if (!name)
		return;
	write_text(name, json->out);
	fputs(": ", json->out);
}

void
stn_json_open(struct stn_json *json, const char *name, char bracket)
{
	json_begin(json, name);
	fputc(bracket, json->out);
	json->depth++;
	json->filled = false;
}

void
stn_json_close(struct stn_json *json, char bracket)
{
	json->depth--;
	if (json->filled)
		fprintf(json->out, "\n%*s", 2 * (int)json->depth, "");
	fputc(bracket, json->out);
	json->filled = true;
	if (!json->depth)
		fputc('\n', json->out);
}

void
stn_json_integer(struct stn_json *json, const char *name, uint64_t value)
{
	json_begin(json, name);
	fprintf(json->out, "%" PRIu64, value);
}

void
stn_json_real(struct stn_json *json, const char *name, double value)
{
	/* Not with %f: a program may have set a locale with decimal commas. */
	uint64_t millionths = (uint64_t)(value * 1e6 + 0.5);

	json_begin(json, name);
	fprintf(json->out, "%" PRIu64 ".%06" PRIu64, millionths / 1000000,
		millionths % 1000000);
}

void
stn_json_bool(struct stn_json *json, const char *name, bool value)
{
	json_begin(json, name);
	fputs(value ? "true" : "false", json->out);
}

void
stn_json_text(struct stn_json *json, const char *name, const char *text)
{
	json_begin(json, name);
	write_text(text, json->out);
}
