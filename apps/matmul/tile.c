#include "apps/matmul/tile.h"

/*
 * MULTIPLY(doubles, rows, vectors): the body of a function for tiles of @rows
 * rows, where a row is @vectors vectors of @doubles doubles. The compiler
 * unrolls all loops but the loop over k. It keeps all sums in registers if
 * there are registers for the sums, a row of b, and an element of a. There must
 * be enough sums to hide the latency of an addition. Because of
 * -ffp-contract=fast the compiler fuses each product with its addition.
 */
#define MULTIPLY(doubles, rows, vectors)                                       \
	typedef double vector __attribute__((vector_size(8 * (doubles)),       \
					     aligned(8), may_alias));          \
	vector sum[rows][vectors] = { 0 };                                     \
                                                                               \
	for (; k > 0; k--) {                                                   \
		const vector *row = (const vector *)b;                         \
                                                                               \
		UNROLLED(int i = 0; i < (rows); i++)                           \
		UNROLLED(int j = 0; j < (vectors); j++)                        \
		sum[i][j] += a[i] * row[j];                                    \
		a += (rows);                                                   \
		b += (doubles) * (vectors);                                    \
	}                                                                      \
	UNROLLED(int i = 0; i < (rows); i++)                                   \
	UNROLLED(int j = 0; j < (vectors); j++)                                \
	((vector *)(c + i * stride))[j] += sum[i][j]

#ifdef __clang__
#define UNROLLED(...) _Pragma("unroll") for (__VA_ARGS__)
#else
#define UNROLLED(...) _Pragma("GCC unroll 16") for (__VA_ARGS__)
#endif

#ifdef __x86_64__
#define PLAIN_ROWS 4
#define PLAIN_VECTORS 2

__attribute__((target("avx512f"))) static void
multiply_avx512(size_t k, const double *a, const double *b, double *c,
		size_t stride)
{
	MULTIPLY(8, 12, 2);
}

__attribute__((target("avx2,fma"))) static void
multiply_avx2(size_t k, const double *a, const double *b, double *c,
	      size_t stride)
{
	MULTIPLY(4, 6, 2);
}
#else
/* For 32 vector registers, which aarch64 has. */
#define PLAIN_ROWS 6
#define PLAIN_VECTORS 4
#endif

static void
multiply_plain(size_t k, const double *a, const double *b, double *c,
	       size_t stride)
{
	MULTIPLY(2, PLAIN_ROWS, PLAIN_VECTORS);
}

const struct tile *
tile_kind(unsigned number)
{
	static const struct tile plain = { "plain", PLAIN_ROWS,
					   2 * PLAIN_VECTORS, multiply_plain };
#ifdef __x86_64__
	static const struct tile avx512 = { "AVX-512", 12, 16,
					    multiply_avx512 };
	static const struct tile avx2 = { "AVX2", 6, 8, multiply_avx2 };

	if (__builtin_cpu_supports("avx512f") && number-- == 0)
		return &avx512;
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
	    number-- == 0)
		return &avx2;
#endif
	return number == 0 ? &plain : NULL;
}
