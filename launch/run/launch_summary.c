#include "launch/run/launch_summary.h"

#include "launch/join_far.h"
#include "launch/run/launch_wait.h"

void
launch_summary_await(struct launch *launch)
{
	if (stn_join_far_offered())
		return;
	launch->summed_up = launch->sequencer.count;
	stn_wireup_server_hold(&launch->server);
}

/* If another node dies before the barrier opens, the root sends a new line. */
void
launch_summary_take(struct launch *launch, const struct stn_wireup_frame *frame)
{
	struct stn_why line;
	uint32_t view = stn_wireup_frame_missed(frame, &line);

	if (frame->head.rank != launch->root || view < launch->summed_up)
		return;
	launch->summary = line;
	stn_wireup_server_release(&launch->server);
}

void
launch_summary_print(struct launch *launch)
{
	if (*launch->summary.text)
		launch_say_line(launch, launch->summary.text);
}
