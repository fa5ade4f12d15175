/*
 * settings.h: the settings of a run: those of the core, of this folder, of each
 * service and of each balancer.
 */
#ifndef STN_LAUNCH_SETTINGS_H
#define STN_LAUNCH_SETTINGS_H

#include "node/config.h"

/* stn_config_defaults: sets every setting to its default. */
void stn_config_defaults(struct stn_config *config);

/*
 * stn_config_events: the name of a file of events (emul/schedule.h), or "none".
 * @config  made by stn_config_defaults
 */
#define STN_EVENTS_BYTES 128 /* of the name, with its end */
const char *stn_config_events(const struct stn_config *config);

#endif
