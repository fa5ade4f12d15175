/*
 * nbody: particles that attract each other (or charges that also repel each
 * other), by the fast multipole method, and moved by the leapfrog. The energy
 * before and after the steps is printed.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sateen.h>

#include "apps/nbody/cells.h"
#include "apps/nbody/check.h"
#include "apps/nbody/density.h"
#include "apps/nbody/run.h"
#include "apps/shades.h"

/* Makes or reads the particles. Returns APP_GO_ON, or an exit status. */
static int
begin(struct nbody_run *run)
{
	const struct nbody_options *options = &run->options;
	struct nbody_world *world = &run->world;

	if (options->read) {
		run->particles =
			nbody_file_read(options->read, world, &run->why);
		if (run->particles)
			return APP_GO_ON;
		return app_complain(APP_BAD_INPUT, "%s", run->why.text);
	}
	if (!options->direct && !options->sequential)
		return APP_GO_ON; /* all nodes will make them */
	run->particles = malloc(world->count * sizeof(*run->particles));
	if (!run->particles)
		return app_complain(1, "out of memory");
	for (uint64_t i = 0; i < world->count; i++)
		nbody_make(world, options->distribution,
			   (uint64_t)options->seed, i, &run->particles[i]);
	return APP_GO_ON;
}

static void
print_energy(const char *when, const double quantities[NBODY_QUANTITIES])
{
	double kinetic = quantities[NBODY_KINETIC];
	double potential = quantities[NBODY_POTENTIAL];

	printf("%s: energy %.10g = kinetic %.10g + potential %.10g\n", when,
	       kinetic + potential, kinetic, potential);
}

static uint64_t
checksum(const double quantities[NBODY_QUANTITIES])
{
	uint64_t high = (uint64_t)quantities[NBODY_CHECKSUM_HIGH];
	uint64_t low = (uint64_t)quantities[NBODY_CHECKSUM_LOW];

	return ((high << NBODY_CHECKSUM_BITS) + low) & 0xfffffffffffff;
}

static void
print_changes(const struct nbody_run *run)
{
	const double *before = run->before, *after = run->after;
	double energy = before[NBODY_KINETIC] + before[NBODY_POTENTIAL];
	double change = after[NBODY_KINETIC] + after[NBODY_POTENTIAL] - energy;
	double square = 0;

	for (int d = 0; d < 3; d++) {
		double moved = after[NBODY_MOMENTUM_X + d] -
			       before[NBODY_MOMENTUM_X + d];

		square += moved * moved;
	}
	printf("change: energy %.3g of it, momentum %.3g\n",
	       change == 0 ? 0 : fabs(change / energy), sqrt(square));
}

static void
print_run(const struct nbody_run *run)
{
	const struct nbody_options *options = &run->options;
	long steps = options->steps - run->resumed;
	double work = (double)steps * (double)run->world.count;

	printf("nbody(%s, %" PRIu64
	       " particles, %ld steps of %g): checksum %013" PRIx64 "\n",
	       options->read ? options->read
			     : nbody_distribution_name(options->distribution),
	       run->world.count, options->steps, options->step,
	       checksum(run->after));
	print_energy("before", run->before);
	print_energy("after", run->after);
	print_changes(run);
	printf("time: %.3f s", run->seconds);
	if (run->resumed)
		printf(" for %ld of %ld steps, since the run was resumed",
		       steps, options->steps);
	if (steps)
		printf(", %.4f s a step, %.3f us a particle and step",
		       run->seconds / (double)steps, run->seconds / work * 1e6);
	printf("\n");
}

/*
 * Refuses an energy that is not finite, and measures the error if that is asked
 * for. Returns the exit status.
 */
static int
check(const struct nbody_run *run)
{
	const struct nbody_options *options = &run->options;
	double asked = options->direct ? 0 : options->error;
	struct nbody_errors errors;

	if (!isfinite(run->after[NBODY_KINETIC] + run->after[NBODY_POTENTIAL]))
		return app_complain(1, "the energy is not a finite number");
	if (!options->check)
		return 0;
	errors = nbody_check(&run->world, run->particles,
			     (uint64_t)options->check);
	printf("error: asked %.3g, potential %.3g, gradient %.3g\n", asked,
	       errors.potential, errors.gradient);
	if (errors.potential <= asked)
		return 0;
	return app_complain(1, "the error is %.3g", errors.potential);
}

static bool
check_files(const struct nbody_options *options, struct app_why *why)
{
	return app_check_replaced(options->write, why) &&
	       app_check_output(options->png, why) &&
	       (!options->write || nbody_file_check(why)) &&
	       (!options->png || shades_check(why));
}

STN_MAIN(argc, argv)
{
	struct nbody_run run = { 0 };
	int status = nbody_options_read(argc, argv, &run.options);

	if (status != APP_GO_ON)
		return status;
	if (!check_files(&run.options, &run.why))
		return app_complain(1, "%s", run.why.text);
	run.record.options = &run.options;
	run.world =
		(struct nbody_world){ .count = (uint64_t)run.options.particles,
				      .charges = run.options.charges,
				      .softening = run.options.softening,
				      .step = run.options.step };
	run.method = (struct nbody_method){ .error = run.options.error,
					    .both_signs = run.options.charges,
					    .unfused = !STN_FUSES() };
	status = begin(&run);
	if (status != APP_GO_ON)
		return status;
	if (!(run.options.sequential || run.options.direct
		      ? nbody_run_steps(STN_PASS_FRAME, &run)
		      : nbody_cells_run(STN_PASS_FRAME, &run))) {
		free(run.particles);
		return app_complain(1, "%s", run.why.text);
	}
	print_run(&run);
	status = check(&run) || run.record.failed;
	if (run.options.png &&
	    !nbody_density_write(run.options.png, run.particles,
				 run.world.count, &run.why))
		status = app_complain(1, "%s", run.why.text);
	free(run.particles);
	return status;
}
