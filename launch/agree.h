/*
 * agree.h: checks that all nodes of a run have the same settings. `sateen run`
 * passes its settings on to all nodes. With other launchers that is up to the
 * user, so nodes on other hosts may have other settings.
 */
#ifndef STN_LAUNCH_AGREE_H
#define STN_LAUNCH_AGREE_H

#include "node/config.h"
#include "launch/wireup/wireup.h"

/*
 * stn_agree: shows this node's settings to all @nodes nodes. STN_INVALID, with
 * the same message on all nodes, if the settings of any node differ from those
 * of node 0. Blocks until all nodes have called it.
 * @local  one launcher has started all nodes, so the settings of transport and
 *     clusters must agree, too
 */
STN_CHECKED enum stn_err stn_agree(struct stn_wireup *wireup, uint32_t nodes,
				   uint32_t rank,
				   const struct stn_config *config, bool local,
				   struct stn_why *why);

/*
 * stn_agree_check: compares the card of node @rank with @ours, the text of node
 * 0's card. STN_INVALID if they differ; @why names the first line that does.
 */
STN_CHECKED enum stn_err stn_agree_check(const char *ours,
					 const struct stn_card *card,
					 uint32_t rank, bool local,
					 struct stn_why *why);

#endif
