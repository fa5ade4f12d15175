/*
 * plan_fuse.h: whether the programs of a run use fused multiply-add.
 */
#ifndef STN_LAUNCH_PLAN_PLAN_FUSE_H
#define STN_LAUNCH_PLAN_PLAN_FUSE_H

#include "launch/plan/plan_private.h"

/*
 * plan_fuse: decides that by the surveys, and writes it into the settings.
 * STN_INVALID: node @rank joins the run, and can't compute as the others do.
 */
STN_CHECKED enum stn_err plan_fuse(struct plan_run *run, uint32_t rank,
				   struct stn_why *why);

#endif
