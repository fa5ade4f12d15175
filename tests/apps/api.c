/*
 * api: a Sateen program that uses every part of <sateen.h> and checks all
 * results. tests/run.t runs it in many ways. Its leaves sleep for a short time,
 * so that other workers and nodes can steal calls.
 *
 *	api [SPREAD]	SPREAD calls of each kind; prints "api: all right"
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sateen.h>

#define LEAF_NS 200000

static void
nap(void)
{
	struct timespec leaf = { 0, LEAF_NS };

	nanosleep(&leaf, NULL);
}

static int wrong; /* only STN_MAIN's body uses it, on node 0 */

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

/* Results and arguments as large as a record can hold. */
struct large {
	int64_t squares[11];
};

STN_TASK(struct large, squares, int32_t, from)
{
	struct large result;

	nap();
	for (int32_t i = 0; i < 11; i++)
		result.squares[i] = (from + i) * (from + i);
	return result;
}

STN_TASK(int, twenty, int, a, int, b, int, c, int, d, int, e, int, f, int, g,
	 int, h, int, i, int, j, int, k, int, l, int, m, int, n, int, o, int, p,
	 int, q, int, r, int, s, int, t)
{
	nap();
	return a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p +
	       q + r + s + 2 * t;
}

static void
check_arguments(STN_FRAME, int spread)
{
	for (int i = 0; i < spread; i++) {
		STN_SPAWN(nothing_in);
		STN_SPAWN(swap, ((struct pair){ i, 2 * i }), 1);
		STN_SPAWN(eight, 1, 2, 3, i, 0.5f, 0.25, 7, 8);
		STN_SPAWN(squares, i);
		STN_SPAWN(twenty, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
			  13, 14, 15, 16, 17, i);
	}
	for (int i = spread - 1; i >= 0; i--) {
		struct pair pair;
		int64_t square;

		expect(STN_SYNC(twenty) == 153 + 2 * i, "twenty arguments");
		square = STN_SYNC(squares).squares[10];
		expect(square == (i + 10) * (i + 10),
		       "a result that fills the record");
		expect(STN_SYNC(eight) == 21.75 + i,
		       "eight arguments of all types");
		pair = STN_SYNC(swap);
		expect(pair.low == 2 * i + 1 && pair.high == i,
		       "structures as argument and result");
		expect(STN_SYNC(nothing_in) == 42, "a task without arguments");
	}
}

/* Buffers as arguments. */

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

/* Adds a to each element of a block, which has rows with a stride. */
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

/* @count numbers for each call: few travel in a message, many are pulled. */
static void
check_flat(STN_FRAME, int spread, int count)
{
	size_t total = (size_t)spread * (size_t)count;
	int32_t *numbers = calloc(total + 1, sizeof(*numbers));

	for (int i = 0; i < spread; i++)
		STN_SPAWN(fill, STN_OUT(numbers + i * count, (size_t)count), i);
	for (int i = 0; i < spread; i++)
		STN_SYNC(fill);
	for (int i = 0; i < spread; i++)
		STN_SPAWN(sum, STN_IN(numbers + i * count, (size_t)count));
	for (int i = spread - 1; i >= 0; i--)
		expect(STN_SYNC(sum) ==
			       (int64_t)count * i +
				       (int64_t)count * (count - 1) / 2,
		       "buffers that were written by one call and read by "
		       "another");
	expect(!numbers[total], "the memory behind the buffers is unchanged");
	free(numbers);
}

#define SIDE 96
#define BLOCK 16

static void
check_blocks(STN_FRAME)
{
	double(*matrix)[SIDE] = calloc(SIDE, sizeof(*matrix));
	double addends[SIDE / BLOCK][SIDE / BLOCK];
	bool right = true;

	for (int r = 0; r < SIDE / BLOCK; r++)
		for (int c = 0; c < SIDE / BLOCK; c++) {
			addends[r][c] = 10 * r + c + 1;
			STN_SPAWN(add,
				  STN_INOUT_ROWS(&matrix[r * BLOCK][c * BLOCK],
						 BLOCK, BLOCK, SIDE),
				  STN_IN(&addends[r][c], 1));
		}
	for (int i = 0; i < SIDE / BLOCK * SIDE / BLOCK; i++)
		STN_SYNC(add);
	for (int r = 0; r < SIDE; r++)
		for (int c = 0; c < SIDE; c++)
			right = right &&
				matrix[r][c] == addends[r / BLOCK][c / BLOCK];
	expect(right, "each block of a matrix has its own result");
	free(matrix);
}

/* Tasks that spawn, and tasks that call each other. */

STN_TASK_FORWARD(int, odd, int, n);

STN_TASK(int, even, int, n)
{
	if (!n)
		return 1;
	STN_SPAWN(odd, n - 1);
	return STN_SYNC(odd);
}

STN_TASK_BODY(int, odd, int, n)
{
	return n ? STN_CALL(even, n - 1) : 0;
}

STN_TASK(long, fib, int, n)
{
	if (n < 2) {
		nap();
		return n;
	}
	STN_SPAWN(fib, n - 1);
	STN_SPAWN(fib, n - 2);
	return STN_SYNC(fib) + STN_SYNC(fib);
}

/* Several groups of spawns and syncs in one body. */
STN_TASK(long, rounds, int, count)
{
	long total = 0;

	for (int round = 0; round < count; round++) {
		for (int i = 0; i < 5; i++)
			STN_SPAWN(fib, i);
		for (int i = 0; i < 5; i++)
			total += STN_SYNC(fib);
	}
	return total;
}

static void
check_nesting(STN_FRAME, int spread)
{
	STN_SPAWN(even, 100);
	STN_SPAWN(odd, 101);
	STN_SPAWN(fib, 10);
	for (int i = 0; i < spread; i++)
		STN_SPAWN(rounds, 2);
	for (int i = 0; i < spread; i++)
		expect(STN_SYNC(rounds) == 14, "several syncs in one body");
	expect(STN_SYNC(fib) == 55, "fib(10)");
	expect(STN_SYNC(odd) == 1 && STN_SYNC(even) == 1,
	       "tasks that call each other");
}

/* Helpers: one syncs its own spawns, two share them. */

static void
spawn_all(STN_FRAME, int count)
{
	for (int i = 0; i < count; i++)
		STN_SPAWN(fib, i);
}

static long
sync_all(STN_FRAME, int count)
{
	long total = 0;

	for (int i = 0; i < count; i++)
		total += STN_SYNC(fib);
	return total;
}

static void
sum_up(STN_FRAME, int count, long *total)
{
	spawn_all(STN_PASS_FRAME, count);
	*total += STN_CALL(fib, count) + sync_all(STN_PASS_FRAME, count);
}

/* The calls that are spawned before a helper runs stay below the helper's. */
STN_TASK(long, helped, int, count)
{
	long total = 0;

	STN_SPAWN(nothing_in);
	sum_up(STN_PASS_FRAME, count, &total);
	spawn_all(STN_PASS_FRAME, 3);
	sum_up(STN_PASS_FRAME, count, &total);
	total += sync_all(STN_PASS_FRAME, 3);
	return total + STN_SYNC(nothing_in);
}

static void
check_helpers(STN_FRAME, int spread)
{
	for (int i = 0; i < spread; i++)
		STN_SPAWN(helped, i % 8);
	for (int i = spread - 1; i >= 0; i--) {
		/* fib(0) to fib(i) add up to fib(i + 2) - 1. */
		static const long sums[] = { 0, 1, 2, 4, 7, 12, 20, 33 };

		expect(STN_SYNC(helped) == 2 * sums[i % 8] + 2 + 42,
		       "helpers that spawn and sync");
	}
}

/* Arguments of STN_CALL that spawn and sync, whose order C leaves open. */

static int
spawn_two(STN_FRAME, int32_t n)
{
	STN_SPAWN(squares, n);
	STN_SPAWN(squares, n + 1);
	return n;
}

static void
check_argument_calls(STN_FRAME, int spread)
{
	for (int32_t i = 0; i < spread; i++) {
		int n = i % 8;

		expect(STN_CALL(rounds, spawn_two(STN_PASS_FRAME, n)) == 7 * n,
		       "a call with an argument that spawns");
		expect(STN_SYNC(squares).squares[0] == (n + 1) * (n + 1) &&
			       STN_SYNC(squares).squares[0] == n * n,
		       "spawns in an argument of a call");
		STN_SPAWN(fib, 3);
		STN_SPAWN(fib, 4);
		expect(STN_CALL(rounds, (int)STN_SYNC(fib)) == 7 * 3,
		       "a call with an argument that syncs");
		expect(STN_SYNC(fib) == 2, "a sync behind that call");
	}
}

/* If the test has set STN_PIN, each worker is bound to one core. */
static void
check_pinned(void)
{
	const char *pin = getenv("STN_PIN");
	cpu_set_t cores;

	if (pin && !strcmp(pin, "yes"))
		expect(!sched_getaffinity(0, sizeof(cores), &cores) &&
			       CPU_COUNT(&cores) == 1,
		       "a worker on one core");
}

/* Loops of calls. */

STN_TASK_FOR(multiples, i, int, factor, struct stn_out, row, struct stn_inout,
	     both)
{
	int *to = row.at, *other = both.at;

	nap();
	for (size_t j = 0; j < row.row_bytes / sizeof(*to); j++)
		to[j] = (int)i * factor + (int)j;
	*other += row.rows == 1 && both.rows == 1 ? (int)i : -1;
}

#define SUM(a, b) ((a) + (b))
STN_TASK_REDUCE(double, thirds, SUM, i, double, third)
{
	nap();
	return (double)i * third;
}

/* The digits of the indices, in their order. */
struct digits {
	char text[16];
};

static struct digits
join(struct digits low, struct digits high)
{
	strcat(low.text, high.text);
	return low;
}

STN_TASK_REDUCE(struct digits, digits, join, i)
{
	struct digits one = { { (char)('0' + i) } };

	nap();
	return one;
}

/* The sum of the calls below is @n. */
STN_TASK(int, leaves, int, n)
{
	int sum = 0;

	if (n < 2)
		return n;
	STN_SPAWN(leaves, n / 2);
	STN_SPAWN(leaves, n - n / 2);
	STN_SYNC_ALL (leaves, count) {
		sum += count;
		if (sum > 1)
			break; /* goes on with the next call */
	}
	return sum;
}

static double
thirds_alone(int64_t first, int64_t end)
{
	int64_t half = first + (end - first) / 2;

	if (end - first == 1)
		return (double)first * (1 / 3.);
	return thirds_alone(first, half) + thirds_alone(half, end);
}

static void
check_loops(STN_FRAME, int spread)
{
	int rows[12][3], both[12][2];
	bool right = true;

	memset(both, 0, sizeof(both));
	STN_FOR(multiples, -2, 10, 5, STN_OUT_ROWS(&rows[0][0], 12, 3, 3),
		STN_INOUT_ROWS(&both[0][1], 12, 1, 2));
	for (int i = 0; i < 12; i++) {
		for (int j = 0; j < 3; j++)
			right &= rows[i][j] == (i - 2) * 5 + j;
		right &= both[i][0] == 0 && both[i][1] == i - 2;
	}
	expect(right, "STN_FOR has a wrong row");
	STN_FOR(multiples, 1, 1, 5, STN_OUT_ROWS(&rows[0][0], 0, 3, 3),
		STN_INOUT_ROWS(&both[0][0], 0, 1, 1));
	expect(STN_REDUCE(thirds, 0, spread + 1, 1 / 3.) ==
		       thirds_alone(0, spread + 1),
	       "STN_REDUCE folds in another order");
	expect(!strcmp(STN_REDUCE(digits, 0, 10).text, "0123456789"),
	       "STN_REDUCE folds what is not adjacent");
	expect(STN_REDUCE(thirds, 4, 4, 1 / 3.) == 0 &&
		       !STN_REDUCE(digits, 4, -3).text[0],
	       "no round has a result");
	expect(STN_CALL(leaves, 100) == 100, "STN_SYNC_ALL leaves out a call");
}

STN_MAIN(argc, argv)
{
	int spread = argc > 1 ? atoi(argv[1]) : 16;

	check_pinned();
	check_arguments(STN_PASS_FRAME, spread);
	check_flat(STN_PASS_FRAME, spread, 0);
	check_flat(STN_PASS_FRAME, spread, 1);
	check_flat(STN_PASS_FRAME, spread, 1000);
	check_flat(STN_PASS_FRAME, spread, 5000); /* 20 kB: pulled */
	check_blocks(STN_PASS_FRAME);
	check_nesting(STN_PASS_FRAME, spread);
	check_helpers(STN_PASS_FRAME, spread);
	check_argument_calls(STN_PASS_FRAME, spread);
	check_loops(STN_PASS_FRAME, spread);
	if (wrong)
		return 1;
	puts("api: all right");
	return 0;
}
