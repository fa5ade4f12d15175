#ifdef HAVE_CONFIG_H
#include <config.h> /* steal/ has one of its own */
#endif

#include "steal/launch/control.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GREETING "sateen agent "
#define PROTOCOL "1" /* counts changes of control.h */
#define OUR_VERSION PACKAGE_VERSION "/" PROTOCOL

void
stn_control_hello(char line[STN_CONTROL_HELLO], uint32_t nodes)
{
	snprintf(line, STN_CONTROL_HELLO,
		 GREETING OUR_VERSION ": %" PRIu32 " nodes\n", nodes);
}

enum stn_err
stn_control_greet(const char *line, uint32_t *nodes_p, struct stn_why *why)
{
	size_t length;
	char *end;

	if (strncmp(line, GREETING, strlen(GREETING)))
		return STN_MISSING;
	line += strlen(GREETING);
	length = strcspn(line, ":");
	if (length != strlen(OUR_VERSION) || memcmp(line, OUR_VERSION, length))
		return stn_because(why, STN_INVALID,
				   "its Sateen is version %.*s, and this is "
				   "%s; install the same",
				   length < 40 ? (int)length : 40, line,
				   OUR_VERSION);
	if (!line[length])
		return STN_MISSING;
	*nodes_p = (uint32_t)strtoul(line + length + 1, &end, 10);
	if (!*nodes_p || strcmp(end, " nodes"))
		return STN_MISSING;
	return STN_OK;
}

bool
stn_control_add(struct stn_bytes *bytes, enum stn_control_type type,
		uint32_t about, const void *body, size_t size)
{
	const uint32_t head[] = { type, about, (uint32_t)size };

	return stn_bytes_add(bytes, head, sizeof(head)) &&
	       stn_bytes_add(bytes, body, size);
}

/* The most bytes that may follow a head; -1: there is no such type. */
static int64_t
most_of(uint32_t type)
{
	switch (type) {
	case STN_CONTROL_START:
	case STN_CONTROL_TELL:
		return STN_CONTROL_TEXTS;
	case STN_CONTROL_INPUT:
	case STN_CONTROL_OUTPUT:
		return STN_CONTROL_LINES;
	case STN_CONTROL_SAID:
		return sizeof(uint32_t) + STN_CARD_BYTES;
	case STN_CONTROL_ENDED:
		return sizeof(uint32_t);
	case STN_CONTROL_TAKEN:
		return 0;
	case STN_CONTROL_FAILED:
		return sizeof(struct stn_why) - 1;
	}
	return -1;
}

static size_t
least_of(uint32_t type)
{
	return type == STN_CONTROL_SAID || type == STN_CONTROL_ENDED ||
			       type == STN_CONTROL_START
		       ? sizeof(uint32_t)
		       : 0;
}

enum stn_err
stn_control_parse(const unsigned char *bytes, size_t size,
		  struct stn_control *control_p)
{
	uint32_t head[3];

	if (size < sizeof(head))
		return STN_MISSING;
	memcpy(head, bytes, sizeof(head));
	if ((int64_t)head[2] > most_of(head[0]) || head[2] < least_of(head[0]))
		return STN_MALFORMED;
	if (size - sizeof(head) < head[2])
		return STN_MISSING;
	*control_p = (struct stn_control){ head[0], head[1], head[2],
					   bytes + sizeof(head) };
	return STN_OK;
}

static bool
add_texts(struct stn_bytes *bytes, char *const *texts)
{
	for (; *texts; texts++)
		if (!stn_bytes_add(bytes, *texts, strlen(*texts) + 1))
			return false;
	return true;
}

bool
stn_control_start_add(struct stn_bytes *bytes,
		      const struct stn_control_start *start)
{
	struct stn_bytes body = { NULL };
	bool added;

	added = stn_bytes_add(&body, &start->count, sizeof(start->count)) &&
		stn_bytes_add(&body, start->directory,
			      strlen(start->directory) + 1) &&
		add_texts(&body, start->settings) &&
		stn_bytes_add(&body, "", 1) &&
		add_texts(&body, start->program) &&
		stn_bytes_count(&body) <= STN_CONTROL_TEXTS &&
		stn_control_add(bytes, STN_CONTROL_START, start->first,
				stn_bytes_front(&body), stn_bytes_count(&body));
	stn_bytes_fini(&body);
	return added;
}

/* Takes the text at *at_p, which ends before @end, or NULL. */
static const char *
next_text(const char **at_p, const char *end)
{
	const char *text = *at_p;

	if (text == end)
		return NULL;
	*at_p += strlen(text) + 1;
	return text;
}

/* All texts up to an empty one, or the last; NULL if there is no memory. */
static char **
take_texts(const char **at_p, const char *end, bool to_empty)
{
	const char *from = *at_p, *text;
	size_t count = 0;
	char **texts;

	while ((text = next_text(at_p, end)) && (*text || !to_empty))
		count++;
	texts = calloc(count + 1, sizeof(texts[0]));
	for (size_t i = 0; texts && i < count; i++)
		texts[i] = (char *)next_text(&from, end);
	return texts;
}

enum stn_err
stn_control_start_parse(const struct stn_control *control,
			struct stn_control_start *start_p)
{
	const char *at = (const char *)control->body + sizeof(uint32_t);
	const char *end = (const char *)control->body + control->size;
	struct stn_control_start start = { .first = control->about };
	enum stn_err err;

	memcpy(&start.count, control->body, sizeof(start.count));
	*start_p = start;
	if (at == end || end[-1] || !start.count)
		return STN_MALFORMED;
	start.directory = next_text(&at, end);
	start.settings = take_texts(&at, end, true);
	start.program = take_texts(&at, end, false);
	if (start.settings && start.program && start.program[0]) {
		*start_p = start;
		return STN_OK;
	}
	err = start.settings && start.program ? STN_MALFORMED : STN_NO_MEMORY;
	free(start.settings);
	free(start.program);
	return err;
}
