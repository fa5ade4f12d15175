/*
 * plain.c: nbody --seq.
 */
#include "apps/nbody/forces.h"
#include "apps/nbody/run.h"

static bool
sum(struct nbody_run *run)
{
	double error = run->options.direct ? 0 : run->options.error;

	return nbody_forces(&run->world, run->particles, error, &run->why);
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
advance(struct nbody_run *run)
{
	struct nbody_world *world = &run->world;

	nbody_kick(world, run->particles, world->count, world->step / 2);
	nbody_drift(run->particles, world->count, world->step);
	if (!sum(run))
		return false;
	nbody_kick(world, run->particles, world->count, world->step / 2);
	world->time += world->step;
	return true;
}

/* Writes a frame if it is time for one. */
static bool
keep(struct nbody_run *run, long done)
{
	return !nbody_record_wants(&run->record, done) ||
	       nbody_record_add(&run->record, done, &run->world, run->particles,
				&run->why);
}

bool
nbody_plain_run(struct nbody_run *run)
{
	double begin;

	if (!sum(run))
		return false;
	add_all(run, run->before);
	if (!keep(run, 0))
		return false;
	begin = app_seconds();
	for (long done = 1; done <= run->options.steps; done++)
		if (!advance(run) || !keep(run, done))
			return false;
	run->seconds = app_seconds() - begin;
	add_all(run, run->after);
	return true;
}
