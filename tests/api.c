/*
 * api: a Sateen program that uses every part of <sateen.h> and checks what
 * comes out. tests/run.t runs it in many ways. Its leaves sleep a little, so
 * that other workers and nodes get their share of the calls.
 *
 *	api [SPREAD]	SPREAD calls of each kind; prints "api: all right"
 */
#include <stdlib.h>
#include <time.h>

#include <sateen.h>

#define LEAF_NS 200000

static void
nap(void)
{
	struct timespec leaf = { 0, LEAF_NS };

	nanosleep(&leaf, NULL);
}

static int wrong; /* only STN_MAIN's body, on node 0, touches it */

static void
expect(bool right, const char *what)
{
	if (right)
		return;
	wrong++;
	fprintf(stderr, "api: %s\n", what);
}

/* Kinds of arguments and results. */

struct pair {
	int32_t low;
	double high;
};

STN_TASK(int, nothing_in)
{
	nap();
	return 42;
}

STN_TASK(struct pair, swap, struct pair, in, int8_t, add)
{
	struct pair out = { (int32_t)in.high + add, in.low };

	nap();
	return out;
}

STN_TASK(double, eight, int8_t, a, int16_t, b, int32_t, c, int64_t, d, float, e,
	 double, f, uint64_t, g, char, h)
{
	nap();
	return a + b + c + (double)d + (double)e + f + (double)g + h;
}

struct large {
	int32_t squares[1000];
};

STN_TASK(struct large, squares, int32_t, from)
{
	struct large result;

	nap();
	for (int32_t i = 0; i < 1000; i++)
		result.squares[i] = (from + i) * (from + i);
	return result;
}

static void
check_arguments(struct stn_frame *stn_frame, int spread)
{
	int *simple = calloc((size_t)spread, sizeof(*simple));
	struct pair *pairs = calloc((size_t)spread, sizeof(*pairs));
	double *sums = calloc((size_t)spread, sizeof(*sums));
	struct large *large = calloc((size_t)spread, sizeof(*large));

	for (int i = 0; i < spread; i++) {
		STN_SPAWN(&simple[i], nothing_in);
		STN_SPAWN(&pairs[i], swap, ((struct pair){ i, 2 * i }), 1);
		STN_SPAWN(&sums[i], eight, 1, 2, 3, i, 0.5f, 0.25, 7, 8);
		STN_SPAWN(&large[i], squares, i);
	}
	STN_SYNC();
	for (int i = 0; i < spread; i++) {
		expect(simple[i] == 42, "a task without arguments");
		expect(pairs[i].low == 2 * i + 1 && pairs[i].high == i,
		       "structures as argument and result");
		expect(sums[i] == 21.75 + i, "eight arguments of all types");
		expect(large[i].squares[999] == (i + 999) * (i + 999),
		       "a result larger than a record");
	}
	free(simple);
	free(pairs);
	free(sums);
	free(large);
}

/* Buffers. */

STN_TASK(int64_t, sum, struct stn_in, numbers)
{
	const int32_t *at = numbers.at;
	int64_t total = 0;

	nap();
	for (uint32_t i = 0; i < numbers.row_bytes / sizeof(*at); i++)
		total += at[i];
	return total;
}

STN_TASK_VOID(fill, struct stn_out, numbers, int32_t, first)
{
	int32_t *at = numbers.at;

	nap();
	for (uint32_t i = 0; i < numbers.row_bytes / sizeof(*at); i++)
		at[i] = first + (int32_t)i;
}

/* Adds a to each element of a block: rows, with a stride. */
STN_TASK_VOID(add, struct stn_inout, block, struct stn_in, a)
{
	const double *addend = a.at;

	nap();
	for (uint32_t row = 0; row < block.rows; row++) {
		double *at = (double *)((char *)block.at + row * block.stride);

		for (uint32_t i = 0; i < block.row_bytes / sizeof(*at); i++)
			at[i] += *addend;
	}
}

/* @count numbers for each call: few lie in one message, many are pulled. */
static void
check_flat(struct stn_frame *stn_frame, int spread, int count)
{
	size_t total = (size_t)spread * (size_t)count;
	int32_t *numbers = calloc(total + 1, sizeof(*numbers));
	int64_t *sums = calloc((size_t)spread, sizeof(*sums));

	for (int i = 0; i < spread; i++)
		STN_SPAWN(NULL, fill,
			  STN_OUT(numbers + i * count, (size_t)count), i);
	STN_SYNC();
	for (int i = 0; i < spread; i++)
		STN_SPAWN(&sums[i], sum,
			  STN_IN(numbers + i * count, (size_t)count));
	STN_SYNC();
	for (int i = 0; i < spread; i++)
		expect(sums[i] == (int64_t)count * i +
					  (int64_t)count * (count - 1) / 2,
		       "what went out and in again");
	expect(!numbers[total], "nothing behind the buffers was touched");
	free(numbers);
	free(sums);
}

#define SIDE 96
#define BLOCK 16

static void
check_blocks(struct stn_frame *stn_frame)
{
	double(*matrix)[SIDE] = calloc(SIDE, sizeof(*matrix));
	double addends[SIDE / BLOCK][SIDE / BLOCK];
	bool right = true;

	for (int r = 0; r < SIDE / BLOCK; r++)
		for (int c = 0; c < SIDE / BLOCK; c++) {
			addends[r][c] = 10 * r + c + 1;
			STN_SPAWN(NULL, add,
				  STN_INOUT_ROWS(&matrix[r * BLOCK][c * BLOCK],
						 BLOCK, BLOCK, SIDE),
				  STN_IN(&addends[r][c], 1));
		}
	STN_SYNC();
	for (int r = 0; r < SIDE; r++)
		for (int c = 0; c < SIDE; c++)
			right = right &&
				matrix[r][c] == addends[r / BLOCK][c / BLOCK];
	expect(right, "blocks of a matrix, each its own");
	free(matrix);
}

/* Tasks that spawn, tasks that call each other. */

STN_TASK_FORWARD(int, odd, int, n);

STN_TASK(int, even, int, n)
{
	int result;

	if (!n)
		return 1;
	STN_SPAWN(&result, odd, n - 1);
	STN_SYNC();
	return result;
}

STN_TASK_BODY(int, odd, int, n)
{
	return n ? STN_CALL(even, n - 1) : 0;
}

STN_TASK(long, fib, int, n)
{
	long x, y;

	if (n < 2) {
		nap();
		return n;
	}
	STN_SPAWN(&x, fib, n - 1);
	STN_SPAWN(&y, fib, n - 2);
	STN_SYNC();
	return x + y;
}

/* Several syncs in one body, of several calls each. */
STN_TASK(long, rounds, int, count)
{
	long places[5], total = 0;

	for (int round = 0; round < count; round++) {
		for (int i = 0; i < 5; i++)
			STN_SPAWN(&places[i], fib, i);
		STN_SYNC();
		for (int i = 0; i < 5; i++)
			total += places[i];
	}
	return total;
}

static void
check_nesting(struct stn_frame *stn_frame, int spread)
{
	long *totals = calloc((size_t)spread, sizeof(*totals));
	int is_even = 0, is_odd = 0;
	long f = 0;

	STN_SPAWN(&is_even, even, 100);
	STN_SPAWN(&is_odd, odd, 101);
	STN_SPAWN(&f, fib, 10);
	for (int i = 0; i < spread; i++)
		STN_SPAWN(&totals[i], rounds, 2);
	STN_SYNC();
	expect(is_even == 1 && is_odd == 1, "tasks that call each other");
	expect(f == 55, "fib(10)");
	for (int i = 0; i < spread; i++)
		expect(totals[i] == 14, "several syncs in one body");
	STN_SYNC(); /* with nothing to wait for */
	free(totals);
}

STN_MAIN(argc, argv)
{
	int spread = argc > 1 ? atoi(argv[1]) : 16;

	check_arguments(stn_frame, spread);
	check_flat(stn_frame, spread, 0);
	check_flat(stn_frame, spread, 1);
	check_flat(stn_frame, spread, 1000);
	check_flat(stn_frame, spread, 5000); /* 20 kB: offered and pulled */
	check_blocks(stn_frame);
	check_nesting(stn_frame, spread);
	if (wrong)
		return 1;
	puts("api: all right");
	return 0;
}
