/*
 * rp.c: Random Pushing (PPoPP 2001, section 3.2). A node whose queue has become
 * longer than a threshold sends its oldest record to a node chosen uniformly
 * among all others. The receiver's queue may be too long as well; then the
 * receiver pushes a record on. A limit on the records that a node has in
 * transit bounds their memory. Idle nodes wait. The balancer ignores clusters.
 *
 * The paper tuned both numbers by hand for each application and does not give
 * them; the settings rp-threshold and rp-limit set them.
 */
#include "steal/balance.h"
#include "node/setting.h"

struct rp_settings {
	uint64_t threshold, limit;
};

static const struct stn_setting rp_rows[] = {
	{ "rp-threshold", 0, COUNT, offsetof(struct rp_settings, threshold),
	  "8", 1, 4096, "records",
	  "a node with more of them queued pushes the oldest" },
	{ "rp-limit", 0, COUNT, offsetof(struct rp_settings, limit), "16", 1,
	  4096, "records", "limit on the records that a node has in transit" },
};

static const struct stn_setting_table rp_settings = {
	.rows = rp_rows,
	.count = sizeof(rp_rows) / sizeof(rp_rows[0]),
	.bytes = sizeof(struct rp_settings),
};

static void
rp_idle(void *state, const struct stn_snapshot *snapshot,
	struct stn_moves *moves)
{
	(void)state;
	(void)snapshot;
	(void)moves;
}

static void
rp_longer(void *state, const struct stn_snapshot *snapshot,
	  struct stn_moves *moves)
{
	const struct rp_settings *settings = snapshot->settings;

	(void)state;
	if (snapshot->members->living > 1 &&
	    snapshot->load > settings->threshold &&
	    snapshot->in_transit < settings->limit)
		moves->push_to = stn_choose_other(snapshot);
}

static uint32_t
rp_enough(const void *settings)
{
	const struct rp_settings *rp = settings;

	return (uint32_t)rp->threshold + 1;
}

const struct stn_balancer stn_balancer_rp = {
	.name = "rp",
	.help = "random pushing: send surplus records to any node; idle nodes "
		"wait",
	.requests = 1,
	.settings = &rp_settings,
	.idle = rp_idle,
	.granted = stn_granted_here,
	.refused = stn_refused_in_vain,
	.longer = rp_longer,
	.enough = rp_enough,
};
