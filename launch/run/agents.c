#include "launch/run/agents.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "launch/run/agents_call.h"
#include "launch/run/agents_explain.h"
#include "launch/run/descriptors.h"

/* Makes room for all hosts. */
static enum stn_err
agents_grow(struct stn_agents *agents, struct stn_why *why)
{
	uint32_t count = agents->hosts->count;
	struct stn_agent_host *list =
		reallocarray(agents->list, count, sizeof(list[0]));

	if (!list)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	agents->list = list;
	for (; agents->count < count; agents->count++)
		list[agents->count] = (struct stn_agent_host){
			.orders = -1,
			.reports = -1,
			.errors = -1,
			.late = agents->started,
		};
	return STN_OK;
}

static enum stn_err
agents_begin(struct stn_agents *agents, struct stn_why *why)
{
	uint32_t count = agents->hosts->count;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGTTIN, SIG_IGN); /* in the background, read() fails instead */
	stn_descriptors_raise_limit(STN_AGENTS_FDS * (size_t)count);
	agents->window = STN_AGENTS_WINDOW;
	return agents_grow(agents, why);
}

enum stn_err
stn_agents_call(struct stn_agents *agents, struct stn_why *why)
{
	enum stn_err err = agents_begin(agents, why);

	return err ? err : agents_call_next(agents, why);
}

enum stn_err
stn_agents_adopt(struct stn_agents *agents, const int *sockets,
		 struct stn_why *why)
{
	enum stn_err err = agents_begin(agents, why);

	agents->adopted = true;
	for (uint32_t i = 0; !err && i < agents->count; i++) {
		struct stn_agent_host *host = &agents->list[i];

		host->orders = fcntl(sockets[i], F_DUPFD_CLOEXEC, 0);
		host->reports = fcntl(sockets[i], F_DUPFD_CLOEXEC, 0);
		if (host->orders < 0 || host->reports < 0)
			err = stn_because(why, STN_IO,
					  "too many agents: %s; raise `ulimit "
					  "-n`",
					  strerror(errno));
		agents->called++;
		agents->alive++;
	}
	return err;
}

enum stn_err
stn_agents_add(struct stn_agents *agents, struct stn_why *why)
{
	stn_descriptors_raise_limit(STN_AGENTS_FDS *
				    (size_t)agents->hosts->count);
	return agents_grow(agents, why) ? STN_NO_MEMORY
					: agents_call_next(agents, why);
}

static void
close_orders(struct stn_agent_host *host)
{
	stn_descriptor_close(&host->orders);
	stn_bytes_fini(&host->to);
}

static void
agents_discount(struct stn_agents *agents, struct stn_agent_host *host)
{
	host->running = 0;
	if (!host->ended)
		agents->alive--;
	host->ended = true;
}

/* An adopted agent goes on when it has killed its nodes. */
static void
hang_up(struct stn_agents *agents, struct stn_agent_host *host)
{
	if (!agents->adopted) {
		close_orders(host);
		return;
	}
	for (uint32_t i = 0; i < host->running; i++)
		if (!stn_wireup_frame_add(&host->to, STN_WIREUP_KILL,
					  host->first + i, NULL, 0))
			shutdown(host->orders, SHUT_WR); /* kills, too */
	if (!host->running)
		agents_discount(agents, host);
}

/*
 * Reads the rest of an ssh's output, but does not wait for its end of file:
 * another ssh that shares the connection may keep the pipes open.
 */
static void
agents_ended(struct stn_agents *agents, struct stn_agent_host *host)
{
	size_t errors = stn_descriptor_reads(host->errors);
	size_t reports = stn_descriptor_reads(host->reports);

	while (errors-- && stn_descriptor_is_readable(host->errors) &&
	       agents_read_errors(agents, host))
		continue;
	while (reports-- && stn_descriptor_is_readable(host->reports) &&
	       agents_read_reports(agents, host))
		continue;
	stn_descriptor_close(&host->reports);
	stn_descriptor_close(&host->errors);
	close_orders(host);
	if (!agents->hung_up && !host->ended)
		agents_explain_end(agents, host);
	agents_discount(agents, host);
}

void
stn_agents_reaped(void *arg, pid_t pid, int status)
{
	struct stn_agents *agents = arg;

	for (uint32_t i = 0; i < agents->count; i++) {
		struct stn_agent_host *host = &agents->list[i];

		if (host->ssh != pid || agents->adopted)
			continue;
		host->ssh = 0;
		host->status = status;
		agents_ended(agents, host);
	}
}

enum stn_err
stn_agents_start(struct stn_agents *agents, const uint32_t *counts,
		 const struct stn_agent_start *what)
{
	struct stn_agent_start start = *what;

	start.first = 0;
	agents->started = true;
	for (uint32_t i = 0; i < agents->hosts->count; i++) {
		struct stn_agent_host *host = &agents->list[i];

		start.count = counts[i];
		if (!start.count) {
			hang_up(agents, host);
			continue;
		}
		if (!stn_agent_start_add(&host->to, &start))
			return STN_NO_MEMORY;
		host->first = start.first;
		host->count = host->running = start.count;
		start.first += start.count;
	}
	return STN_OK;
}

enum stn_err
stn_agents_start_late(struct stn_agents *agents, uint32_t number,
		      const struct stn_agent_start *what)
{
	struct stn_agent_host *host = &agents->list[number];

	if (!stn_agent_start_add(&host->to, what))
		return STN_NO_MEMORY;
	host->first = what->first;
	host->count = host->running = what->count;
	return STN_OK;
}

void
stn_agents_dismiss(struct stn_agents *agents, uint32_t number)
{
	agents->list[number].probing = false;
	hang_up(agents, &agents->list[number]);
}

void
stn_agents_call_no_more(struct stn_agents *agents)
{
	for (; agents->called < agents->count; agents->called++) {
		agents->list[agents->called].greeted = true;
		agents->greeted++;
	}
}

void
stn_agents_hang_up(struct stn_agents *agents)
{
	if (agents->hung_up)
		return;
	agents->hung_up = true;
	for (uint32_t i = 0; i < agents->count; i++)
		hang_up(agents, &agents->list[i]);
}

void
stn_agents_abandon(struct stn_agents *agents)
{
	for (uint32_t i = 0; i < agents->count; i++)
		if (agents->list[i].ssh)
			kill(-agents->list[i].ssh, SIGKILL);
		else if (agents->adopted)
			agents_discount(agents, &agents->list[i]);
}

/* The host of the node that reads input; NULL before the nodes start. */
static struct stn_agent_host *
reading_host(const struct stn_agents *agents)
{
	for (uint32_t i = 0; i < agents->count; i++)
		if (agents->reader - agents->list[i].first <
		    agents->list[i].count)
			return &agents->list[i];
	return NULL;
}

/*
 * Standard input is read while the reader's agent has room for it; a terminal
 * when main has read the line before, so that others can read what main doesn't.
 */
static bool
wants_input(const struct stn_agents *agents)
{
	uint32_t least = agents->input->terminal ? STN_AGENTS_WINDOW : 1;

	return !agents->input_ended && !agents->hung_up &&
	       agents->window >= least && reading_host(agents) &&
	       reading_host(agents)->orders >= 0;
}

/* Sends some input to the reader's agent; an empty frame is its end. */
static void
agents_take_input(struct stn_agents *agents)
{
	struct stn_agent_host *host = reading_host(agents);
	unsigned char bytes[STN_WIREUP_LINES / 2];
	size_t most =
		agents->window < sizeof(bytes) ? agents->window : sizeof(bytes);
	ssize_t got = stn_input_read(agents->input, bytes, most);

	if (got < 0)
		return;
	agents->input_ended = !got;
	agents->window -= (uint32_t)got;
	if (!stn_wireup_frame_add(&host->to, STN_WIREUP_INPUT, 0, bytes,
				  (size_t)got))
		agents_fail(agents, host, "out of memory for its input");
}

uint32_t
stn_agents_fds(const struct stn_agents *agents, struct pollfd *fds)
{
	uint32_t count = agents->count;
	bool full =
		count && !agents->hung_up && stn_output_is_full(agents->errors);

	for (uint32_t i = 0; i < count; i++) {
		const struct stn_agent_host *host = &agents->list[i];
		int orders = stn_bytes_count(&host->to) ? host->orders : -1;

		*fds++ = (struct pollfd){ orders, POLLOUT, 0 };
		*fds++ = (struct pollfd){ agents->paused ? -1 : host->reports,
					  POLLIN, 0 };
		*fds++ = (struct pollfd){ full ? -1 : host->errors, POLLIN, 0 };
	}
	if (!count)
		return 0;
	fds[0] = (struct pollfd){
		wants_input(agents) ? stn_input_fd(agents->input) : -1, POLLIN,
		0
	};
	return STN_AGENTS_FDS * count + STN_AGENTS_MORE;
}

/* If the write fails, ssh has died. The failure is reported at ssh's end. */
static void
write_orders(struct stn_agent_host *host)
{
	if (host->orders >= 0 &&
	    stn_bytes_write(&host->to, host->orders, SIZE_MAX))
		close_orders(host);
}

/*
 * Adopted agents are lost when their connection ends, and nothing more is
 * expected of them when their nodes have ended.
 */
static void
listen_to_reports(struct stn_agents *agents, struct stn_agent_host *host)
{
	bool open = agents_read_reports(agents, host);

	if (!agents->adopted)
		return;
	if (!open)
		agents_ended(agents, host);
	else if (host->count && !host->running)
		agents_discount(agents, host);
}

void
stn_agents_flush(struct stn_agents *agents)
{
	for (uint32_t i = 0; i < agents->count; i++)
		write_orders(&agents->list[i]);
}

void
stn_agents_listen(struct stn_agents *agents, const struct pollfd *fds)
{
	uint32_t count = agents->count;

	for (uint32_t i = 0; i < count; i++, fds += STN_AGENTS_FDS) {
		struct stn_agent_host *host = &agents->list[i];

		if (fds[0].revents)
			write_orders(host);
		if (fds[1].revents && host->reports >= 0)
			listen_to_reports(agents, host);
		if (fds[2].revents && host->errors >= 0)
			agents_read_errors(agents, host);
	}
	if (!count)
		return;
	if (fds[0].revents && wants_input(agents))
		agents_take_input(agents);
}

void
stn_agents_replay(struct stn_agents *agents, uint32_t rank)
{
	agents->reader = rank;
	agents->window = STN_AGENTS_WINDOW;
	agents->input_ended = false;
	stn_input_restart(agents->input);
	stn_agents_send_one(agents, rank, STN_WIREUP_REPLAY, NULL, 0);
}

const char *
stn_agents_host(const struct stn_agents *agents, uint32_t rank)
{
	for (uint32_t i = 0; i < agents->count; i++)
		if (rank - agents->list[i].first < agents->list[i].count)
			return agents_name(agents, &agents->list[i]);
	return "?";
}

uint32_t
stn_agents_nodes(const struct stn_agents *agents)
{
	uint32_t nodes = 0;

	for (uint32_t i = 0; i < agents->count; i++)
		nodes += agents->list[i].running;
	return nodes;
}

bool
stn_agents_busy(const struct stn_agents *agents)
{
	return agents->alive;
}

void
stn_agents_fini(struct stn_agents *agents)
{
	for (uint32_t i = 0; i < agents->count; i++) {
		struct stn_agent_host *host = &agents->list[i];

		stn_descriptor_close(&host->orders);
		stn_descriptor_close(&host->reports);
		stn_descriptor_close(&host->errors);
		stn_bytes_fini(&host->to);
		stn_bytes_fini(&host->from);
		stn_bytes_fini(&host->error_text);
		free(host->round_trips_ns);
	}
	free(agents->list);
	agents->list = NULL;
	agents->count = 0;
}
