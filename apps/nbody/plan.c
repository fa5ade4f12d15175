#include "apps/nbody/plan.h"

#include <pthread.h>

const struct fmm_plan *
nbody_plan(const struct nbody_method *method)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct fmm_plan *plan;

	pthread_mutex_lock(&lock);
	if (!plan)
		plan = fmm_plan_create(&(struct fmm_options){
			.error = method->error,
			.both_signs = method->both_signs,
			.arithmetic =
				method->unfused ? FMM_UNFUSED : FMM_FUSED,
		});
	pthread_mutex_unlock(&lock);
	return plan;
}

void
nbody_bodies(const struct nbody_particle *particles, uint64_t count,
	     const double away[3], struct fmm_body *bodies)
{
	for (uint64_t i = 0; i < count; i++)
		bodies[i] = (struct fmm_body){
			particles[i].at[0] - away[0],
			particles[i].at[1] - away[1],
			particles[i].at[2] - away[2],
			particles[i].source,
		};
}

void
nbody_set(struct nbody_particle *particles, uint64_t count,
	  const struct fmm_field *fields)
{
	for (uint64_t i = 0; i < count; i++) {
		particles[i].potential = fields[i].potential;
		particles[i].gradient[0] = fields[i].x;
		particles[i].gradient[1] = fields[i].y;
		particles[i].gradient[2] = fields[i].z;
	}
}
