#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/run/agents_call.h"
#include "launch/run/agents_lease.h"
#include "launch/run/descriptors.h"

/* Bytes before the greeting, at most. */
#define ERRORS_BYTES 65536  /* of standard error; older text is dropped */
#define SKIPPED_BYTES 65536 /* of standard output; more is a failure */

/* Takes a frame about a node. False if the rank is not one of this host. */
static bool
take_node_report(struct stn_agents *agents, struct stn_agent_host *host,
		 const struct stn_wireup_frame *report)
{
	uint32_t rank = report->head.rank;
	int status;

	if (rank - host->first >= host->count)
		return false;
	if (report->head.type == STN_WIREUP_OUTPUT) {
		agents->nodes->printed(agents->arg, rank, report->body,
				       report->head.size);
		return true;
	}
	if (report->head.type != STN_WIREUP_ENDED) {
		agents->nodes->received(agents->arg, report);
		return true;
	}
	memcpy(&status, report->body, sizeof(status));
	if (host->running)
		host->running--;
	agents->nodes->ended(agents->arg, rank, status);
	return true;
}

static bool
take_window(struct stn_agents *agents, const struct stn_wireup_frame *report)
{
	uint32_t taken;

	memcpy(&taken, report->body, sizeof(taken));
	if (report->head.rank != agents->reader)
		return true; /* a root that has died meanwhile */
	if (taken > STN_AGENTS_WINDOW - agents->window)
		return false;
	agents->window += taken;
	return true;
}

/* The host has measured how far others are. */
static bool
take_near(struct stn_agents *agents, struct stn_agent_host *host,
	  const struct stn_wireup_frame *report)
{
	if (!host->probing ||
	    report->head.size != host->probed * sizeof(uint64_t))
		return false;
	host->probing = false;
	agents_lease_begins(host);
	host->round_trips_ns = malloc(report->head.size);
	if (host->round_trips_ns)
		memcpy(host->round_trips_ns, report->body, report->head.size);
	agents->events->probed(agents->arg);
	return true;
}

static bool
take_report(struct stn_agents *agents, struct stn_agent_host *host,
	    const struct stn_wireup_frame *report)
{
	switch (report->head.type) {
	case STN_WIREUP_TAKEN:
		return take_window(agents, report);
	case STN_WIREUP_LEASE:
		agents_lease_asked(agents, host, report);
		return true;
	case STN_WIREUP_NEAR:
		return take_near(agents, host, report);
	case STN_WIREUP_FAILED:
		agents_fail(agents, host, "%.*s", (int)report->head.size,
			    (const char *)report->body);
		return true;
	}
	return take_node_report(agents, host, report);
}

static void
take_reports(struct stn_agents *agents, struct stn_agent_host *host)
{
	struct stn_wireup_frame report;
	enum stn_err err;

	while (!(err = stn_wireup_frame_parse(
			 &host->from, STN_WIREUP_FROM_AGENT, &report))) {
		if (!take_report(agents, host, &report))
			break;
		stn_wireup_frame_drop(&host->from, &report);
	}
	if (err == STN_MISSING)
		return;
	agents_fail(agents, host, "its agent is of another version");
	stn_descriptor_close(&host->reports);
}

/*
 * Prints the kept text, as far as that is possible without blocking: the leases
 * of all hosts end if this process sleeps. The owner prints the rest later. If
 * standard error can't be written, or there is no memory, the text is dropped.
 */
static void
print_errors(struct stn_agents *agents, struct stn_agent_host *host)
{
	struct stn_bytes *text = &host->error_text;
	struct stn_output *errors = agents->errors;
	struct stn_why why;

	stn_output_add(errors, stn_bytes_front(text), stn_bytes_count(text));
	stn_bytes_drop(text, stn_bytes_count(text));
	while (stn_output_waits(errors) &&
	       stn_descriptor_is_writable(STDERR_FILENO))
		if (stn_output_write(errors, STDERR_FILENO, &why))
			break;
}

/* Takes the first line, without its end; false if no line is complete. */
static bool
take_line(struct stn_bytes *from, char line[STN_AGENT_GREETING])
{
	const unsigned char *front = stn_bytes_front(from), *end;
	size_t count = stn_bytes_count(from);

	end = count ? memchr(front, '\n', count) : NULL;
	if (!end)
		return false;
	snprintf(line, STN_AGENT_GREETING, "%.*s", (int)(end - front),
		 (const char *)front);
	stn_bytes_drop(from, (size_t)(end - front) + 1);
	return true;
}

static void
agent_answered(struct stn_agents *agents, struct stn_agent_host *host)
{
	host->greeted = true;
	print_errors(agents, host);
	agents->events->answered(agents->arg);
	agents_count_answer(agents);
}

/* Skips the output of the host's shell, up to the agent's greeting. */
static void
look_for_greeting(struct stn_agents *agents, struct stn_agent_host *host)
{
	char line[STN_AGENT_GREETING] = "";
	struct stn_why why;

	while (take_line(&host->from, line)) {
		enum stn_err err =
			stn_agent_greeting_read(line, &host->offers, &why);

		host->skipped += strlen(line) + 1;
		if (!err) {
			agent_answered(agents, host);
			return;
		}
		if (err == STN_INVALID) {
			agents_fail(agents, host, "%s", why.text);
			stn_descriptor_close(&host->reports);
			return;
		}
	}
	if (host->skipped + stn_bytes_count(&host->from) < SKIPPED_BYTES)
		return;
	agents_fail(agents, host, "the answer is not an agent's: \"%.60s\"",
		    line);
	stn_descriptor_close(&host->reports);
}

bool
agents_read_reports(struct stn_agents *agents, struct stn_agent_host *host)
{
	if (stn_bytes_read(&host->from, host->reports)) {
		stn_descriptor_close(&host->reports);
		return false;
	}
	if (!host->greeted)
		look_for_greeting(agents, host);
	if (host->greeted && host->reports >= 0)
		take_reports(agents, host);
	return host->reports >= 0;
}

bool
agents_read_errors(struct stn_agents *agents, struct stn_agent_host *host)
{
	size_t most = ERRORS_BYTES;

	if (stn_bytes_read(&host->error_text, host->errors)) {
		stn_descriptor_close(&host->errors);
		return false;
	}
	if (host->greeted)
		print_errors(agents, host);
	else if (stn_bytes_count(&host->error_text) > most)
		stn_bytes_drop(&host->error_text,
			       stn_bytes_count(&host->error_text) - most);
	return true;
}
