#include "launch/run/launch_live.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/live/metrics.h"
#include "launch/live/metrics_at.h"
#include "transport/clock.h"

#define TICK_NS 500000000ull /* between two looks at all nodes */

/* The count of changes of the membership of one sort. */
static uint64_t
count_changes(const struct launch *launch, enum stn_change_what what)
{
	uint64_t count = 0;

	for (uint32_t i = 0; launch->survives && i < launch->sequencer.count;
	     i++)
		count += launch->sequencer.changes[i].what == what;
	return count;
}

static bool
is_living(const struct launch *launch, uint32_t rank)
{
	return !launch->survives ||
	       stn_members_has(&launch->sequencer.members, rank);
}

/* The node that runs main has the sums of all nodes' progress. */
static void
look_at_progress(struct launch *launch)
{
	struct launch_live *live = &launch->live;
	const struct stn_live *root =
		stn_live_pages_at(&live->pages, launch->root);

	if (root)
		stn_meter_look(&live->meter, stn_machine_now(NULL),
			       stn_live_get(root, STN_LIVE_ALL_DONE),
			       stn_live_get(root, STN_LIVE_ALL_KNOWN));
}

static void
write_page(void *arg, FILE *out)
{
	struct launch *launch = arg;
	struct launch_live *live = &launch->live;
	uint64_t age = stn_machine_now(NULL) - live->began_ns;
	struct stn_metrics metrics = {
		.program = launch->program[0],
		.balancer = launch->config.balancer,
		.seconds = (double)age * 1e-9,
		.deaths = count_changes(launch, STN_DIED),
		.left = count_changes(launch, STN_LEFT),
		.joined = count_changes(launch, STN_JOINED),
		.topology = &launch->topology,
		.nodes = live->nodes,
		.count = live->pages.list ? live->pages.count : 0,
		.meter = &live->meter,
	};

	look_at_progress(launch);
	for (uint32_t i = 0; i < metrics.count; i++)
		live->nodes[i] =
			(struct stn_metrics_node){ &live->pages.list[i],
						   is_living(launch, i) };
	stn_metrics_write(&metrics, out);
}

/* Only the command sateen has an HTTP server. */
static enum stn_err
serve_metrics(struct launch *launch, struct stn_why *why)
{
	struct launch_live *live = &launch->live;
	char text[STN_HOST_PORT_BYTES];
	struct stn_host_port at;
	bool any;
	enum stn_err err = stn_metrics_at(launch->config.metrics, &at, why);

	if (!err && !launch->http)
		err = stn_because(why, STN_INVALID,
				  "metrics are served by `sateen run` only; "
				  "leave STN_METRICS out");
	if (err)
		return err;
	any = !at.port;
	err = launch->http->open(&at, write_page, launch, &live->http, &at.port,
				 why);
	/* The program might start a run itself, for which the port is taken. */
	strcpy(launch->config.metrics, "none");
	if (err || !any)
		return err;
	stn_host_port_write(text, &at);
	fprintf(stderr, "sateen: metrics are at http://%s/metrics\n", text);
	return STN_OK;
}

enum stn_err
launch_live_open(struct launch *launch, struct stn_why *why)
{
	struct launch_live *live = &launch->live;

	live->began_ns = stn_machine_now(NULL);
	live->has_bar = isatty(STDERR_FILENO);
	return strcmp(launch->config.metrics, "none")
		       ? serve_metrics(launch, why)
		       : STN_OK;
}

enum stn_err
launch_live_prepare(struct launch *launch)
{
	struct launch_live *live = &launch->live;
	uint32_t count = launch->topology.nodes;
	bool here = !launch->hosts.count;

	live->nodes = calloc(count, sizeof(live->nodes[0]));
	if (!live->nodes || stn_live_pages_init(&live->pages, count, here))
		return STN_NO_MEMORY;
	return STN_OK;
}

void
launch_live_close(struct launch *launch)
{
	struct launch_live *live = &launch->live;

	stn_bar_end(&live->bar);
	live->has_bar = false;
	if (live->http)
		launch->http->close(live->http);
	live->http = NULL;
	stn_live_pages_fini(&live->pages);
	free(live->nodes);
	live->nodes = NULL;
}

int
launch_live_fd(const struct launch *launch)
{
	return launch->live.http ? launch->http->fd(launch->live.http) : -1;
}

/* Must the launcher look at all nodes from time to time? */
static bool
ticks(const struct launch_live *live)
{
	return live->pages.list &&
	       (live->has_bar || live->http || live->asked_count);
}

int
launch_live_wait(const struct launch *launch)
{
	const struct launch_live *live = &launch->live;
	uint64_t now = stn_machine_now(NULL);
	int tick = -1, http = -1;

	if (ticks(live))
		tick = live->next_ns > now
			       ? (int)((live->next_ns - now) / 1000000 + 1)
			       : 0;
	if (live->http)
		http = launch->http->wait(live->http);
	return tick < 0 || (http >= 0 && http < tick) ? http : tick;
}

void
launch_live_hide(struct launch *launch)
{
	stn_bar_hide(&launch->live.bar);
}

static void
answer_asked(struct launch *launch, uint64_t number)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (out) {
		write_page(launch, out);
		fclose(out);
	}
	for (char *rest = text; rest && *rest;)
		stn_control_say(launch->control, number, strsep(&rest, "\n"));
	stn_control_end(launch->control, number, text ? NULL : "out of memory");
	free(text);
}

void
launch_live_asked(struct launch *launch, uint64_t number)
{
	struct launch_live *live = &launch->live;

	if (!live->pages.list) {
		stn_control_end(launch->control, number,
				"the run has not begun yet; try again");
		return;
	}
	if (!launch->hosts.count || live->asked_count == STN_CONTROL_CLIENTS) {
		answer_asked(launch, number);
		return;
	}
	stn_agents_send(&launch->agents, STN_WIREUP_WATCH, NULL, 0);
	if (!ticks(live))
		live->next_ns = stn_machine_now(NULL) + TICK_NS;
	live->asked[live->asked_count++] = number;
}

enum stn_err
launch_live_taken(struct launch *launch, const struct stn_wireup_frame *frame)
{
	struct stn_live *live =
		stn_live_pages_at(&launch->live.pages, frame->head.rank);
	uint64_t value;

	if (!live)
		return STN_OK;
	if (frame->head.size != STN_LIVE_WORDS * sizeof(value))
		return STN_MALFORMED;
	for (int i = 0; i < STN_LIVE_WORDS; i++) {
		memcpy(&value, frame->body + (size_t)i * sizeof(value),
		       sizeof(value));
		stn_live_set(live, i, value);
	}
	return STN_OK;
}

/* The program shows its own line, or main goes on to print its results. */
static bool
bar_is_unwanted(const struct launch *launch)
{
	const struct stn_live *root =
		stn_live_pages_at(&launch->live.pages, launch->root);

	return !root || stn_live_get(root, STN_LIVE_BOUND_SHOWN) ||
	       stn_live_get(root, STN_LIVE_ENDED) || launch->returned ||
	       launch->server.finished || launch->killed;
}

static void
show_bar(struct launch *launch, bool due)
{
	struct launch_live *live = &launch->live;

	if (!live->has_bar)
		return;
	if (bar_is_unwanted(launch))
		stn_bar_end(&live->bar);
	else if (due)
		stn_bar_draw(&live->bar, &live->meter);
	else
		stn_bar_again(&live->bar);
}

static void
tick(struct launch *launch)
{
	struct launch_live *live = &launch->live;

	live->next_ns = stn_machine_now(NULL) + TICK_NS;
	look_at_progress(launch);
	for (uint32_t i = 0; i < live->asked_count; i++)
		answer_asked(launch, live->asked[i]);
	live->asked_count = 0;
	if (live->http)
		stn_agents_send(&launch->agents, STN_WIREUP_WATCH, NULL, 0);
	else if (live->has_bar)
		stn_agents_send_one(&launch->agents, launch->root,
				    STN_WIREUP_WATCH, NULL, 0);
}

void
launch_live_check(struct launch *launch)
{
	struct launch_live *live = &launch->live;
	bool due = ticks(live) && stn_machine_now(NULL) >= live->next_ns;

	if (live->http)
		launch->http->run(live->http);
	if (due)
		tick(launch);
	show_bar(launch, due);
}
