/*
 * Random Pushing (PPoPP 2001, section 3.2): a node whose queue has become
 * longer than a threshold sends its oldest record to a node chosen uniformly
 * among all others, which may be longer than the threshold itself, and push it
 * on. A limit on the records that a node has in transit bounds the memory that
 * they take. Idle nodes wait. It does not know of clusters.
 *
 * The paper tuned both numbers by hand, for each application, and doesn't say
 * to what; the settings rp-threshold and rp-limit are for that.
 */
#include "steal/balance.h"
#include "steal/config.h"

static void
rp_idle(void *state, const struct stn_view *view, struct stn_moves *moves)
{
	(void)state;
	(void)view;
	(void)moves;
}

static void
rp_longer(void *state, const struct stn_view *view, struct stn_moves *moves)
{
	(void)state;
	if (view->topology->nodes > 1 &&
	    view->load > view->config->rp_threshold &&
	    view->in_transit < view->config->rp_limit)
		moves->push_to = stn_choose_other(view);
}

static uint32_t
rp_enough(const struct stn_config *config)
{
	return config->rp_threshold + 1;
}

const struct stn_balancer stn_balancer_rp = {
	.name = "rp",
	.help = "random pushing: send to anybody what is too much; the idle "
		"wait",
	.idle = rp_idle,
	.granted = stn_granted_here,
	.refused = stn_refused_in_vain,
	.longer = rp_longer,
	.enough = rp_enough,
};
