#include "node/stats/json.h"

#include "node/stats/utf8.h"

/*
 * A trace has millions of members, so the text goes to the stream without locks
 * and without formats.
 */
static void
json_bytes(const char *bytes, size_t count, FILE *out)
{
	for (size_t i = 0; i < count; i++)
		putc_unlocked(bytes[i], out);
}

static bool
json_is_plain(unsigned char c)
{
	return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

/* The number of bytes of the first character that are written as they are. */
static size_t
json_plain(const char *text)
{
	return json_is_plain((unsigned char)*text) ? 1 : stn_utf8(text);
}

static void
write_text(const char *text, FILE *out)
{
	putc_unlocked('"', out);
	while (*text) {
		size_t plain = 0, more;

		while ((more = json_plain(text + plain)))
			plain += more;
		json_bytes(text, plain, out);
		text += plain;
		if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text++);
		else if (*text)
			fprintf(out, "\\u%04x", (unsigned char)*text++);
	}
	putc_unlocked('"', out);
}

/* Writes the decimal digits of @value, at least @least of them. */
static void
json_number(uint64_t value, int least, FILE *out)
{
	char digits[20]; /* of 2^64 - 1 */
	char *end = digits + sizeof(digits), *at = end;

	for (; value || least > 0; value /= 10, least--)
		*--at = (char)('0' + value % 10);
	json_bytes(at, (size_t)(end - at), out);
}

/* Begins a new line, unless the open object or array stands on one line. */
static void
json_line(const struct stn_json *json, unsigned indent)
{
	if (json->flat && json->depth > json->flat)
		return;
	putc_unlocked('\n', json->out);
	for (unsigned i = 0; i < indent; i++)
		json_bytes("  ", 2, json->out);
}

/* Begins a member, after a comma if needed, with its name. */
static void
json_begin(struct stn_json *json, const char *name)
{
	if (json->filled)
		putc_unlocked(',', json->out);
	if (json->depth)
		json_line(json, json->depth);
	json->filled = true;
	if (!name)
		return;
	write_text(name, json->out);
	json_bytes(": ", 2, json->out);
}

void
stn_json_open(struct stn_json *json, const char *name, char bracket)
{
	json_begin(json, name);
	putc_unlocked(bracket, json->out);
	json->depth++;
	json->filled = false;
}

void
stn_json_close(struct stn_json *json, char bracket)
{
	if (json->filled)
		json_line(json, json->depth - 1);
	json->depth--;
	putc_unlocked(bracket, json->out);
	json->filled = true;
	if (!json->depth)
		putc_unlocked('\n', json->out);
}

void
stn_json_integer(struct stn_json *json, const char *name, uint64_t value)
{
	json_begin(json, name);
	json_number(value, 1, json->out);
}

void
stn_json_signed(struct stn_json *json, const char *name, int64_t value)
{
	json_begin(json, name);
	if (value < 0)
		putc_unlocked('-', json->out);
	json_number(value < 0 ? -(uint64_t)value : (uint64_t)value, 1,
		    json->out);
}

void
stn_json_real(struct stn_json *json, const char *name, double value)
{
	/* Not with %f: a program may have set a locale with decimal commas. */
	uint64_t millionths = (uint64_t)(value * 1e6 + 0.5);

	json_begin(json, name);
	json_number(millionths / 1000000, 1, json->out);
	putc_unlocked('.', json->out);
	json_number(millionths % 1000000, 6, json->out);
}

void
stn_json_thousandths(struct stn_json *json, const char *name, uint64_t value)
{
	json_begin(json, name);
	json_number(value / 1000, 1, json->out);
	putc_unlocked('.', json->out);
	json_number(value % 1000, 3, json->out);
}

void
stn_json_bool(struct stn_json *json, const char *name, bool value)
{
	json_begin(json, name);
	fputs_unlocked(value ? "true" : "false", json->out);
}

void
stn_json_text(struct stn_json *json, const char *name, const char *text)
{
	json_begin(json, name);
	write_text(text, json->out);
}
