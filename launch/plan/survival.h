/*
 * survival.h: transports and providers that can't be used in a run that
 * survives deaths of nodes, because a death can block other nodes inside the
 * library. tests/transport/mortal.c skips the scenarios in which that happens.
 */
#ifndef STN_LAUNCH_PLAN_SURVIVAL_H
#define STN_LAUNCH_PLAN_SURVIVAL_H

#include "node/config.h"

/*
 * stn_survival_unsafe: the name of the transport or provider in the settings
 * with which a run can't survive deaths; NULL: there is none.
 */
const char *stn_survival_unsafe(const struct stn_config *config);

/*
 * stn_survival_wanted: do the settings say that the run survives deaths? With
 * "auto", it does if the transport that they name allows it, and if nodes can
 * die.
 */
bool stn_survival_wanted(const struct stn_config *config);

/*
 * stn_survival_check: STN_INVALID if the run must survive deaths, by "yes", and
 * the settings name a transport or provider that can't be used.
 */
STN_CHECKED enum stn_err stn_survival_check(const struct stn_config *config,
					    struct stn_why *why);

/*
 * stn_survival_prefer: chooses the provider net of libfabric if tcp would be
 * chosen and the run may survive deaths, unless the user has named tcp. Returns
 * whether it has. Over net, messages are faster, too; but nodes can sleep on it
 * only with libfabric 1.17, so a run that needs no survival takes tcp.
 * @given  the user has named the transport or the provider
 */
bool stn_survival_prefer(struct stn_config *config, bool given);

/*
 * stn_survival_is_crash: does a program that crashes get this signal? It would
 * crash again on the next node, so the run does not survive that.
 */
bool stn_survival_is_crash(int signal);

#endif
