/* surface.h: the points of a cube's surface, and their symmetry. */
#ifndef FMM_SURFACE_H
#define FMM_SURFACE_H

#include "apps/fmm/plan.h"

/* surface_init: sets @surface for this order; 0, or -1. */
int surface_init(struct surface *surface, unsigned order);
void surface_finish(struct surface *surface);

#endif
