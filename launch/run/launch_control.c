#include "launch/run/launch_control.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "launch/run/launch_late.h"
#include "launch/run/launch_late_hosts.h"
#include "transport/units.h"

#define TEXT_BYTES 400

/* Says a line to the client, or ends its request with an error. */
static void control_refuse(struct launch *launch, uint64_t number,
			   const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void
control_refuse(struct launch *launch, uint64_t number, const char *format, ...)
{
	char text[TEXT_BYTES];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	stn_control_end(launch->control, number, text);
}

/* Writes names of hosts, "a, b, ...", to @text. */
static const char *
list_hosts(const struct launch *launch, char *text, size_t room)
{
	size_t length = 0;

	if (!launch->hosts.count)
		return "this host";
	*text = '\0';
	for (uint32_t i = 0; i < launch->hosts.count; i++) {
		if (length + strlen(launch->hosts.list[i].name) + 6 > room) {
			strcpy(text + length, ",...");
			break;
		}
		length += (size_t)sprintf(text + length, "%s%s", i ? "," : "",
					  launch->hosts.list[i].name);
	}
	return text;
}

static void
answer_list(struct launch *launch, uint64_t number)
{
	char text[TEXT_BYTES], hosts[100], since[40];
	uint32_t nodes = launch->survives ? launch->sequencer.members.living
					  : launch->processes;

	strftime(since, sizeof(since), "%Y-%m-%d %H:%M:%S",
		 localtime(&launch->began));
	snprintf(text, sizeof(text), "%-8ld %6" PRIu32 "  %s  %-20s %s",
		 (long)getpid(), nodes, since,
		 list_hosts(launch, hosts, sizeof(hosts)), launch->program[0]);
	stn_control_say(launch->control, number, text);
	stn_control_end(launch->control, number, NULL);
}

/* "add nodes K" or "add hosts FILE" */
static void
asked_add(struct launch *launch, const struct stn_control_request *request)
{
	uint64_t count;

	if (request->count == 3 && !strcmp(request->words[1], "nodes") &&
	    !stn_parse_count(request->words[2], 1, UINT32_MAX, &count))
		launch_late_asked(launch, request->number, count);
	else if (request->count == 3 && !strcmp(request->words[1], "hosts"))
		launch_late_hosts_asked(launch, request->number,
					request->words[2]);
	else
		control_refuse(launch, request->number,
			       "write --nodes and a number, or --hosts and a "
			       "file");
}

static void
control_asked(void *arg, const struct stn_control_request *request)
{
	struct launch *launch = arg;

	if (!strcmp(request->words[0], "list"))
		answer_list(launch, request->number);
	else if (!strcmp(request->words[0], "add"))
		asked_add(launch, request);
	else
		control_refuse(launch, request->number,
			       "the run's Sateen is of another version: it "
			       "does not know \"%.40s\"",
			       request->words[0]);
}

void
launch_control_open(struct launch *launch)
{
	launch->began = time(NULL);
	launch->control = stn_control_open(control_asked, launch);
}

void
launch_control_close(struct launch *launch)
{
	stn_control_close(launch->control);
}

void
launch_control_check(struct launch *launch)
{
	(void)launch;
}
