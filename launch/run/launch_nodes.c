#include "launch/run/launch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/card.h"
#include "launch/config_check.h"
#include "launch/run/launch_late.h"
#include "launch/run/launch_live.h"
#include "launch/run/launch_membership.h"
#include "launch/run/launch_summary.h"
#include "launch/run/launch_wait.h"

/*
 * Time until the launcher notices the end of a killed node: on this host, and
 * on other hosts.
 */
#define KILLED_MS 1000
#define KILLED_AFAR_MS 3000

static void
launch_send_all(void *arg, enum stn_wireup_frame_type type, const void *body,
		size_t size)
{
	struct launch *launch = arg;

	if (type == STN_WIREUP_CARDS)
		launch_late_keep(launch, body, size);
	if (type == STN_WIREUP_GO)
		launch_summary_print(launch);
	stn_process_group_send(&launch->group, type, body, size);
	stn_agents_send(&launch->agents, type, body, size);
}

/* A node has joined the run when it shows the card with its address. */
static void
note_joined(struct launch *launch, const struct stn_wireup_frame *frame)
{
	uint32_t rank = frame->head.rank;
	struct stn_card card = { frame->body, frame->head.size };
	struct stn_card_content content;

	if (launch->joined[rank] || frame->head.type != STN_WIREUP_CARD ||
	    stn_card_read(&card, rank, &content, NULL))
		return;
	free(content.tasks);
	launch->joined[rank] = true;
	if (++launch->joiners == launch->processes && !launch->left)
		launch->timed = false;
}

static void
launch_nodes_closed(void *arg, uint32_t rank, enum stn_err err)
{
	struct launch *launch = arg;
	char place[LAUNCH_ON_HOST];

	if (launch_late_closed(launch, rank, err))
		return;
	if (err == STN_MALFORMED)
		launch_complain(launch,
				"node %" PRIu32 "%s is of another version of "
				"Sateen; rebuild it",
				rank, launch_on_host(launch, rank, place));
	if (err == STN_NO_MEMORY)
		launch_complain(launch, "out of memory; lower --nodes");
	if (launch->failed)
		launch_kill(launch);
}

static void
launch_nodes_received(void *arg, const struct stn_wireup_frame *frame)
{
	uint32_t rank = frame->head.rank;
	struct launch *launch = arg;
	struct stn_wireup_server *server = &launch->server;
	bool finished = server->finished, aborted = server->aborted;
	bool again = launch->joined[rank] &&
		     frame->head.type == STN_WIREUP_CARD;
	bool gives_up = frame->head.type == STN_WIREUP_ABORT ||
			frame->head.type == STN_WIREUP_MISS;
	enum stn_err err;

	if (frame->head.type == STN_WIREUP_LIVE) {
		if (launch_live_taken(launch, frame))
			launch_nodes_closed(launch, rank, STN_MALFORMED);
		return;
	}
	if (launch_late_received(launch, frame))
		return;
	note_joined(launch, frame);
	err = launch_membership_received(launch, frame);
	if (err == STN_MISSING) {
		if (rank == launch->root && gives_up)
			launch->main_gave_up = true;
		err = stn_wireup_server_take(server, frame);
	}
	if (err && again)
		launch_complain(launch,
				"node %" PRIu32 " has started a second Sateen "
				"program; start a run for each program",
				rank);
	if (err)
		launch_nodes_closed(launch, rank, err);
	else if (server->aborted && !aborted)
		launch_wait(launch,
			    launch->hosts.count ? KILLED_AFAR_MS : KILLED_MS);
	else if (server->finished && !finished)
		launch_wait(launch, 1000 * LAUNCH_LEAVE_SECONDS);
}

/*
 * A node that left early may have lost a node that was killed. Waits until the
 * launcher notices the end of that node.
 */
static void
await_killed(struct launch *launch, uint32_t rank)
{
	if (rank)
		launch->status = EXIT_FAILURE;
	launch_wait(launch, launch->hosts.count ? KILLED_AFAR_MS : KILLED_MS);
}

static void
launch_nodes_ended(void *arg, uint32_t rank, int status)
{
	struct launch *launch = arg;
	bool left = launch->left, clean;

	if (launch_late_ended(launch, rank, status))
		return;
	clean = WIFEXITED(status) && !launch->server.aborted &&
		     (launch->server.finished || launch->inside);

	if (rank == launch->root && WIFEXITED(status) && !launch->failed)
		launch->status = WEXITSTATUS(status);
	clean = clean || launch_membership_ended(launch, rank, status);
	if (clean && launch->hosts.count && !stn_agents_nodes(&launch->agents))
		launch_wait(launch, 1000 * LAUNCH_KILLED_SECONDS);
	if (clean)
		return;
	launch_explain_end(launch, rank, status);
	if (launch->failed)
		launch_kill(launch);
	else if (launch->left && !left)
		await_killed(launch, rank);
}

static void
launch_nodes_printed(void *arg, uint32_t rank, const unsigned char *lines,
		     size_t size)
{
	launch_membership_printed(arg, rank, lines, size);
}

const struct stn_process_group_events launch_nodes = {
	.received = launch_nodes_received,
	.closed = launch_nodes_closed,
	.printed = launch_nodes_printed,
	.ended = launch_nodes_ended,
};

/*
 * Makes the memory for the state of emulated links. With several hosts, the
 * nodes share it by themselves.
 */
static bool
prepare_links(struct launch *launch)
{
	size_t bytes = stn_topology_queue_bytes(&launch->topology);

	stn_topology_begin(&launch->topology);
	if (!stn_topology_slow(&launch->topology) || launch->hosts.count)
		return true;
	launch->links = memfd_create("sateen-links", MFD_CLOEXEC);
	return launch->links >= 0 && !ftruncate(launch->links, (off_t)bytes);
}

enum stn_err
launch_prepare(struct launch *launch, struct stn_why *why)
{
	const struct stn_config *config = &launch->config;

	launch->inside = !strcmp(stn_config_transport(config), "loop");
	launch->processes = launch->inside ? 1 : (uint32_t)config->nodes;
	launch->ranks = stn_config_joins(config) ? (uint32_t)config->max_nodes
						 : launch->processes;
	launch->joined = calloc(launch->ranks, sizeof(launch->joined[0]));
	if (!launch->joined || stn_config_export(config) ||
	    stn_wireup_server_init(&launch->server, launch->processes,
				   launch_send_all, launch))
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	if (launch_membership_init(launch, why))
		return STN_IO;
	if (launch_late_init(launch) || launch_live_prepare(launch))
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	if (!prepare_links(launch))
		return stn_because(why, STN_IO, "can't prepare the run: %s",
				   strerror(errno));
	return STN_OK;
}
