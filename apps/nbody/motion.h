/*
 * motion.h: how particles move: the leapfrog, and what it conserves.
 *
 * A step is half a kick, a drift, new sums, and half a kick (kick-drift-kick).
 */
#ifndef NBODY_MOTION_H
#define NBODY_MOTION_H

#include "apps/nbody/particle.h"

/* nbody_kick: changes the velocities by @time x the acceleration. */
void nbody_kick(const struct nbody_world *world,
		struct nbody_particle *particles, uint64_t count, double time);

/* nbody_drift: moves particles for @time. */
void nbody_drift(struct nbody_particle *particles, uint64_t count, double time);

/*
 * The quantities of a particle whose sums describe the whole. The potential
 * energy of a pair counts half at each of the two particles. The checksums are
 * whole numbers of NBODY_CHECKSUM_BITS bits that depend on each bit of the
 * particle's number, position and velocity; a double holds the exact sum of
 * NBODY_MOST of them.
 */
#define NBODY_CHECKSUM_BITS 25
enum nbody_quantity {
	NBODY_KINETIC,
	NBODY_POTENTIAL,
	NBODY_MOMENTUM_X,
	NBODY_MOMENTUM_Y,
	NBODY_MOMENTUM_Z,
	NBODY_STRENGTH, /* the absolute value of the source */
	NBODY_CHECKSUM_LOW,
	NBODY_CHECKSUM_HIGH,
	NBODY_QUANTITIES
};

/* nbody_add: the sum of a quantity of these particles. */
double nbody_add(const struct nbody_world *world,
		 const struct nbody_particle *particles, uint64_t count,
		 enum nbody_quantity quantity);

#endif
