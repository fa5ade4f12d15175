#include "bench/bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "apps/app.h"
#include "bench/ticks.h"

#define ROUNDS 2

static const char help[] =
	"usage: bench_... BENCHMARK SIZE\n"
	"Measures one of\n"
	"  fib N       Fibonacci number N by its definition, N up to 45\n"
	"  nqueens N   counts all ways to place N queens, N from 6 to 15\n"
	"  board N     the same, with boards as arrays\n"
	"  uts TREE    counts the nodes of T1S, T1, T1L, T3 or T3L\n"
	"  matmul N    multiplies N x N doubles; N is 64 times a power of\n"
	"              two, up to 4096\n"
	"  empty N     N empty tasks, each synced before the next\n"
	"  batches N   N empty tasks, 8 at a time\n"
	"and prints seconds, tasks, and ticks of the processor's clock.\n";

/* In the order of enum bench_what; @small is the first round's size. */
static const struct {
	const char *name, *small;
	long least, most;
} benchmarks[] = {
	{ "fib", "20", 0, 45 },
	{ "nqueens", "8", 6, 15 },
	{ "board", "8", 6, 15 },
	{ "uts", "T1S", 0, 0 },
	{ "matmul", "128", MATRIX_LEAF, 4096 },
	{ "empty", "8000", 1, 1000000000 },
	{ "batches", "8000", BENCH_BATCH, 1000000000 },
};

#define BENCHMARKS (int)(sizeof(benchmarks) / sizeof(benchmarks[0]))

/* The expected result of a computation, and its number of tasks. */
struct known {
	long result, tasks;
};

/* There is a task for each placement of one queen or more. */
static const struct known queens[] = {
	[6] = { 4, 152 },
	[7] = { 40, 551 },
	[8] = { 92, 2056 },
	[9] = { 352, 8393 },
	[10] = { 724, 35538 },
	[11] = { 2680, 166925 },
	[12] = { 14200, 856188 },
	[13] = { 73712, 4674889 },
	[14] = { 365596, 27358552 },
	[15] = { 2279184, 171129071 },
};

static long
fib(long n)
{
	long this = 0, next = 1;

	while (n--) {
		next += this;
		this = next - this;
	}
	return this;
}

static struct known
known(const struct bench *bench)
{
	switch (bench->what) {
	case BENCH_FIB:
		return (struct known){ fib(bench->size),
				       fib(bench->size + 1) - 1 };
	case BENCH_QUEENS:
	case BENCH_BOARD:
		return queens[bench->size];
	case BENCH_UTS:
		return (struct known){ bench->tree->nodes,
				       bench->tree->nodes - 1 };
	case BENCH_EMPTY:
	case BENCH_BATCHES:
		return (struct known){ bench->size, bench->size };
	case BENCH_MATMUL:
		break;
	}
	return (struct known){ 0, 0 };
}

static bool
fits(const struct bench *bench)
{
	switch (bench->what) {
	case BENCH_MATMUL:
		return !(bench->size & (bench->size - 1));
	case BENCH_BATCHES:
		return bench->size % BENCH_BATCH == 0;
	default:
		return true;
	}
}

/* Reads the size of a round. */
static int
set_size(struct bench *bench, const char *word)
{
	bench->tree = uts_find(word);
	if (bench->what == BENCH_UTS)
		return bench->tree ? APP_GO_ON : app_misuse("no tree %s", word);
	if (!app_number(word, benchmarks[bench->what].least,
			benchmarks[bench->what].most, &bench->size) ||
	    !fits(bench))
		return app_misuse("a bad size: '%s'", word);
	return APP_GO_ON;
}

static int
find_benchmark(const char *name, struct bench *bench)
{
	for (int i = 0; i < BENCHMARKS; i++)
		if (!strcmp(benchmarks[i].name, name)) {
			bench->what = (enum bench_what)i;
			bench->sizes[0] = benchmarks[i].small;
			return APP_GO_ON;
		}
	return app_misuse("no benchmark '%s'", name);
}

void
bench_open(struct bench *bench, int argc, char **argv)
{
	const char *name = NULL;
	const struct app_option table[] = {
		{ .value = "BENCHMARK", .text = &name, .needed = true },
		{ .value = "SIZE", .text = &bench->sizes[1], .needed = true },
		{ 0 },
	};

	memset(bench, 0, sizeof(*bench));
	bench->status = app_options(argc, argv, help, table);
	if (bench->status == APP_GO_ON)
		bench->status = find_benchmark(name, bench);
	if (bench->status == APP_GO_ON)
		bench->status = set_size(bench, bench->sizes[1]);
}

static int
begin(struct bench *bench)
{
	int status = set_size(bench, bench->sizes[bench->round++]);

	if (status != APP_GO_ON)
		return status;
	if (bench->what == BENCH_MATMUL &&
	    !matrix_make(&bench->product, (size_t)bench->size))
		return app_complain(1, "out of memory");
	bench->start = app_seconds();
	bench->start_ticks = ticks_now();
	return APP_GO_ON;
}

static bool
right(struct bench *bench)
{
	bool is_right = bench->result == known(bench).result;

	if (bench->what == BENCH_MATMUL) {
		is_right = matrix_right(&bench->product);
		matrix_free(&bench->product);
	}
	return is_right;
}

static int
end(struct bench *bench)
{
	uint64_t ticks = ticks_now() - bench->start_ticks;
	double seconds = app_seconds() - bench->start;

	if (!right(bench))
		return app_complain(1, "a wrong result: %ld", bench->result);
	if (bench->round < ROUNDS)
		return APP_GO_ON;
	printf("%.9f %ld %" PRIu64 "\n", seconds, known(bench).tasks, ticks);
	return 0;
}

bool
bench_round(struct bench *bench)
{
	if (bench->round && bench->status == APP_GO_ON)
		bench->status = end(bench);
	if (bench->status == APP_GO_ON)
		bench->status = begin(bench);
	return bench->status == APP_GO_ON;
}
