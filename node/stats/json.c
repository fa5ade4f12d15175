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

/* Begins a new line, unless the open object or array stands on one line. */
static void
json_line(const struct stn_json *json, unsigned indent)
{
	if (!json->flat || json->depth <= json->flat)
		fprintf(json->out, "\n%*s", 2 * (int)indent, "");
}

/* Begins a member, after a comma if needed, with its name. */
static void
json_begin(struct stn_json *json, const char *name)
{
	if (json->filled)
		fputc(',', json->out);
	if (json->depth)
		json_line(json, json->depth);
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
	if (json->filled)
		json_line(json, json->depth - 1);
	json->depth--;
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
stn_json_signed(struct stn_json *json, const char *name, int64_t value)
{
	json_begin(json, name);
	fprintf(json->out, "%" PRId64, value);
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
stn_json_thousandths(struct stn_json *json, const char *name, uint64_t value)
{
	json_begin(json, name);
	fprintf(json->out, "%" PRIu64 ".%03u", value / 1000,
		(unsigned)(value % 1000));
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
