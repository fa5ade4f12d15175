/*
 * density.h: a picture of where particles are.
 */
#ifndef NBODY_DENSITY_H
#define NBODY_DENSITY_H

#include "apps/app.h"
#include "apps/nbody/particle.h"

/*
 * nbody_density_write: writes a PNG file of 512 x 512 pixels with the number of
 * particles on a logarithmic scale, seen along the z axis. The picture is the
 * least square, with x to the right and y up, that has 99 % of the particles in
 * each of both directions. Returns false with the reason in @why.
 */
bool nbody_density_write(const char *path, const struct nbody_particle *all,
			 uint64_t count, struct app_why *why);

#endif
