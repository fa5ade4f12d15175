/*
 * owners.h: what each worker of a node owns of the stealing service: its deque,
 * and the lists that belong to it.
 */
#ifndef STN_STEAL_OWNERS_H
#define STN_STEAL_OWNERS_H

#include "steal/steal.h"

/*
 * stn_owners_open: opens the owner of each worker; @steal->owners has been
 * zeroed, and the other members of @steal are set. After an error all are
 * closed, and *why says why.
 * stn_owners_close: closes all, also those that are not open.
 */
STN_CHECKED enum stn_err stn_owners_open(struct stn_steal *steal,
					 struct stn_why *why);
void stn_owners_close(struct stn_steal *steal);

#endif
