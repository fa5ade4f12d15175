/*
 * cells.h: particles that are distributed over the nodes.
 */
#ifndef NBODY_CELLS_H
#define NBODY_CELLS_H

#include "apps/nbody/run.h"

/*
 * nbody_cells_run: makes all steps. Begins with run->particles if there are
 * any, else with the distribution. Sets run->particles at the end if they are
 * needed to measure the error, or for a picture. Returns false with the reason
 * in run->why.
 */
bool nbody_cells_run(STN_FRAME, struct nbody_run *run);

#endif
