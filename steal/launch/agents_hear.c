/*
 * agents_hear.c: what agents say: their greeting, their reports, and what is
 * said in their stead if they can't be reached.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "steal/launch/agents_own.h"

#define WORDS_BYTES 65536 /* of a host that hasn't greeted, on stderr */
#define NOISE_BYTES 65536 /* and on stdout */

static void
take_said(struct stn_agents *agents, struct stn_agent_host *host,
	  const struct stn_control *report)
{
	struct stn_frame_in frame = { .got = sizeof(frame.head) };

	memcpy(&frame.head.type, report->body, sizeof(frame.head.type));
	frame.head.size = report->size - (uint32_t)sizeof(frame.head.type);
	frame.body = malloc(frame.head.size + 1);
	frame.got += frame.head.size;
	if (!frame.body) {
		agents_fail(agents, host, "out of memory for what it says");
		return;
	}
	memcpy(frame.body, report->body + sizeof(frame.head.type),
	       frame.head.size);
	if (stn_frame_check(&frame.head))
		agents_fail(agents, host, "its agent is of another version");
	else
		agents->events->said(agents->arg, report->about, &frame);
	stn_frame_drop(&frame);
}

static void
take_end(struct stn_agents *agents, struct stn_agent_host *host,
	 const struct stn_control *report)
{
	int status;

	memcpy(&status, report->body, sizeof(status));
	if (host->running)
		host->running--;
	agents->events->ended(agents->arg, report->about, status);
}

/* Does a report speak of a node of this host? */
static bool
is_own(const struct stn_agent_host *host, const struct stn_control *report)
{
	return report->about - host->first < host->count;
}

static bool
take_report(struct stn_agents *agents, struct stn_agent_host *host,
	    const struct stn_control *report)
{
	switch (report->type) {
	case STN_CONTROL_SAID:
		if (is_own(host, report))
			take_said(agents, host, report);
		return is_own(host, report);
	case STN_CONTROL_ENDED:
		if (is_own(host, report))
			take_end(agents, host, report);
		return is_own(host, report);
	case STN_CONTROL_OUTPUT:
		return agents->output_ended ||
		       stn_bytes_add(&agents->output, report->body,
				     report->size);
	case STN_CONTROL_TAKEN:
		agents->window += report->about;
		return agents->window <= STN_AGENTS_WINDOW;
	case STN_CONTROL_FAILED:
		agents_fail(agents, host, "%.*s", (int)report->size,
			    (const char *)report->body);
		return true;
	}
	return false;
}

static void
take_reports(struct stn_agents *agents, struct stn_agent_host *host)
{
	struct stn_control report;

	for (;;) {
		enum stn_err err = stn_control_parse(
			stn_bytes_front(&host->from),
			stn_bytes_count(&host->from), &report);

		if (err == STN_MISSING)
			return;
		if (err || !take_report(agents, host, &report)) {
			agents_fail(agents, host,
				    "its agent is of another version");
			agents_close(&host->reports);
			return;
		}
		stn_bytes_drop(&host->from, STN_CONTROL_BYTES + report.size);
	}
}

/* Shell's and ssh's words are kept until it is clear what they mean. */
static void
pass_words(struct stn_agent_host *host)
{
	if (stn_bytes_write(&host->words, STDERR_FILENO, SIZE_MAX))
		stn_bytes_drop(&host->words, stn_bytes_count(&host->words));
}

/* The first line of what has come, without its end; false: none is whole. */
static bool
take_line(struct stn_bytes *from, char line[STN_CONTROL_HELLO])
{
	const unsigned char *front = stn_bytes_front(from), *end;
	size_t count = stn_bytes_count(from);

	end = count ? memchr(front, '\n', count) : NULL;
	if (!end)
		return false;
	snprintf(line, STN_CONTROL_HELLO, "%.*s", (int)(end - front),
		 (const char *)front);
	stn_bytes_drop(from, (size_t)(end - front) + 1);
	return true;
}

static void
welcome(struct stn_agents *agents, struct stn_agent_host *host)
{
	struct stn_why why;

	host->greeted = true;
	pass_words(host);
	agents->events->answered(agents->arg);
	if (++agents->greeted == agents->hosts->count)
		agents->events->ready(agents->arg);
	else if (!agents->hung_up && agents_call(agents, &why))
		agents->events->failed(agents->arg, why.text);
}

/* Passes over what a shell prints, up to the agent's first line. */
static void
look_for_greeting(struct stn_agents *agents, struct stn_agent_host *host)
{
	char line[STN_CONTROL_HELLO] = "";
	struct stn_why why;

	while (take_line(&host->from, line)) {
		enum stn_err err = stn_control_greet(line, &host->offers, &why);

		host->noise += strlen(line) + 1;
		if (!err) {
			welcome(agents, host);
			return;
		}
		if (err == STN_INVALID) {
			agents_fail(agents, host, "%s", why.text);
			return;
		}
	}
	if (host->noise + stn_bytes_count(&host->from) < NOISE_BYTES)
		return;
	agents_fail(agents, host, "what answers is no agent: \"%.60s\"", line);
	agents_close(&host->reports);
}

/* Takes some of what an agent reports; false at the end of it. */
bool
agents_hear(struct stn_agents *agents, struct stn_agent_host *host)
{
	if (stn_bytes_read(&host->from, host->reports)) {
		agents_close(&host->reports);
		return false;
	}
	if (!host->greeted)
		look_for_greeting(agents, host);
	if (host->greeted)
		take_reports(agents, host);
	return host->reports >= 0;
}

/* And of what is printed there on standard error. */
bool
agents_overhear(struct stn_agent_host *host)
{
	size_t most = WORDS_BYTES;

	if (stn_bytes_read(&host->words, host->errors)) {
		agents_close(&host->errors);
		return false;
	}
	if (host->greeted)
		pass_words(host);
	else if (stn_bytes_count(&host->words) > most)
		stn_bytes_drop(&host->words,
			       stn_bytes_count(&host->words) - most);
	return true;
}
