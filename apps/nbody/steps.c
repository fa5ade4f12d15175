/*
 * steps.c: steps with all particles in one array.
 */
#include "apps/nbody/forces.h"
#include "apps/nbody/run.h"

static bool
sum(STN_FRAME, struct nbody_run *run)
{
	const struct nbody_options *options = &run->options;

	if (options->direct)
		return nbody_forces_directly(STN_PASS_FRAME, &run->world,
					     run->particles,
					     options->sequential, &run->why);
	return nbody_forces(&run->world, run->particles, &run->method,
			    &run->why);
}

static void
add_all(const struct nbody_run *run, double quantities[NBODY_QUANTITIES])
{
	for (int i = 0; i < NBODY_QUANTITIES; i++)
		quantities[i] =
			nbody_add(&run->world, run->particles, run->world.count,
				  (enum nbody_quantity)i);
}

static bool
advance(STN_FRAME, struct nbody_run *run)
{
	struct nbody_world *world = &run->world;

	nbody_kick(world, run->particles, world->count, world->step / 2);
	nbody_drift(run->particles, world->count, world->step);
	if (!sum(STN_PASS_FRAME, run))
		return false;
	nbody_kick(world, run->particles, world->count, world->step / 2);
	world->time += world->step;
	return true;
}

/* Writes a frame if it is time for one. */
static void
keep(struct nbody_run *run, long done)
{
	if (nbody_record_wants(&run->record, done))
		nbody_record_add(&run->record, done, &run->world,
				 run->particles);
}

bool
nbody_run_steps(STN_FRAME, struct nbody_run *run)
{
	double begin;

	STN_PROGRESS(0, (uint64_t)run->options.steps + 1);
	if (!sum(STN_PASS_FRAME, run))
		return false;
	STN_PROGRESS(1, 0);
	add_all(run, run->before);
	keep(run, 0);
	begin = STN_SECONDS();
	for (long done = 1; done <= run->options.steps; done++) {
		if (!advance(STN_PASS_FRAME, run))
			return false;
		keep(run, done);
		STN_PROGRESS(1, 0);
	}
	STN_PROGRESS_END();
	run->seconds = STN_SECONDS() - begin;
	add_all(run, run->after);
	return true;
}
