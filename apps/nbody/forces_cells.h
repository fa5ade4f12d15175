/*
 * forces_cells.h: the fast multipole method over particles that are distributed
 * over the nodes.
 */
#ifndef NBODY_FORCES_CELLS_H
#define NBODY_FORCES_CELLS_H

#include <sateen_cells.h>

#include "apps/nbody/particle.h"

/*
 * nbody_cells: an array of cells for @count particles, of at most @most in a
 * part. Returns NULL if there isn't enough memory for the method's tables.
 */
struct stn_parts *nbody_cells(STN_FRAME, uint64_t count, uint32_t most,
			      double error);

/*
 * nbody_forces_cells: sets the sums of all particles, as nbody_forces does.
 * @strength is the sum of the absolute values of all sources.
 */
void nbody_forces_cells(STN_FRAME, struct stn_parts *cells, double error,
			double strength);

#endif
