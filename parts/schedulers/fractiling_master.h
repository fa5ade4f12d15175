/*
 * fractiling_master.h: the fractiling master, which decides which resident set
 * sweeps which parts (fractiling.c). Net lock held.
 */
#ifndef STN_PARTS_SCHEDULERS_FRACTILING_MASTER_H
#define STN_PARTS_SCHEDULERS_FRACTILING_MASTER_H

#include "parts/schedulers/fractiling_grants.h"

/* What a request says about the set that sends it. */
enum {
	DONE,	 /* it has swept all that it was granted */
	EARLY,	 /* it will have, soon */
	DONE_NOW /* the same set as in its last request, which was early */
};

/*
 * stn_fractiling_is_master: whether the master is on this node.
 * stn_fractiling_master_begin: it begins with the current operation, unless it
 * has.
 * stn_fractiling_request: a request has come to where the master is, or was, or
 * will soon be.
 * stn_fractiling_look_after: it answers requests, one after the other. Returns
 * when to call it again, or STN_FOREVER.
 */
bool stn_fractiling_is_master(const struct stn_parts *array);
void stn_fractiling_master_begin(struct stn_parts *array);
void stn_fractiling_request(struct stn_parts *array,
			    const struct stn_parts_ask *ask);
uint64_t stn_fractiling_look_after(struct stn_parts *array, uint64_t now);

#endif
