#include "apps/nbody/forces.h"

#include <stdlib.h>

bool
nbody_forces(const struct nbody_world *world, struct nbody_particle *particles,
	     const struct nbody_method *method, struct app_why *why)
{
	const struct fmm_plan *plan = nbody_plan(method);
	struct fmm_body *bodies = malloc(world->count * sizeof(*bodies));
	struct fmm_field *fields = malloc(world->count * sizeof(*fields));
	const double nowhere[3] = { 0 };
	bool summed = plan && bodies && fields;

	if (summed) {
		nbody_bodies(particles, world->count, nowhere, bodies);
		summed = !fmm_whole(plan, bodies, world->count, fields, NULL);
	}
	if (summed)
		nbody_set(particles, world->count, fields);
	free(bodies);
	free(fields);
	return summed || app_because(why, "out of memory");
}
