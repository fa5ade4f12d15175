/*
 * forces_cells.h: the fast multipole method over particles that are distributed
 * over the nodes.
 */
#ifndef NBODY_FORCES_CELLS_H
#define NBODY_FORCES_CELLS_H

#include <sateen_cells.h>

#include "apps/nbody/plan.h"

/*
 * nbody_cells: an array of cells for @count particles, of at most @most in a
 * part. Returns NULL if there isn't enough memory for the method's tables.
 */
struct stn_parts *nbody_cells(STN_FRAME, uint64_t count, uint32_t most,
			      const struct nbody_method *method);

/*
 * nbody_forces_cells: sets the sums of all particles, as nbody_forces does; then
 * nbody_kick, for the time @kick.
 * @strength  the sum of the absolute values of all sources
 */
void nbody_forces_cells(STN_FRAME, struct stn_parts *cells,
			const struct nbody_world *world,
			const struct nbody_method *method, double strength,
			double kick);

#endif
