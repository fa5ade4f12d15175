/* down.h: from the charges of far cells to the fields of particles. */
#ifndef FMM_DOWN_H
#define FMM_DOWN_H

#include "apps/fmm/walk.h"

/* down_translate: does the translations that the walk has noted; 0, or -1. */
int down_translate(struct local *local);

/* down_finish: takes potentials on surfaces down to the particles; 0, or -1. */
int down_finish(struct local *local);

#endif
