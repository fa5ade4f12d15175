/*
 * cells.c: steps with particles that are distributed over the nodes.
 */
#include <stdlib.h>
#include <sateen_cells.h>

#include "apps/nbody/cells.h"
#include "apps/nbody/forces_cells.h"

STN_CELLS_KERNEL(nbody_begin, struct nbody_particle, struct nbody_world, world,
		 uint32_t, distribution, uint64_t, seed)
{
	for (long i = 0; i < at->count; i++)
		nbody_make(&world, (enum nbody_distribution)distribution, seed,
			   (uint64_t)(at->first + i), &at->records[i]);
}

STN_CELLS_KERNEL(nbody_move, struct nbody_particle, struct nbody_world, world,
		 double, kick, double, drift)
{
	nbody_kick(&world, at->records, (uint64_t)at->count, kick);
	nbody_drift(at->records, (uint64_t)at->count, drift);
}

STN_CELLS_MEASURE(nbody_quantity, struct nbody_particle, struct nbody_world,
		  world, uint32_t, quantity)
{
	return nbody_add(&world, at->records, (uint64_t)at->count,
			 (enum nbody_quantity)quantity);
}

static void
add_all(STN_FRAME, struct stn_parts *cells, const struct nbody_world *world,
	double quantities[NBODY_QUANTITIES])
{
	for (uint32_t i = 0; i < NBODY_QUANTITIES; i++)
		quantities[i] = STN_CELLS_SUM(cells, nbody_quantity, *world, i);
}

static bool
fetch(STN_FRAME, struct stn_parts *cells, struct nbody_run *run)
{
	uint64_t count = run->world.count;

	if (!run->particles)
		run->particles = malloc(count * sizeof(*run->particles));
	if (!run->particles)
		return app_because(&run->why, "out of memory");
	STN_CELLS_GET(cells, 0, count, run->particles);
	return true;
}

/* Writes a frame if it is time for one. */
static bool
keep(STN_FRAME, struct stn_parts *cells, struct nbody_run *run, long done)
{
	if (!nbody_record_wants(&run->record, done))
		return true;
	if (!fetch(STN_PASS_FRAME, cells, run))
		return false;
	nbody_record_add(&run->record, done, &run->world, run->particles);
	return true;
}

static void
advance(STN_FRAME, struct stn_parts *cells, struct nbody_run *run)
{
	struct nbody_world *world = &run->world;
	double half = world->step / 2;

	STN_CELLS_SWEEP(cells, nbody_move, *world, half, world->step);
	STN_REHASH(cells);
	nbody_forces_cells(STN_PASS_FRAME, cells, world, &run->method,
			   run->before[NBODY_STRENGTH], half);
	world->time += world->step;
}

static bool
make_steps(STN_FRAME, struct stn_parts *cells, struct nbody_run *run)
{
	const struct nbody_options *options = &run->options;
	double begin;

	STN_PROGRESS(0,
		     (uint64_t)options->steps + 1); /* with the forces before */
	nbody_forces_cells(STN_PASS_FRAME, cells, &run->world, &run->method,
			   STN_CELLS_SUM(cells, nbody_quantity, run->world,
					 NBODY_STRENGTH),
			   0);
	STN_PROGRESS(1, 0);
	add_all(STN_PASS_FRAME, cells, &run->world, run->before);
	if (!keep(STN_PASS_FRAME, cells, run, 0))
		return false;
	begin = STN_SECONDS();
	for (long done = 1; done <= options->steps; done++) {
		uint64_t resumed = STN_RESUMED(cells);

		advance(STN_PASS_FRAME, cells, run);
		if (STN_RESUMED(cells) > resumed)
			run->resumed = done;
		if (!keep(STN_PASS_FRAME, cells, run, done))
			return false;
		STN_PROGRESS(1, 0);
	}
	STN_PROGRESS_END();
	run->seconds = STN_SECONDS() - begin;
	add_all(STN_PASS_FRAME, cells, &run->world, run->after);
	return true;
}

/*
 * Smaller parts can be shared more evenly by more nodes, but have more far
 * cells in common, whose effects each part computes.
 */
static uint32_t
choose_most(const struct nbody_run *run)
{
	uint64_t share = run->world.count / 32;

	if (run->options.part)
		return (uint32_t)run->options.part;
	return share < 1000 ? 1000 : share > 15000 ? 15000 : (uint32_t)share;
}

bool
nbody_cells_run(STN_FRAME, struct nbody_run *run)
{
	const struct nbody_options *options = &run->options;
	struct stn_parts *cells = nbody_cells(STN_PASS_FRAME, run->world.count,
					      choose_most(run), &run->method);

	if (!cells)
		return app_because(&run->why, "out of memory");
	if (run->particles)
		STN_CELLS_PUT(cells, run->particles);
	else
		STN_CELLS_FILL(cells, nbody_begin, run->world,
			       (uint32_t)options->distribution,
			       (uint64_t)options->seed);
	if (!make_steps(STN_PASS_FRAME, cells, run))
		return false;
	/* The frame of the last step, if it was wanted, has fetched them. */
	return (!options->check && !options->png) ||
	       nbody_record_wants(&run->record, options->steps) ||
	       fetch(STN_PASS_FRAME, cells, run);
}
