/*
 * launcher_env.h: what launchers other than `sateen run` tell the processes
 * that they start, in environment variables.
 */
#ifndef STN_LAUNCH_LAUNCHER_ENV_H
#define STN_LAUNCH_LAUNCHER_ENV_H

#include <stdbool.h>
#include <stdint.h>

#include "transport/error.h"

/*
 * stn_launcher_rank: this process's rank among the processes that were started
 * with it; 0 if no launcher started it.
 */
uint32_t stn_launcher_rank(void);

/*
 * stn_launcher_should_report: should this process print an error that all
 * processes of the run may have found? True for one process of each host. On
 * hosts without rank 0 it first waits 0.5 s, so that rank 0 can print the error
 * and end the run.
 */
bool stn_launcher_should_report(void);

/*
 * stn_launcher_size: how many processes the launcher has started, as far as it
 * says; 1 if there is no launcher.
 * @name_p  set to the launcher's name if there is more than one process
 */
uint64_t stn_launcher_size(const char **name_p);

/*
 * stn_launcher_check_alone: STN_INVALID if this process is one of several that
 * can't find each other, so that each would run the whole program.
 */
STN_CHECKED enum stn_err stn_launcher_check_alone(struct stn_why *why);

#endif
