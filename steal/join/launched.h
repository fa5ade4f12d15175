/*
 * launched.h: what launchers that are none of ours say in the environment of
 * the processes they start.
 */
#ifndef STN_STEAL_JOIN_LAUNCHED_H
#define STN_STEAL_JOIN_LAUNCHED_H

#include <stdbool.h>
#include <stdint.h>

#include "transport/error.h"

/*
 * stn_launched_rank: this process's number among those that were started with
 * it; 0 if it is alone.
 */
uint32_t stn_launched_rank(void);

/*
 * stn_launched_speaks: should this process say what all that were started with
 * it may have found? One of each host should. Where process 0 isn't, this first
 * gives it the time to speak and be the end of all; so it may block for a
 * while.
 */
bool stn_launched_speaks(void);

/*
 * stn_launched_many: how many processes a launcher started, of which this is
 * one, as far as it says; 1 if there is none.
 * @name_p  set if there are more: the launcher's
 */
uint64_t stn_launched_many(const char **name_p);

/*
 * stn_launched_alone: STN_INVALID, with a line, if this process is one of many
 * that would not find each other, and each run the whole program.
 */
STN_CHECKED enum stn_err stn_launched_alone(struct stn_why *why);

#endif
