/*
 * golomb: finds the shortest Golomb ruler with N marks: no two pairs of marks
 * are equally far apart. The first marks are tasks (shared.c), and kernel.c
 * places the others.
 */
#include <stdio.h>
#include <string.h>
#include <sateen.h>

#include "apps/app.h"
#include "apps/golomb/floors.h"
#include "apps/golomb/shared.h"

struct options {
	long marks, depth, length;
	bool sequential;
};

static const char help[] =
	"usage: golomb [--seq] [-d DEPTH] [--length LENGTH] N\n"
	"Finds the shortest Golomb ruler with N marks, N from 3 to 16: no two\n"
	"pairs of marks are equally far apart.\n"
	"\n"
	"  -l, --length LENGTH  find the first ruler that is no longer than\n"
	"                       LENGTH, in lexicographic order, at most 255\n"
	"  -d, --depth DEPTH    place the first DEPTH marks by tasks, at most\n"
	"                       8 (default 4)\n"
	"  -s, --seq            the same search, without spawns\n"
	"  -h, --help           show this\n";

static int
read_options(int argc, char **argv, struct options *to)
{
	const struct app_option table[] = {
		{ 'l', "length", "LENGTH", .number = &to->length, .least = 1,
		  .most = GOLOMB_LENGTH_MOST },
		{ 'd', "depth", "DEPTH", .number = &to->depth,
		  .most = GOLOMB_DEPTH_MOST },
		{ 's', "seq", .flag = &to->sequential },
		{ .value = "N",
		  .number = &to->marks,
		  .least = 3,
		  .most = GOLOMB_MARKS_MOST,
		  .needed = true },
		{ 0 },
	};

	return app_options(argc, argv, help, table);
}

static void
print_ruler(const struct golomb_ruler *ruler, const struct options *options)
{
	if (options->length)
		printf("golomb(%ld, %ld) =", options->marks, options->length);
	else
		printf("golomb(%ld) =", options->marks);
	if (!ruler->found) {
		printf(" none\n");
		return;
	}
	printf(" %d\nruler:", ruler->mark[options->marks - 1]);
	for (long i = 0; i < options->marks; i++)
		printf(" %d", ruler->mark[i]);
	printf("\n");
}

/* The best ruler when the search is interrupted. */
static bool
print_known(const struct show *show, int64_t value, const void *witness)
{
	struct golomb_ruler ruler = { .found = true };

	(void)value; /* the last mark says it */
	if (!witness)
		return false;
	memcpy(ruler.mark, witness, show->bytes);
	print_ruler(&ruler, show->arg);
	return true;
}

static struct golomb_ruler
search(STN_FRAME, const struct options *options)
{
	struct golomb_goal goal = {
		.marks = (int32_t)options->marks,
		.limit = (int32_t)(options->length ? options->length
						   : GOLOMB_LENGTH_MOST),
		.any = options->length > 0,
	};
	struct show show = { .unit = !goal.any,
			     .arg = options,
			     .print = print_known };

	return options->sequential
		       ? golomb_alone(STN_PASS_FRAME, goal)
		       : golomb_shared(STN_PASS_FRAME, goal,
				       (int32_t)options->depth, &show);
}

static bool
is_golomb(const struct golomb_ruler *ruler, long marks)
{
	bool used[GOLOMB_LENGTH_MOST + 1] = { false };

	for (long i = 0; i < marks; i++)
		for (long j = 0; j < i; j++) {
			int apart = ruler->mark[i] - ruler->mark[j];

			if (apart <= 0 || used[apart])
				return false;
			used[apart] = true;
		}
	return true;
}

/* Compares with the published length. Returns the exit status. */
static int
check(const struct golomb_ruler *ruler, const struct options *options)
{
	int optimum = golomb_optimum((int)options->marks);
	int length = ruler->mark[options->marks - 1];

	if (ruler->found && !is_golomb(ruler, options->marks))
		return app_complain(1, "two distances are equal");
	if (options->length && ruler->found != (options->length >= optimum))
		return app_complain(1, "the shortest ruler has length %d",
				    optimum);
	if (!options->length && length != optimum)
		return app_complain(1, "the length should be %d", optimum);
	return 0;
}

STN_MAIN(argc, argv)
{
	struct options options = { .depth = 4 };
	int status = read_options(argc, argv, &options);
	struct golomb_ruler ruler;
	double begin, seconds;

	if (status != APP_GO_ON)
		return status;
	begin = STN_SECONDS();
	ruler = search(STN_PASS_FRAME, &options);
	seconds = STN_SECONDS() - begin;
	print_ruler(&ruler, &options);
	printf("places: %llu\n", (unsigned long long)ruler.places);
	printf("time: %.3f s\n", seconds);
	return check(&ruler, &options);
}
