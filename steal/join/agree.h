/*
 * agree.h: settings that all nodes of a run must have in common. `sateen run`
 * hands its own on; other launchers leave that to their users, of whom some
 * forget it, and then the nodes of other hosts have others.
 */
#ifndef STN_STEAL_JOIN_AGREE_H
#define STN_STEAL_JOIN_AGREE_H

#include "steal/config.h"
#include "transport/wireup/wireup.h"

/*
 * stn_agree: shows our settings to all @nodes of @wireup. STN_INVALID on all of
 * them, with the same line, if any node's are not node 0's. Blocks until all
 * nodes have called it.
 * @local  one launcher has started all nodes: what they talk through, and the
 *     clusters, must be the same, too
 */
STN_CHECKED enum stn_err stn_agree(struct stn_wireup *wireup, uint32_t nodes,
				   uint32_t rank,
				   const struct stn_config *config, bool local,
				   struct stn_why *why);

/*
 * stn_agree_check: holds what node @rank has shown against @ours, what node 0
 * has shown. STN_INVALID, with a line, if it is anything else.
 */
STN_CHECKED enum stn_err stn_agree_check(const char *ours,
					 const struct stn_card *card,
					 uint32_t rank, bool local,
					 struct stn_why *why);

#endif
