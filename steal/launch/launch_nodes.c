/*
 * launch_nodes.c: what the launcher makes of what its nodes say, and of their
 * ends.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "steal/join/card.h"
#include "steal/launch/launch.h"

/* For which a node may take to die when killed, and to be seen dead. */
#define KILLED_MS 1000
#define KILLED_AFAR_MS 3000

void
launch_tell(void *arg, enum stn_frame_type type, const void *body, size_t size)
{
	struct launch *launch = arg;

	stn_crew_tell(&launch->crew, type, body, size);
	stn_agents_tell(&launch->agents, type, body, size);
}

/* Of several cards the one with its address is a node's joining the run. */
static void
note(struct launch *launch, uint32_t rank, const struct stn_frame_in *frame)
{
	struct stn_card card = { frame->body, frame->head.size };
	struct stn_hello hello;

	if (launch->joined[rank] || frame->head.type != STN_FRAME_CARD ||
	    stn_card_read(&card, rank, &hello, NULL))
		return;
	free(hello.tasks);
	launch->joined[rank] = true;
	if (++launch->joiners == launch->processes && !launch->left)
		launch->timed = false;
}

static void
silent(void *arg, uint32_t rank, enum stn_err err)
{
	struct launch *launch = arg;
	char place[LAUNCH_PLACE];

	if (err == STN_MALFORMED)
		launch_complain(launch,
				"node %" PRIu32 "%s is of another version of "
				"Sateen; rebuild it",
				rank, launch_place(launch, rank, place));
	if (err == STN_NO_MEMORY)
		launch_complain(launch, "out of memory; lower --nodes");
	if (launch->failed)
		launch_kill(launch);
}

static void
said(void *arg, uint32_t rank, struct stn_frame_in *frame)
{
	struct launch *launch = arg;
	struct stn_wireup_server *server = &launch->server;
	bool finished = server->finished, aborted = server->aborted;
	bool gives_up = frame->head.type == STN_FRAME_ABORT ||
			frame->head.type == STN_FRAME_MISS;
	enum stn_err err;

	note(launch, rank, frame);
	if (!rank && gives_up)
		launch->main_gave_up = true;
	err = stn_wireup_server_take(server, rank, frame);
	if (err)
		silent(launch, rank, err);
	else if (server->aborted && !aborted)
		launch_wait(launch,
			    launch->hosts.count ? KILLED_AFAR_MS : KILLED_MS);
	else if (server->finished && !finished)
		launch_wait(launch, 1000 * LAUNCH_LEAVE_SECONDS);
}

/* Who left may have missed one that was killed, whose end is still to come. */
static void
await_killed(struct launch *launch, uint32_t rank)
{
	if (rank)
		launch->status = EXIT_FAILURE;
	launch_wait(launch, launch->hosts.count ? KILLED_AFAR_MS : KILLED_MS);
}

static void
ended(void *arg, uint32_t rank, int status)
{
	struct launch *launch = arg;
	bool left = launch->left;
	bool clean = WIFEXITED(status) && !launch->server.aborted &&
		     (launch->server.finished || launch->inside);

	if (!rank && WIFEXITED(status) && !launch->failed)
		launch->status = WEXITSTATUS(status);
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

const struct stn_crew_events launch_nodes = {
	.said = said,
	.silent = silent,
	.ended = ended,
};
