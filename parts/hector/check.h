/* check.h: whether the settings of Hector fit the run. Any thread. */
#ifndef STN_PARTS_HECTOR_CHECK_H
#define STN_PARTS_HECTOR_CHECK_H

#include "node/config.h"

/*
 * stn_hector_check: checks the settings of Hector, and of spare nodes, for a
 * run of @nodes nodes. STN_INVALID.
 */
STN_CHECKED enum stn_err stn_hector_check(const struct stn_config *config,
					  uint32_t nodes, struct stn_why *why);

#endif
