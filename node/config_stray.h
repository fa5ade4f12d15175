/*
 * config_stray.h: variables whose names look like those of settings.
 */
#ifndef STN_NODE_CONFIG_STRAY_H
#define STN_NODE_CONFIG_STRAY_H

#include "node/config.h"

/*
 * stn_config_stray: STN_INVALID if a variable's name is nearly the name of a
 * setting, and no setting has exactly that name. The variable is probably
 * misspelt and would have no effect.
 */
STN_CHECKED enum stn_err stn_config_stray(const struct stn_config *config,
					  struct stn_why *why);

#endif
