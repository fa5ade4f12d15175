/*
 * read.c: yajl calls a function for each token, so that a trace of any size
 * needs little memory. The names of the objects around a value say which member
 * of which event it is.
 */
#include "apps/sateen/report/read.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <yajl/yajl_parse.h>

#define DEPTH 8
#define CHUNK 65536

struct parser {
	const struct reader *reader;
	char path[DEPTH][TEXT_BYTES]; /* the member at each depth */
	unsigned depth;
	struct event event;
	bool refused; /* the reader has ended the reading */
};

static void
copy(char to[TEXT_BYTES], const unsigned char *text, size_t length)
{
	if (length >= TEXT_BYTES)
		length = TEXT_BYTES - 1;
	memcpy(to, text, length);
	to[length] = '\0';
}

/*
 * A decimal number of microseconds, as whole nanoseconds: a double would not
 * hold the times of a long run. Stops at anything but digits and a point.
 */
static uint64_t
nanoseconds(const char *text)
{
	char *end;
	uint64_t ns = strtoull(text, &end, 10) * 1000, unit = 100;

	for (end += *end == '.'; isdigit((unsigned char)*end) && unit; end++) {
		ns += (uint64_t)(*end - '0') * unit;
		unit /= 10;
	}
	return ns;
}

static bool
in(const struct parser *parser, unsigned depth, const char *name)
{
	return !strcmp(parser->path[depth], name);
}

static void
set_argument(struct parser *parser, const char *member, const char *text)
{
	struct event *event = &parser->event;

	if (!strcmp(member, "node")) {
		event->node = strtoull(text, NULL, 10);
		event->has_node = true;
	} else if (!strcmp(member, "bytes")) {
		event->bytes = strtoull(text, NULL, 10);
	} else if (!strcmp(member, "name")) {
		memcpy(event->label, text, TEXT_BYTES);
	}
}

static void
set_member(struct parser *parser, const char *member, const char *text)
{
	struct event *event = &parser->event;

	if (!strcmp(member, "ph"))
		event->phase = text[0];
	else if (!strcmp(member, "pid"))
		event->pid = strtoull(text, NULL, 10);
	else if (!strcmp(member, "tid"))
		event->tid = strtoull(text, NULL, 10);
	else if (!strcmp(member, "ts"))
		event->at_ns = nanoseconds(text);
	else if (!strcmp(member, "dur"))
		event->took_ns = nanoseconds(text);
	else if (!strcmp(member, "id")) /* in traces of Sateen 1.0 */
		event->id = strtoull(text, NULL, 0);
	else if (!strcmp(member, "name"))
		memcpy(event->name, text, TEXT_BYTES);
	else if (!strcmp(member, "cat"))
		memcpy(event->category, text, TEXT_BYTES);
}

/* The depths: the file 1, its member 2, an event 3, its objects 4. */
static int
take_value(void *arg, const unsigned char *value, size_t length)
{
	struct parser *parser = arg;
	char text[TEXT_BYTES] = "";

	copy(text, value, length);
	if (parser->depth > 1 && in(parser, 1, "traceEvents")) {
		if (parser->depth == 3)
			set_member(parser, parser->path[3], text);
		else if (parser->depth == 4 && in(parser, 3, "args"))
			set_argument(parser, parser->path[4], text);
		else if (parser->depth == 4 && in(parser, 3, "id2"))
			parser->event.id = strtoull(text, NULL, 0); /* "0x1f" */
	} else if (parser->depth > 1 && in(parser, 1, "otherData")) {
		parser->refused = !parser->reader->about(parser->reader->arg,
							 parser->path[2], text);
	}
	return !parser->refused;
}

static int
take_number(void *arg, const char *value, size_t length)
{
	return take_value(arg, (const unsigned char *)value, length);
}

static int
take_bool(void *arg, int value)
{
	return take_number(arg, value ? "true" : "false", value ? 4 : 5);
}

static int
take_null(void *arg)
{
	(void)arg;
	return 1;
}

static int
take_key(void *arg, const unsigned char *key, size_t length)
{
	struct parser *parser = arg;

	copy(parser->path[parser->depth], key, length);
	return 1;
}

static int
open_any(void *arg)
{
	struct parser *parser = arg;

	if (++parser->depth >= DEPTH)
		return 0;
	if (parser->depth == 3)
		parser->event = (struct event){ .phase = 0 };
	parser->path[parser->depth][0] = '\0';
	return 1;
}

static int
close_any(void *arg)
{
	struct parser *parser = arg;

	if (parser->depth == 3 && in(parser, 1, "traceEvents"))
		parser->refused = !parser->reader->event(parser->reader->arg,
							 &parser->event);
	parser->depth--;
	return !parser->refused;
}

static const yajl_callbacks callbacks = {
	.yajl_null = take_null,
	.yajl_boolean = take_bool,
	.yajl_number = take_number,
	.yajl_string = take_value,
	.yajl_start_map = open_any,
	.yajl_map_key = take_key,
	.yajl_end_map = close_any,
	.yajl_start_array = open_any,
	.yajl_end_array = close_any,
};

static yajl_status
parse_all(yajl_handle yajl, FILE *file)
{
	unsigned char chunk[CHUNK];
	yajl_status status = yajl_status_ok;
	size_t got;

	while (status == yajl_status_ok &&
	       (got = fread(chunk, 1, sizeof(chunk), file)))
		status = yajl_parse(yajl, chunk, got);
	return status == yajl_status_ok ? yajl_complete_parse(yajl) : status;
}

const char *
read_events(FILE *file, const struct reader *reader)
{
	struct parser parser = { .reader = reader };
	yajl_handle yajl = yajl_alloc(&callbacks, NULL, &parser);
	yajl_status status;

	if (!yajl)
		return "out of memory";
	status = parse_all(yajl, file);
	yajl_free(yajl);
	if (ferror(file))
		return "it can't be read";
	if (parser.refused)
		return "it is no trace of Sateen";
	return status == yajl_status_ok ? NULL : "it is no complete JSON";
}
