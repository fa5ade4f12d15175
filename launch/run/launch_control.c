#include "launch/run/launch_control.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "launch/join_far.h"
#include "launch/run/launch_late.h"
#include "launch/run/launch_late_hosts.h"
#include "launch/run/launch_live.h"
#include "launch/run/launch_membership.h"
#include "launch/run/launch_wait.h"
#include "transport/units.h"

#define TEXT_BYTES 400

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

/* "add nodes K" or "add hosts FILE", and perhaps "cluster C" */
static void
asked_add(struct launch *launch, const struct stn_control_request *request)
{
	bool named =
		request->count == 5 && !strcmp(request->words[3], "cluster");
	const char *cluster = named ? request->words[4] : NULL;
	uint64_t count;

	if ((request->count == 3 || named) &&
	    !strcmp(request->words[1], "nodes") &&
	    !stn_parse_count(request->words[2], 1, UINT32_MAX, &count))
		launch_late_asked(launch, request->number, count, cluster);
	else if ((request->count == 3 || named) &&
		 !strcmp(request->words[1], "hosts"))
		launch_late_hosts_asked(launch, request->number,
					request->words[2], cluster);
	else
		control_refuse(launch, request->number,
			       "write --nodes and a number, or --hosts and a "
			       "file");
}

/* The rank in a text, if its node is or was in the run; or STN_NOBODY. */
static uint32_t
rank_in(const struct launch *launch, const char *text)
{
	char *end;
	unsigned long rank = strtoul(text, &end, 10);

	if (*end || !strchr("0123456789", *text) || rank >= launch->ranks ||
	    (!stn_members_has(&launch->sequencer.members, (uint32_t)rank) &&
	     !launch_membership_change(launch, (uint32_t)rank)))
		return STN_NOBODY;
	return (uint32_t)rank;
}

/* A host may be named with or without the user's name before an @. */
static bool
is_host_named(const char *host, const char *name)
{
	const char *at = strchr(host, '@');

	return !strcmp(host, name) || (at && !strcmp(at + 1, name));
}

/*
 * Finds the nodes of a host. Under mpirun and srun each node has an entry in
 * the list of hosts. False: there are none.
 */
static bool
find_leaving_host(const struct launch *launch, const char *name,
		  struct launch_waiting *found)
{
	bool any = false;

	for (uint32_t i = 0; i < launch->agents.count; i++) {
		const struct stn_agent_host *host = &launch->agents.list[i];

		if (!is_host_named(launch->hosts.list[i].name, name))
			continue;
		any = any || host->count;
		for (uint32_t j = 0; j < host->count; j++)
			found->named[host->first + j] = true;
	}
	return any;
}

static bool
refuse_host(struct launch *launch, const struct stn_control_request *request)
{
	char hosts[100];

	control_refuse(launch, request->number,
		       "run %ld has no nodes on a host \"%.60s\", but on %s",
		       (long)getpid(),
		       request->count > 1 ? request->words[1] : "",
		       list_hosts(launch, hosts, sizeof(hosts)));
	return false;
}

/*
 * Finds the nodes that the request names. False: there are none, and the client
 * has the reason.
 */
static bool
find_leavers(struct launch *launch, const struct stn_control_request *request,
	     struct launch_waiting *found)
{
	const char *name = request->count == 3 ? request->words[2] : NULL;
	uint32_t rank;

	if (!launch->survives) {
		control_refuse(launch, request->number,
			       "run %ld does not survive the loss of nodes, by "
			       "--survive or its transport",
			       (long)getpid());
		return false;
	}
	if (!name || strcmp(request->words[1], "node"))
		return (request->count == 2 &&
			find_leaving_host(launch, request->words[1], found)) ||
		       refuse_host(launch, request);
	rank = rank_in(launch, name);
	if (rank == STN_NOBODY)
		control_refuse(launch, request->number,
			       "run %ld has no node \"%.40s\"", (long)getpid(),
			       name);
	else
		found->named[rank] = true;
	return rank != STN_NOBODY;
}

/* Is there a node that stays, besides these? */
static bool
others_stay(const struct launch *launch, const struct launch_waiting *leavers)
{
	if (stn_join_far_offered())
		return true; /* in other clusters */
	for (uint32_t i = 0; i < launch->ranks; i++)
		if (!leavers->named[i] &&
		    stn_members_stays(&launch->sequencer.members, i))
			return true;
	return false;
}

/* Returns whether the request waits now for these nodes to leave. */
static bool
let_leave(struct launch *launch, const struct launch_waiting *leavers)
{
	if (!others_stay(launch, leavers)) {
		control_refuse(launch, leavers->number,
			       "then no node of run %ld would stay; interrupt "
			       "its launcher instead",
			       (long)getpid());
		return false;
	}
	if (launch->waiting_count == STN_CONTROL_CLIENTS) {
		control_refuse(launch, leavers->number,
			       "too many requests; try again");
		return false;
	}
	for (uint32_t i = 0; i < launch->ranks; i++)
		if (leavers->named[i])
			launch_membership_leave(launch, i);
	launch->waiting[launch->waiting_count++] = *leavers;
	return true;
}

static void
answer_leave(struct launch *launch, const struct stn_control_request *request)
{
	struct launch_waiting leavers = {
		.number = request->number,
		.named = calloc(launch->ranks + 1, sizeof(leavers.named[0])),
	};

	if (!leavers.named)
		control_refuse(launch, request->number, "out of memory");
	else if (!find_leavers(launch, request, &leavers) ||
		 !let_leave(launch, &leavers))
		free(leavers.named);
}

/*
 * Tells the client for each node whether it left or died. False: some live, and
 * the client waits.
 */
static bool
tell_leavers(struct launch *launch, const struct launch_waiting *leavers)
{
	const struct stn_members *members = &launch->sequencer.members;
	char text[TEXT_BYTES], place[LAUNCH_ON_HOST];

	for (uint32_t rank = 0; rank < launch->ranks; rank++)
		if (leavers->named[rank] && stn_members_has(members, rank) &&
		    stn_control_waits(launch->control, leavers->number))
			return false;
	for (uint32_t rank = 0; rank < launch->ranks; rank++) {
		const struct stn_change *change =
			launch_membership_change(launch, rank);

		if (!leavers->named[rank])
			continue;
		snprintf(text, sizeof(text), "node %" PRIu32 "%s has %s", rank,
			 launch_on_host(launch, rank, place),
			 change && change->what == STN_LEFT ? "left" : "died");
		stn_control_say(launch->control, leavers->number, text);
	}
	stn_control_end(launch->control, leavers->number, NULL);
	free(leavers->named);
	return true;
}

static void
control_asked(void *arg, const struct stn_control_request *request)
{
	struct launch *launch = arg;

	if (!strcmp(request->words[0], "list"))
		answer_list(launch, request->number);
	else if (!strcmp(request->words[0], "metrics"))
		launch_live_asked(launch, request->number);
	else if (!strcmp(request->words[0], "add"))
		asked_add(launch, request);
	else if (!strcmp(request->words[0], "leave"))
		answer_leave(launch, request);
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
	for (uint32_t i = 0; i < launch->waiting_count; i++)
		free(launch->waiting[i].named);
	launch->waiting_count = 0;
}

void
launch_control_check(struct launch *launch)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < launch->waiting_count; i++)
		if (!tell_leavers(launch, &launch->waiting[i]))
			launch->waiting[kept++] = launch->waiting[i];
	launch->waiting_count = kept;
}
