/* fmm.c: the fast multipole method against direct sums. */
#include <math.h>
#include <string.h>

#include "apps/fmm/fmm.h"
#include "apps/random.h"
#include "tests/tap.h"

#define BODIES 4000
#define SAMPLES 300

static struct app_random generator;

/* A random number from 0 to 1. */
static double
uniform(void)
{
	return (double)app_random(&generator, UINT64_C(1) << 32) /
	       (double)(UINT64_C(1) << 32);
}

static double
normal(void)
{
	return sqrt(-2 * log(1 - uniform())) * cos(2 * M_PI * uniform());
}

static struct fmm_body
uniform_body(void)
{
	return (struct fmm_body){ uniform(), uniform(), uniform(), 1 };
}

static struct fmm_body
gaussian_body(void)
{
	return (struct fmm_body){ normal(), normal(), normal(), 1 };
}

/* A Gaussian in the middle of one octant. */
static struct fmm_body
corner_body(void)
{
	struct fmm_body body = { 0.25 + normal() / 30, 0.25 + normal() / 30,
				 0.25 + normal() / 30, 1 };

	return uniform() < 0.01 ? uniform_body() : body;
}

static struct fmm_body
plummer_body(void)
{
	double radius = 1 / sqrt(pow(0.999 * uniform() + 1e-6, -2.0 / 3) - 1);
	double z = 2 * uniform() - 1, turn = 2 * M_PI * uniform();
	double across = sqrt(1 - z * z);

	return (struct fmm_body){ radius * across * cos(turn),
				  radius * across * sin(turn), radius * z, 1 };
}

static const struct {
	const char *name;
	struct fmm_body (*body)(void);
} distributions[] = {
	{ "uniform", uniform_body },
	{ "Gaussian", gaussian_body },
	{ "corner", corner_body },
	{ "Plummer", plummer_body },
};

static void
make(struct fmm_body *bodies, size_t count, struct fmm_body (*body)(void),
     bool both_signs)
{
	generator.state = 1;
	for (size_t i = 0; i < count; i++) {
		bodies[i] = body();
		if (both_signs)
			bodies[i].charge = 2 * uniform() - 1;
	}
}

/* The relative error of potentials; that of gradients is in @gradient_p. */
static double
compare(const struct fmm_field *fields, const struct fmm_field *right,
	size_t count, double *gradient_p)
{
	double wrong = 0, all = 0, wrong_gradient = 0, all_gradient = 0;

	for (size_t i = 0; i < count; i++) {
		const struct fmm_field *a = &fields[i], *b = &right[i];
		double x = a->x - b->x, y = a->y - b->y, z = a->z - b->z;

		wrong += pow(a->potential - b->potential, 2);
		all += b->potential * b->potential;
		wrong_gradient += x * x + y * y + z * z;
		all_gradient += b->x * b->x + b->y * b->y + b->z * b->z;
	}
	*gradient_p = sqrt(wrong_gradient / all_gradient);
	return sqrt(wrong / all);
}

/* The error of @fields, by direct sums for some particles. */
static double
error_of(const struct fmm_body *bodies, const struct fmm_field *fields,
	 size_t count, double *gradient_p)
{
	static struct fmm_field some[SAMPLES], right[SAMPLES];
	uint32_t which[SAMPLES];
	size_t samples = count < SAMPLES ? count : SAMPLES;

	for (size_t i = 0; i < samples; i++) {
		which[i] = (uint32_t)(i * count / samples);
		some[i] = fields[which[i]];
	}
	fmm_direct(bodies, count, which, samples, right);
	return compare(some, right, samples, gradient_p);
}

static struct fmm_body bodies[BODIES];
static struct fmm_field fields[BODIES], others[BODIES];

static struct fmm_plan *
plan_for(double error, unsigned leaf, const char *isa)
{
	struct fmm_options options = {
		.error = error, .both_signs = true, .leaf = leaf, .isa = isa
	};

	return fmm_plan_create(&options);
}

/*
 * What apps/nbody/README.md promises for these errors of potentials: errors of
 * gradients for charges of one sign, and of both signs.
 */
static const struct {
	double wanted, gradients[2];
} accuracies[] = {
	{ 1e-2, { 1e-2, 4e-2 } }, { 1e-3, { 1e-2, 4e-3 } },
	{ 1e-4, { 2e-4, 4e-4 } }, { 1e-5, { 2e-4, 4e-5 } },
	{ 1e-6, { 4e-5, 4e-6 } }, { 1e-7, { 6e-7, 4e-7 } },
	{ 1e-8, { 6e-7, 4e-8 } }, { 1e-9, { 7e-8, 4e-9 } },
};

static void
test_error(struct fmm_plan *plan, size_t accuracy, size_t which,
	   bool both_signs)
{
	double wanted = accuracies[accuracy].wanted, error, gradient;

	make(bodies, BODIES, distributions[which].body, both_signs);
	fmm_whole(plan, bodies, BODIES, fields, NULL);
	error = error_of(bodies, fields, BODIES, &gradient);
	tap_ok(error < wanted &&
		       gradient < accuracies[accuracy].gradients[both_signs],
	       "%s, %s for %.0e: error %.1e, of gradients %.1e",
	       distributions[which].name,
	       both_signs ? "both signs" : "one sign", wanted, error, gradient);
}

/* Small leaves, so that there are many levels. */
static void
test_errors(bool both_signs)
{
	for (size_t a = 0; a < sizeof accuracies / sizeof accuracies[0]; a++) {
		struct fmm_options options = { .error = accuracies[a].wanted,
					       .both_signs = both_signs,
					       .leaf = 20 };
		struct fmm_plan *plan = fmm_plan_create(&options);

		for (size_t i = 0; i < 4; i++)
			test_error(plan, a, i, both_signs);
		fmm_plan_free(plan);
	}
}

/* The error of @count bodies is at most @most; all fields are finite. */
static bool
right(struct fmm_plan *plan, size_t count, double most)
{
	double gradient;

	for (size_t i = 0; i < count; i++)
		fields[i].potential = NAN;
	if (fmm_whole(plan, bodies, count, fields, NULL) < 0)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!isfinite(fields[i].potential) || !isfinite(fields[i].x))
			return false;
	return error_of(bodies, fields, count, &gradient) < most;
}

/* Half of the particles at one point; the others are around it. */
static bool
right_around_point(struct fmm_plan *plan)
{
	double gradient;

	make(bodies, BODIES, uniform_body, false);
	for (size_t i = 0; i < BODIES; i += 2)
		bodies[i] = (struct fmm_body){ 0.3, 0.4, 0.6, 1 };
	return fmm_whole(plan, bodies, BODIES, fields, NULL) == 0 &&
	       error_of(bodies, fields, BODIES, &gradient) < 1e-4 &&
	       gradient < 1e-3;
}

static bool
all_zero(size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (fields[i].potential != 0 || fields[i].x != 0 ||
		    fields[i].y != 0 || fields[i].z != 0)
			return false;
	return true;
}

static void
test_points(struct fmm_plan *plan)
{
	make(bodies, BODIES, uniform_body, false);
	for (size_t i = 0; i < BODIES; i += 2)
		bodies[i] = bodies[i + 1];
	tap_ok(right(plan, BODIES, 1e-5), "two particles at each point");
	for (size_t i = 0; i < BODIES; i++)
		bodies[i] = (struct fmm_body){ 3, -4, 1e9, 1 };
	fmm_whole(plan, bodies, BODIES, fields, NULL);
	tap_ok(all_zero(BODIES), "all particles at one point");
	bodies[0].x = 4;
	/* All are in corners of their cells, where errors are largest. */
	tap_ok(right(plan, BODIES, 1e-4), "all but one at one point");
	tap_ok(right_around_point(plan), "many particles at one point");
	fmm_whole(plan, bodies, 1, fields, NULL);
	tap_ok(all_zero(1), "one particle");
	tap_ok(fmm_whole(plan, bodies, 0, fields, NULL) == 0, "no particles");
}

/* The places have 22 bits behind the point. */
static void
test_far_away(void)
{
	struct fmm_plan *plan = plan_for(1e-9, 20, NULL);

	make(bodies, BODIES, uniform_body, false);
	for (size_t i = 0; i < BODIES; i++) {
		bodies[i].x += 0x1p30;
		bodies[i].z -= 0x1p30;
	}
	tap_ok(right(plan, BODIES, 1e-9), "particles far from the origin");
	fmm_plan_free(plan);
}

static void
test_charges(struct fmm_plan *plan)
{
	make(bodies, BODIES, plummer_body, false);
	tap_ok(right(plan, 30, 1e-5), "all particles in one cell");
	for (size_t i = 0; i < BODIES; i++)
		bodies[i].charge = i % 2 ? 1 : -1;
	tap_ok(right(plan, BODIES, 1e-5), "charges that cancel");
	for (size_t i = 0; i < BODIES; i++)
		bodies[i].charge = 0;
	fmm_whole(plan, bodies, BODIES, fields, NULL);
	tap_ok(all_zero(BODIES), "no charges");
	for (size_t i = 0; i < BODIES; i++)
		bodies[i].charge = 1e100;
	tap_ok(right(plan, BODIES, 1e-5), "large charges");
	for (size_t i = 0; i < BODIES; i++)
		bodies[i].charge = 1e-100;
	tap_ok(right(plan, BODIES, 1e-5), "small charges");
	for (size_t i = 0; i < BODIES; i++)
		bodies[i] = (struct fmm_body){ 1e-30 * bodies[i].x,
					       1e-30 * bodies[i].y,
					       1e-30 * bodies[i].z, 1 };
	tap_ok(right(plan, BODIES, 1e-5), "small distances");
}

/* Both kinds of spectra, single and double. */
static void
test_isa(const char *isa, double error)
{
	struct fmm_plan *best = plan_for(error, 20, NULL);
	struct fmm_plan *plan = plan_for(error, 20, isa);

	make(bodies, BODIES, plummer_body, true);
	fmm_whole(best, bodies, BODIES, others, NULL);
	fmm_whole(plan, bodies, BODIES, fields, NULL);
	tap_ok(memcmp(fields, others, sizeof fields) == 0,
	       "%s computes the same bits as %s for %.0e", fmm_isa(plan),
	       fmm_isa(best), error);
	fmm_plan_free(best);
	fmm_plan_free(plan);
}

static bool
has_arithmetic(const char *isa, enum fmm_arithmetic arithmetic)
{
	struct fmm_options options = { .order = 2,
				       .isa = isa,
				       .arithmetic = arithmetic };
	struct fmm_plan *plan = fmm_plan_create(&options);

	fmm_plan_free(plan);
	return plan;
}

static void
test_isas(void)
{
	const char *isa;

	for (unsigned i = 1; (isa = fmm_isa_name(i)) != NULL; i++) {
		if (!has_arithmetic(isa, FMM_FUSED))
			continue;
		test_isa(isa, 1e-3);
		test_isa(isa, 1e-8);
	}
	tap_ok(plan_for(1, 0, "abacus") == NULL, "an unknown isa is refused");
	tap_ok(has_arithmetic(NULL, FMM_UNFUSED),
	       "all processors can do without fused multiply-add");
}

/* Sorts the bodies by their keys. */
static struct fmm_space
sort_bodies(void)
{
	static struct fmm_body unsorted[BODIES];
	static uint32_t order[BODIES];
	struct fmm_space space = fmm_space(bodies, BODIES);

	memcpy(unsorted, bodies, sizeof unsorted);
	fmm_sort(&space, unsorted, BODIES, order);
	for (size_t i = 0; i < BODIES; i++)
		bodies[i] = unsorted[order[i]];
	return space;
}

static void
test_parts(size_t most, size_t which)
{
	struct fmm_plan *plan = plan_for(1e-5, 20, NULL);
	struct fmm_space space;
	double difference, gradient;

	make(bodies, BODIES, distributions[which].body, true);
	space = sort_bodies();
	fmm_whole(plan, bodies, BODIES, others, NULL);
	fmm_by_parts(plan, &space, bodies, BODIES, most, fields, NULL);
	difference = compare(fields, others, BODIES, &gradient);
	tap_ok(difference < 1e-5 && gradient < 1e-4,
	       "%s in parts of %zu: difference %.1e, of gradients %.1e",
	       distributions[which].name, most, difference, gradient);
	fmm_plan_free(plan);
}

/* Counting without computing gives the same numbers. */
static void
test_work(void)
{
	struct fmm_plan *plan = plan_for(1e-5, 20, NULL);
	struct fmm_place place = { 0 };
	struct fmm_task task = { .own = { .bodies = bodies } };
	struct fmm_space space;
	struct fmm_summary *summary;
	struct fmm_work counted, done;

	make(bodies, BODIES, plummer_body, true);
	space = sort_bodies();
	fmm_summarise(plan, &space, place, bodies, BODIES, &summary);
	task.own.summary = summary;
	fmm_count(plan, &space, &task, &counted);
	fmm_evaluate(plan, &space, &task, fields, &done);
	tap_ok(memcmp(&counted, &done, sizeof done) == 0 && done.pairs &&
		       done.surface && done.translations,
	       "the work is known in advance: %.3g pairs",
	       fmm_cost(plan, &done));
	free(summary);
	fmm_plan_free(plan);
}

/* A part's fields, computed in pieces, have the same bits, and no more work. */
static void
test_pieces(size_t count)
{
	struct fmm_plan *plan = plan_for(1e-3, 20, NULL);
	struct fmm_place place = { 0 };
	struct fmm_task task = { .own = { .bodies = bodies } };
	struct fmm_space space;
	struct fmm_summary *summary;
	struct fmm_work all, piece;
	uint64_t pairs = 0;

	make(bodies, BODIES, plummer_body, true);
	space = sort_bodies();
	fmm_summarise(plan, &space, place, bodies, BODIES, &summary);
	task.own.summary = summary;
	fmm_evaluate(plan, &space, &task, others, &all);
	for (size_t i = 0; i < BODIES; i += count) {
		task.first = i;
		task.count = BODIES - i < count ? BODIES - i : count;
		fmm_evaluate(plan, &space, &task, fields + i, &piece);
		pairs += piece.pairs;
	}
	tap_ok(memcmp(fields, others, sizeof fields) == 0 && pairs == all.pairs,
	       "pieces of %zu particles", count);
	free(summary);
	fmm_plan_free(plan);
}

int
main(void)
{
	struct fmm_plan *plan = plan_for(1e-5, 40, NULL);

	tap_begin();
	test_points(plan);
	test_far_away();
	test_charges(plan);
	fmm_plan_free(plan);
	test_errors(false);
	test_errors(true);
	test_isas();
	for (size_t i = 0; i < 4; i++) {
		test_parts(2000, i);
		test_parts(300, i);
	}
	test_parts(30, 3);
	test_work();
	test_pieces(700);
	test_pieces(BODIES - 1);
	return tap_end();
}
