#ifdef HAVE_CONFIG_H
#include <config.h> /* in brackets: "config.h" could find another one */
#endif

#include "launch/run/agent_protocol.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GREETING "sateen agent "
/* Raised when agent_protocol.h or wireup_frame.h change. */
#define PROTOCOL "7"
#define OUR_VERSION PACKAGE_VERSION "/" PROTOCOL

void
stn_agent_greeting_write(char line[STN_AGENT_GREETING], uint32_t nodes)
{
	snprintf(line, STN_AGENT_GREETING,
		 "\n" GREETING OUR_VERSION ": %" PRIu32 " nodes\n", nodes);
}

enum stn_err
stn_agent_greeting_read(const char *line, uint32_t *nodes_p,
			struct stn_why *why)
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

static bool
add_texts(struct stn_bytes *bytes, char *const *texts)
{
	for (; *texts; texts++)
		if (!stn_bytes_add(bytes, *texts, strlen(*texts) + 1))
			return false;
	return true;
}

bool
stn_agent_start_add(struct stn_bytes *bytes,
		    const struct stn_agent_start *start)
{
	struct stn_bytes body = { NULL };
	bool added;

	added = stn_bytes_add(&body, &start->count, sizeof(start->count)) &&
		stn_bytes_add(&body, start->directory,
			      strlen(start->directory) + 1) &&
		add_texts(&body, start->settings) &&
		stn_bytes_add(&body, "", 1) &&
		add_texts(&body, start->program) &&
		stn_wireup_frame_add(bytes, STN_WIREUP_START, start->first,
				     stn_bytes_front(&body),
				     stn_bytes_count(&body));
	stn_bytes_fini(&body);
	return added;
}

/* Returns the text at *at_p and moves *at_p behind it; NULL at @end. */
static const char *
next_text(const char **at_p, const char *end)
{
	const char *text = *at_p;

	if (text == end)
		return NULL;
	*at_p += strlen(text) + 1;
	return text;
}

/*
 * Returns an array of the texts up to @end or, if @to_empty, up to an empty
 * text. NULL if there is no memory.
 */
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
stn_agent_start_parse(const struct stn_wireup_frame *frame,
		      struct stn_agent_start *start_p)
{
	const char *at = (const char *)frame->body + sizeof(uint32_t);
	const char *end = (const char *)frame->body + frame->head.size;
	struct stn_agent_start start = { .first = frame->head.rank };
	enum stn_err err;

	memcpy(&start.count, frame->body, sizeof(start.count));
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
