#include "emul/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "transport/lines.h"
#include "transport/units.h"

#define BLANKS " \t\r\n"

static const char *const words[] = {
	[STN_SCHEDULE_KILL] = "kill",	    [STN_SCHEDULE_VANISH] = "vanish",
	[STN_SCHEDULE_SUSPECT] = "suspect", [STN_SCHEDULE_LEAVE] = "leave",
	[STN_SCHEDULE_JOIN] = "join",
};

/* A file of events while it is parsed. */
struct schedule_reader {
	const struct stn_topology *topology;
	const char *name; /* for messages */
	unsigned line;	  /* number of the current line, from 1 */
	struct stn_schedule *schedule;
	struct stn_why *why;
};

/* Says what is wrong with the current line. */
static enum stn_err
schedule_refuse(const struct schedule_reader *reader, const char *text)
{
	return stn_because(reader->why, STN_INVALID, "%.100s, line %u: %s",
			   reader->name, reader->line, text);
}

static bool
parse_what(const char *word, enum stn_schedule_what *what)
{
	for (size_t i = 0; word && i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(word, words[i]))
			continue;
		*what = (enum stn_schedule_what)i;
		return true;
	}
	return false;
}

/* Parses "7", or "3-5" if @range; numbers are less than @count. */
static bool
parse_numbers(char *text, bool range, uint32_t count,
	      struct stn_schedule_event *event)
{
	char *dash = range ? strchr(text, '-') : NULL;
	uint64_t first, last;

	if (dash)
		*dash = '\0';
	if (stn_parse_count(text, 0, count - 1, &first) ||
	    stn_parse_count(dash ? dash + 1 : text, first, count - 1, &last))
		return false;
	event->first = (uint32_t)first;
	event->last = (uint32_t)last;
	return true;
}

/* Parses "node 7", "nodes 3-5" or "cluster 2". */
static enum stn_err
parse_whom(const struct schedule_reader *reader, const char *kind,
	   char *numbers, struct stn_schedule_event *event)
{
	const struct stn_topology *topology = reader->topology;
	bool cluster = !strcmp(kind, "cluster");
	uint32_t first, late;
	char text[100];

	if (parse_numbers(numbers, !strcmp(kind, "nodes"),
			  cluster ? topology->clusters : topology->nodes,
			  event)) {
		if (!cluster)
			return STN_OK;
		event->first = stn_cluster_first(topology, event->last);
		late = stn_cluster_late(topology, event->last, &first);
		event->last = event->first - 1 - late +
			      stn_cluster_size(topology, event->last);
		return STN_OK;
	}
	if (cluster)
		snprintf(text, sizeof(text),
			 "not a cluster; clusters are from 0 to %u",
			 topology->clusters - 1);
	else
		snprintf(text, sizeof(text),
			 "not a node, or nodes such as 3-5; nodes are from 0 "
			 "to %u",
			 topology->nodes - 1);
	return schedule_refuse(reader, text);
}

static enum stn_err
schedule_add(const struct schedule_reader *reader,
	     const struct stn_schedule_event *event)
{
	struct stn_schedule *schedule = reader->schedule;
	size_t before = schedule->count;
	struct stn_schedule_event *events =
		reallocarray(schedule->events, before + 1, sizeof(events[0]));

	if (!events)
		return stn_because(reader->why, STN_NO_MEMORY,
				   "out of memory for events");
	schedule->events = events;
	schedule->count++;
	for (; before && events[before - 1].at_ns > event->at_ns; before--)
		events[before] = events[before - 1];
	events[before] = *event;
	return STN_OK;
}

/* What happens to a cluster happens to its late ranks, too. */
static enum stn_err
schedule_add_late(const struct schedule_reader *reader,
		  struct stn_schedule_event event)
{
	uint32_t cluster = stn_cluster_of(reader->topology, event.first);
	uint32_t count =
		stn_cluster_late(reader->topology, cluster, &event.first);

	event.last = event.first + count - 1;
	return count ? schedule_add(reader, &event) : STN_OK;
}

static bool
whom_known(const char *kind)
{
	return kind && (!strcmp(kind, "node") || !strcmp(kind, "nodes") ||
			!strcmp(kind, "cluster"));
}

static enum stn_err
schedule_parse_line(void *arg, char *line, size_t length)
{
	struct schedule_reader *reader = arg;
	bool whole = strlen(line) == length;
	struct stn_schedule_event event;
	char *time, *kind, *numbers, *rest;
	enum stn_err err;

	reader->line++;
	line[strcspn(line, "#")] = '\0';
	time = strtok_r(line, BLANKS, &rest);
	if (whole && !time)
		return STN_OK;
	if (!whole || stn_parse_duration(time, &event.at_ns))
		return schedule_refuse(reader,
				       "not TIME WHAT WHOM, such as 1.5s kill "
				       "node 7");
	if (!parse_what(strtok_r(NULL, BLANKS, &rest), &event.what))
		return schedule_refuse(reader,
				       "after the time write kill, vanish, "
				       "suspect, leave or join");
	kind = strtok_r(NULL, BLANKS, &rest);
	numbers = strtok_r(NULL, BLANKS, &rest);
	if (!whom_known(kind) || !numbers || strtok_r(NULL, BLANKS, &rest))
		return schedule_refuse(reader,
				       "end the line by node 7, nodes 3-5 or "
				       "cluster 2");
	err = parse_whom(reader, kind, numbers, &event);
	if (!err)
		err = schedule_add(reader, &event);
	return err || strcmp(kind, "cluster")
		       ? err
		       : schedule_add_late(reader, event);
}

enum stn_err
stn_schedule_parse(FILE *in, const char *name,
		   const struct stn_topology *topology,
		   struct stn_schedule *schedule, struct stn_why *why)
{
	struct schedule_reader reader = { topology, name, 0, schedule, why };
	enum stn_err err;

	*schedule = (struct stn_schedule){ NULL, 0 };
	err = stn_lines_read(in, name, schedule_parse_line, &reader, why);
	if (err)
		stn_schedule_fini(schedule);
	return err;
}

enum stn_err
stn_schedule_read(const char *path, const struct stn_topology *topology,
		  struct stn_schedule *schedule, struct stn_why *why)
{
	enum stn_err err;
	FILE *in;

	*schedule = (struct stn_schedule){ NULL, 0 };
	if (!strcmp(path, "none"))
		return STN_OK;
	err = stn_lines_open(path, "events", &in, why);
	if (err)
		return err;
	err = stn_schedule_parse(in, path, topology, schedule, why);
	fclose(in);
	return err;
}

void
stn_schedule_fini(struct stn_schedule *schedule)
{
	free(schedule->events);
	*schedule = (struct stn_schedule){ NULL, 0 };
}
