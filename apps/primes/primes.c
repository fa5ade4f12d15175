/*
 * primes: the prime factors of a number, by dividing it by all smaller numbers.
 * A task halves its range of divisors until the range is short.
 */
#include <inttypes.h>
#include <stdio.h>
#include <sateen.h>

#include "apps/app.h"

/* The product of the first twelve primes is greater than N_MOST. */
#define N_MOST 1000000000000
#define FACTORS_MOST 11

static const char help[] =
	"usage: primes [--seq] [-t THRESHOLD] [N]\n"
	"Finds the prime factors of N, from 2 to 10^12 (default 667890432),\n"
	"by trying all numbers from 2 to N.\n"
	"\n"
	"  -t, --threshold THRESHOLD  halve ranges of more than THRESHOLD\n"
	"                             numbers (default 10000)\n"
	"  -s, --seq                  the same, without spawns\n"
	"  -h, --help                 show this\n";

/* Different prime factors in ascending order; 0 ends the list. */
struct factors {
	uint64_t prime[FACTORS_MOST];
};

static bool
is_prime(uint64_t n)
{
	for (uint64_t i = 2; i * i <= n; i++)
		if (n % i == 0)
			return false;
	return n > 1;
}

/* The prime factors of @n from @first to @end - 1. */
static struct factors
factors_in(uint64_t n, uint64_t first, uint64_t end)
{
	struct factors found = { 0 };
	int count = 0;

	for (uint64_t i = first; i < end; i++)
		if (n % i == 0 && is_prime(i))
			found.prime[count++] = i;
	return found;
}

static struct factors
join(struct factors low, struct factors high)
{
	int count = 0, i;

	while (count < FACTORS_MOST && low.prime[count])
		count++;
	for (i = 0; count < FACTORS_MOST; i++)
		low.prime[count++] = high.prime[i];
	return low;
}

static struct factors
factors_sequentially(uint64_t n, uint64_t first, uint64_t end,
		     uint64_t threshold)
{
	uint64_t middle = first + (end - first) / 2;

	if (end - first <= threshold)
		return factors_in(n, first, end);
	return join(factors_sequentially(n, first, middle, threshold),
		    factors_sequentially(n, middle, end, threshold));
}

STN_TASK(struct factors, primes, uint64_t, n, uint64_t, first, uint64_t, end,
	 uint64_t, threshold)
{
	uint64_t middle = first + (end - first) / 2;
	struct factors low, high;

	if (end - first <= threshold) {
		STN_WORK(end - first); /* divisions */
		STN_PROGRESS(end - first, 0);
		return factors_in(n, first, end);
	}
	STN_SPAWN(primes, n, first, middle, threshold);
	STN_SPAWN(primes, n, middle, end, threshold);
	high = STN_SYNC(primes);
	low = STN_SYNC(primes);
	return join(low, high);
}

/* Prints the factors with exponents. True if they are all prime factors. */
static bool
print_factors(uint64_t n, const struct factors *found)
{
	uint64_t left = n;
	bool right = true;

	printf("%" PRIu64 " =", n);
	for (int i = 0; i < FACTORS_MOST && found->prime[i]; i++) {
		uint64_t prime = found->prime[i];
		int exponent = 0;

		right = right && is_prime(prime) && left % prime == 0;
		for (; right && left % prime == 0; left /= prime)
			exponent++;
		printf("%s %" PRIu64, i ? " *" : "", prime);
		if (exponent > 1)
			printf("^%d", exponent);
	}
	printf("\n");
	return right && left == 1;
}

STN_MAIN(argc, argv)
{
	long number = 667890432, longest = 10000;
	bool sequential = false;
	const struct app_option table[] = {
		{ 't', "threshold", "THRESHOLD", .number = &longest, .least = 1,
		  .most = N_MOST },
		{ 's', "seq", .flag = &sequential },
		{ .value = "N", .number = &number, .least = 2, .most = N_MOST },
		{ 0 },
	};
	int status = app_options(argc, argv, help, table);
	uint64_t n = (uint64_t)number;
	uint64_t threshold = (uint64_t)longest;
	struct factors found;
	double start, seconds;
	bool right;

	if (status != APP_GO_ON)
		return status;
	start = STN_SECONDS();
	STN_PROGRESS(0, sequential ? 0 : n - 1);
	found = sequential ? factors_sequentially(n, 2, n + 1, threshold)
			   : STN_CALL(primes, n, 2, n + 1, threshold);
	STN_PROGRESS_END();
	seconds = STN_SECONDS() - start;
	right = print_factors(n, &found);
	printf("time: %.3f s\n", seconds);
	if (!right)
		return app_complain(1, "these are not its prime factors");
	return 0;
}
