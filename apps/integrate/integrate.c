/*
 * integrate: the integral of 0.1 x sin x by adaptive trapezoids. If the areas
 * of a trapezoid's halves differ much from the area of the whole, the halves
 * are tasks.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <sateen.h>

#include "apps/app.h"

#define RANGE_MOST 10000000
#define EPSILON_LEAST 1e-9
#define EPSILON_MOST 1000.0
#define EVALUATIONS 3 /* of the function for a trapezoid; the unit of work */
#define TOLD_WIDTH 16 /* of a unit of progress, or up to twice as wide */

struct options {
	long low, high, threshold;
	const char *epsilon_text;
	double epsilon;
	bool sequential;
};

static const char help[] =
	"usage: integrate [--seq] [-a LOW] [-b HIGH] [-e EPSILON] "
	"[-t THRESHOLD]\n"
	"Integrates 0.1 x sin x from LOW to HIGH by trapezoids. Halves each\n"
	"trapezoid until that changes its area by less than EPSILON.\n"
	"\n"
	"  -a, --low LOW              a whole number (default 0)\n"
	"  -b, --high HIGH            a whole number (default 250000)\n"
	"  -e, --epsilon EPSILON      1e-9 to 1000 (default 1e-6)\n"
	"  -t, --threshold THRESHOLD  spawn if halving changes the area by "
	"more\n"
	"                             (default 1000)\n"
	"  -s, --seq                  the same, without spawns\n"
	"  -h, --help                 show this\n";

/* A trapezoid's area, and how much halving the trapezoid changes it. */
struct trapezoid {
	double middle, area, difference;
};

static double
function(double x)
{
	return 0.1 * x * sin(x);
}

static struct trapezoid
trapezoid(double a, double b)
{
	double half = (b - a) / 2, middle = a + half;
	double at_a = function(a), at_b = function(b);
	double at_middle = function(middle);
	double area = half * (at_a + at_b);
	double left = half / 2 * (at_a + at_middle);
	double right = half / 2 * (at_middle + at_b);

	return (struct trapezoid){ middle, area, fabs(area - (left + right)) };
}

static double
integrate_sequentially(double a, double b, double epsilon)
{
	struct trapezoid whole = trapezoid(a, b);

	if (whole.difference < epsilon)
		return whole.area;
	return integrate_sequentially(a, whole.middle, epsilon) +
	       integrate_sequentially(whole.middle, b, epsilon);
}

/*
 * The units of progress: the trapezoids whose width is TOLD_WIDTH or more, but
 * less than twice that, if all wider ones are halved.
 */
static uint64_t
units(double width)
{
	return width < TOLD_WIDTH ? 0 : 1ull << ilogb(width / TOLD_WIDTH);
}

/* The units of a trapezoid that won't be halved; 0: it will be. */
static uint64_t
units_of_whole(double a, double b, double epsilon)
{
	return trapezoid(a, b).difference < epsilon ? units(b - a) : 0;
}

/*
 * A wide trapezoid that is halved tells the units of itself or its halves. The
 * narrow ones, almost all, tell nothing; and neither do those that aren't
 * halved, where the check would cost the most.
 */
static void
tell_wide(STN_FRAME, double a, double middle, double b, double epsilon)
{
	STN_PROGRESS(b - a < 2 * TOLD_WIDTH
			     ? 1
			     : units_of_whole(a, middle, epsilon) +
				       units_of_whole(middle, b, epsilon),
		     0);
}

STN_TASK(double, integrate, double, a, double, b, double, epsilon, double,
	 threshold)
{
	struct trapezoid whole = trapezoid(a, b);
	double left, right;

	STN_WORK(EVALUATIONS);
	if (whole.difference < epsilon)
		return whole.area;
	if (b - a >= TOLD_WIDTH)
		tell_wide(STN_PASS_FRAME, a, whole.middle, b, epsilon);
	if (whole.difference <= threshold)
		return STN_CALL(integrate, a, whole.middle, epsilon,
				threshold) +
		       STN_CALL(integrate, whole.middle, b, epsilon, threshold);
	STN_SPAWN(integrate, a, whole.middle, epsilon, threshold);
	STN_SPAWN(integrate, whole.middle, b, epsilon, threshold);
	right = STN_SYNC(integrate);
	left = STN_SYNC(integrate);
	return left + right;
}

/* The integral is 0.1 (sin x - x cos x). */
static double
closed_form(double a, double b)
{
	return 0.1 * (sin(b) - b * cos(b) - (sin(a) - a * cos(a)));
}

/*
 * The largest error that the sum may have. A trapezoid of width w and curvature
 * c has the error c w^3 / 12, and it is halved while c w^3 / 16 > epsilon. So
 * its error is at most 4/3 epsilon, and its width is more than half of the w
 * where the error is 4/3 epsilon. The errors of one half wave of the function
 * cancel those of the next half wave, where c has the other sign. The first and
 * the last half wave may have no neighbour to cancel with, so the errors of two
 * half waves remain at most.
 */
static double
tolerance(double a, double b, double epsilon)
{
	double curvature = 0.1 * (fmax(fabs(a), fabs(b)) + 2);
	double width = cbrt(16 * epsilon / curvature) / 2;
	double trapezoids = M_PI / fmin(width, M_PI);

	return 2 * trapezoids * 4 / 3 * epsilon;
}

static double
integrate_by_tasks(STN_FRAME, double a, double b, double epsilon,
		   double threshold)
{
	double area;

	STN_PROGRESS(units_of_whole(a, b, epsilon), units(b - a));
	area = STN_CALL(integrate, a, b, epsilon, threshold);
	STN_PROGRESS_END();
	return area;
}

static int
read_options(int argc, char **argv, struct options *to)
{
	const struct app_option table[] = {
		{ 'a', "low", "LOW", .number = &to->low, .least = -RANGE_MOST,
		  .most = RANGE_MOST },
		{ 'b', "high", "HIGH", .number = &to->high,
		  .least = -RANGE_MOST, .most = RANGE_MOST },
		{ 'e', "epsilon", "EPSILON", .text = &to->epsilon_text },
		{ 't', "threshold", "THRESHOLD", .number = &to->threshold,
		  .most = LONG_MAX },
		{ 's', "seq", .flag = &to->sequential },
		{ 0 },
	};
	int status = app_options(argc, argv, help, table);

	if (status != APP_GO_ON)
		return status;
	if (!app_real(to->epsilon_text, EPSILON_LEAST, EPSILON_MOST,
		      &to->epsilon))
		return app_misuse("EPSILON must be a number from 1e-9 to 1000, "
				  "not '%s'",
				  to->epsilon_text);
	if (to->low > to->high)
		return app_misuse("LOW must not be above HIGH");
	return APP_GO_ON;
}

STN_MAIN(argc, argv)
{
	struct options options = { .high = 250000,
				   .threshold = 1000,
				   .epsilon_text = "1e-6" };
	int status = read_options(argc, argv, &options);
	double a = (double)options.low, b = (double)options.high;
	double start, seconds, area, right;

	if (status != APP_GO_ON)
		return status;
	start = STN_SECONDS();
	area = options.sequential
		       ? integrate_sequentially(a, b, options.epsilon)
		       : integrate_by_tasks(STN_PASS_FRAME, a, b,
					    options.epsilon,
					    (double)options.threshold);
	seconds = STN_SECONDS() - start;
	printf("integrate(%ld, %ld, %g) = %.7f\n", options.low, options.high,
	       options.epsilon, area);
	printf("time: %.3f s\n", seconds);
	right = closed_form(a, b);
	if (!(fabs(area - right) <= tolerance(a, b, options.epsilon)))
		return app_complain(1,
				    "the integral is %.7f: take a smaller "
				    "epsilon",
				    right);
	return 0;
}
