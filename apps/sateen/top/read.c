#include "apps/sateen/top/read.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "sateen_"
#define LINE_MOST 4096 /* bytes of a line */
#define LABELS_MOST 8

struct label {
	const char *name, *value;
};

struct line {
	const char *name; /* without the prefix */
	struct label labels[LABELS_MOST];
	size_t label_count;
	double value;
};

/* A metric without labels, and its place in the run. */
static const struct {
	const char *name;
	size_t offset;
} of_run[] = {
	{ "run_seconds", offsetof(struct top_run, seconds) },
	{ "nodes", offsetof(struct top_run, nodes) },
	{ "clusters", offsetof(struct top_run, clusters) },
	{ "deaths_total", offsetof(struct top_run, deaths) },
	{ "left_total", offsetof(struct top_run, left) },
	{ "joined_total", offsetof(struct top_run, joined) },
	{ "progress_done", offsetof(struct top_run, done) },
	{ "progress_known", offsetof(struct top_run, known) },
	{ "progress_left_seconds", offsetof(struct top_run, left_seconds) },
};

/* A metric of a node. Several lines of one metric add up. */
static const struct {
	const char *name;
	size_t offset;
} of_node[] = {
	{ "workers", offsetof(struct top_node, workers) },
	{ "steals_total", offsetof(struct top_node, steals) },
	{ "steal_requests_refused_total", offsetof(struct top_node, refused) },
	{ "queue_records", offsetof(struct top_node, queue) },
	{ "messages_sent_total", offsetof(struct top_node, messages) },
	{ "sent_bytes_total", offsetof(struct top_node, bytes) },
};

static const char *const states[] = { "working", "communicating", "idle" };

/* Ends the word at @at with a zero byte; returns what follows, or NULL. */
static char *
end_word(char *at, char end)
{
	at += strspn(at, "abcdefghijklmnopqrstuvwxyz_");
	if (*at != end)
		return NULL;
	*at = '\0';
	return at + 1;
}

/* Takes the escapes out of a quoted value; returns what follows, or NULL. */
static char *
end_quoted(char *at)
{
	char *to = at;

	for (; *at && *at != '"'; at++) {
		if (*at == '\\' && !*++at)
			return NULL;
		*to++ = *at;
	}
	if (!*at)
		return NULL;
	*to = '\0';
	return at + 1;
}

/* Reads the labels behind a {; returns what follows the }, or NULL. */
static char *
read_labels(struct line *line, char *at)
{
	while (line->label_count < LABELS_MOST) {
		struct label *label = &line->labels[line->label_count++];

		label->name = at;
		at = end_word(at, '=');
		if (!at || *at != '"')
			return NULL;
		label->value = ++at;
		at = end_quoted(at);
		if (!at)
			return NULL;
		if (*at == '}')
			return at + 1;
		if (*at++ != ',')
			return NULL;
	}
	return NULL;
}

/* Reads "sateen_NAME{LABELS} VALUE", and changes the text for that. */
static bool
read_line(struct line *line, char *text)
{
	char *at = text + strspn(text, "abcdefghijklmnopqrstuvwxyz_"), *end;
	bool labels = *at == '{';

	line->name = text + strlen(PREFIX);
	line->label_count = 0;
	if (*at != ' ' && !labels)
		return false;
	*at++ = '\0';
	if (labels)
		at = read_labels(line, at);
	if (!at || (labels && *at++ != ' '))
		return false;
	line->value = strtod(at, &end);
	return end != at && !*end && isfinite(line->value);
}

static const char *
label_of(const struct line *line, const char *name)
{
	for (size_t i = 0; i < line->label_count; i++)
		if (!strcmp(line->labels[i].name, name))
			return line->labels[i].value;
	return "";
}

/* The number in a label; false if it is none. */
static bool
label_number(const struct line *line, const char *name, uint32_t *number_p)
{
	const char *text = label_of(line, name);
	size_t digits = strspn(text, "0123456789");

	*number_p = (uint32_t)strtoul(text, NULL, 10);
	return digits && digits < 10 && !text[digits];
}

/* Most lines belong to the node behind that of the line before. */
static struct top_node *
node_of(struct top_run *run, uint32_t rank, size_t *hint)
{
	struct top_node *list;

	for (size_t i = 0; i < run->count; i++) {
		size_t at = (*hint + i) % run->count;

		if (run->list[at].rank == rank) {
			*hint = at + 1;
			return &run->list[at];
		}
	}
	if (run->count == TOP_NODES_MOST)
		return NULL;
	if (run->count == run->room) {
		size_t room = 2 * run->room + 16;

		list = reallocarray(run->list, room, sizeof(list[0]));
		if (!list)
			return NULL;
		run->list = list;
		run->room = room;
	}
	run->list[run->count] = (struct top_node){ .rank = rank };
	return &run->list[run->count++];
}

static void
take_node(struct top_node *node, const struct line *line)
{
	if (!strcmp(line->name, "node_up"))
		node->up = line->value > 0;
	if (!strcmp(line->name, "bound_value")) {
		node->bounded = true;
		node->bound = line->value;
	}
	for (int i = 0; i < TOP_STATES; i++)
		if (!strcmp(line->name, "worker_seconds_total") &&
		    !strcmp(label_of(line, "state"), states[i]))
			node->seconds[i] = line->value;
	for (size_t i = 0; i < sizeof(of_node) / sizeof(of_node[0]); i++)
		if (!strcmp(line->name, of_node[i].name))
			*(double *)((char *)node + of_node[i].offset) +=
				line->value;
}

static void
copy_name(char name[TOP_NAME], const char *from)
{
	size_t i = 0;

	for (; i < TOP_NAME - 1 && from[i]; i++)
		name[i] = isprint((unsigned char)from[i]) ? from[i] : '?';
	name[i] = '\0';
}

static bool
take_name(struct top_run *run, const struct line *line)
{
	struct top_cluster *named, *cluster;

	if (run->named_count == TOP_NODES_MOST)
		return false;
	named = reallocarray(run->named, run->named_count + 1,
			     sizeof(named[0]));
	if (!named)
		return false;
	run->named = named;
	cluster = &named[run->named_count];
	if (!label_number(line, "cluster", &cluster->number))
		return false;
	copy_name(cluster->name, label_of(line, "name"));
	run->named_count++;
	return true;
}

static bool
take_line(struct top_run *run, const struct line *line, size_t *hint)
{
	struct top_node *node;
	uint32_t rank, cluster;

	if (!strcmp(line->name, "info")) {
		copy_name(run->program, label_of(line, "program"));
		copy_name(run->balancer, label_of(line, "balancer"));
	}
	for (size_t i = 0; i < sizeof(of_run) / sizeof(of_run[0]); i++)
		if (!line->label_count && !strcmp(line->name, of_run[i].name))
			*(double *)((char *)run + of_run[i].offset) =
				line->value;
	if (!strcmp(line->name, "cluster_info"))
		return take_name(run, line);
	if (!*label_of(line, "node"))
		return true;
	if (!label_number(line, "node", &rank) ||
	    !label_number(line, "cluster", &cluster))
		return false;
	node = node_of(run, rank, hint);
	if (!node)
		return false;
	node->cluster = cluster;
	take_node(node, line);
	return true;
}

bool
top_read(struct top_run *run, const char *text, size_t size)
{
	const char *end = text + size, *next;
	char copy[LINE_MOST];
	struct line line;
	size_t hint = 0;

	*run = (struct top_run){ .left_seconds = -1 };
	for (; text < end; text = next + 1) {
		size_t length;

		next = memchr(text, '\n', (size_t)(end - text));
		if (!next)
			return false; /* the text is cut off */
		length = (size_t)(next - text);
		if (length >= sizeof(copy) || memchr(text, '\0', length))
			return false;
		memcpy(copy, text, length);
		copy[length] = '\0';
		if (strncmp(copy, PREFIX, strlen(PREFIX)))
			continue; /* a comment, or another program's */
		if (!read_line(&line, copy) || !take_line(run, &line, &hint))
			return false;
	}
	return *run->program;
}

void
top_fini(struct top_run *run)
{
	free(run->list);
	free(run->named);
	run->list = NULL;
	run->named = NULL;
	run->named_count = 0;
	run->count = run->room = 0;
}

const struct top_node *
top_find(const struct top_run *run, uint32_t rank)
{
	for (size_t i = 0; i < run->count; i++)
		if (run->list[i].rank == rank)
			return &run->list[i];
	return NULL;
}

const char *
top_name(const struct top_run *run, uint32_t cluster)
{
	for (size_t i = 0; i < run->named_count; i++)
		if (run->named[i].number == cluster)
			return run->named[i].name;
	return NULL;
}
