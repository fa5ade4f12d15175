/*
 * settings.h: the settings of a run: those of the core, of each service and of
 * each balancer.
 */
#ifndef STN_LAUNCH_SETTINGS_H
#define STN_LAUNCH_SETTINGS_H

#include "node/config.h"

/* stn_config_defaults: sets every setting to its default. */
void stn_config_defaults(struct stn_config *config);

#endif
