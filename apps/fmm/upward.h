/* upward.h: a summary's charges. */
#ifndef FMM_UPWARD_H
#define FMM_UPWARD_H

#include "apps/fmm/cells.h"

/* summary_root: to be changed. */
struct fmm_root *summary_root(struct fmm_summary *summary);

/* bodies_to_unit: particles in the coordinates of a cell at @place. */
void bodies_to_unit(const struct fmm_space *space, struct fmm_place place,
		    const struct fmm_body *bodies, size_t count,
		    struct fmm_body *to);

#endif
