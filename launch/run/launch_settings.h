/*
 * launch_settings.h: the settings of a run, from the environment and the
 * command line.
 */
#ifndef STN_LAUNCH_RUN_LAUNCH_SETTINGS_H
#define STN_LAUNCH_RUN_LAUNCH_SETTINGS_H

#include "launch/run/launch.h"

/*
 * launch_settings: reads the settings and checks them. Without a run to launch,
 * tells the user why and returns false.
 */
bool launch_settings(struct launch *launch, int argc, char **argv);

#endif
