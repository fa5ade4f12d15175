/* fmm.c: the fast multipole method against direct sums. */
#include <math.h>
#include <string.h>

#include "apps/fmm/fmm.h"
#include "apps/random.h"
#include "tests/tap.h"

#define BODIES 6000
#define SAMPLES 400

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
static struct fmm_field fields[BODIES];

static void
test_errors(void)
{
	for (double wanted = 1e-2; wanted > 5e-10; wanted /= 10) {
		struct fmm_options options = { .error = wanted, .leaf = 20 };
		struct fmm_plan *plan = fmm_plan_create(&options);

		for (int i = 0; i < 4; i++) {
			double error, gradient;

			make(bodies, BODIES, distributions[i].body, false);
			fmm_whole(plan, bodies, BODIES, fields, NULL);
			error = error_of(bodies, fields, BODIES, &gradient);
			tap_ok(error < wanted && gradient < 20 * wanted,
			       "%s for %.0e: error %.1e, of gradients %.1e",
			       distributions[i].name, wanted, error, gradient);
		}
		fmm_plan_free(plan);
	}
}

int
main(void)
{
	tap_begin();
	test_errors();
	return tap_end();
}
