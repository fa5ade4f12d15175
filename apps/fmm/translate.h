/*
 * translate.h: the body of translate.c for one kind of REAL, included twice.
 *
 * A spectrum at one frequency has VECTORS vectors: those of the real parts,
 * then those of the imaginary parts. Here k is the kernel for one child of the
 * neighbour, and s that child's complex number:
 *
 *	with_real = (Re k, Im k) Re s,	with_imag = (Re k, Im k) Im s
 *
 * and at the end the real part of a product is the first half of with_real
 * minus the second half of with_imag. So each element of the kernel is read
 * once. Several frequencies at once hide the latency.
 */
#define VECTORS ((int)(SPECTRAL * sizeof(REAL) / VECTOR_BYTES))
#define AHEAD 16 /* frequencies that are fetched in advance */
#define AT_ONCE (VECTORS == 1 ? 4 : VECTORS == 2 ? 2 : 1)

INLINE void
OF_REALS(finish)(const VECTOR *with_real, const VECTOR *with_imag, REAL *to)
{
	REAL r[SPECTRAL], i[SPECTRAL];

	memcpy(r, with_real, sizeof r);
	memcpy(i, with_imag, sizeof i);
	for (int lane = 0; lane < LANES; lane++) {
		to[lane] = r[lane] - i[LANES + lane];
		to[LANES + lane] = r[LANES + lane] + i[lane];
	}
}

/* All neighbours, for @some frequencies from number @first on. */
INLINE void
OF_REALS(translate_some)(const REAL *kernel, const REAL *const *spectra,
			 const struct neighbour *near, size_t count,
			 const uint8_t *const *rows, size_t first, REAL *sums,
			 const int some)
{
	VECTOR with_real[4][VECTORS] = { 0 }, with_imag[4][VECTORS] = { 0 };

	for (size_t i = 0; i < count; i++) {
		const REAL *from = spectra[near[i].octet] + first * SPECTRAL;
		const VECTOR *k[4];

		UNROLLED(int f = 0; f < some; f++)
		__builtin_prefetch(from + (f + AHEAD) * SPECTRAL);
		UNROLLED(int f = 0; f < some; f++)
		k[f] = (const VECTOR *)(kernel +
					rows[f][near[i].at] * LANES * SPECTRAL);
		UNROLLED(int child = 0; child < LANES; child++)
		UNROLLED(int f = 0; f < some; f++)
		{
			const REAL *s = from + f * SPECTRAL + child;
			VECTOR real = s[0] - (VECTOR){ 0 };
			VECTOR imag = s[LANES] - (VECTOR){ 0 };

			UNROLLED(int v = 0; v < VECTORS; v++)
			{
				VECTOR kernel_v = k[f][child * VECTORS + v];

				with_real[f][v] =
					FUSE(kernel_v, real, with_real[f][v]);
				with_imag[f][v] =
					FUSE(kernel_v, imag, with_imag[f][v]);
			}
		}
	}
	UNROLLED(int f = 0; f < some; f++)
	OF_REALS(finish)
	(with_real[f], with_imag[f], sums + f * SPECTRAL);
}

#define TRANSLATE(some)                                                        \
	OF_REALS(translate_some)                                               \
	(kernel, spectra, near, count, rows + f, first + f,                    \
	 sums + f * SPECTRAL, some)

void
WIDE(OF_REALS(translate))(const REAL *kernel, const REAL *const *spectra,
			  const struct neighbour *near, size_t count,
			  const uint8_t *const *rows, size_t first,
			  size_t frequencies, REAL *sums)
{
	size_t f = 0;

	for (; f + AT_ONCE <= frequencies; f += AT_ONCE)
		TRANSLATE(AT_ONCE);
	for (; AT_ONCE > 2 && f + 2 <= frequencies; f += 2)
		TRANSLATE(2);
	for (; f < frequencies; f++)
		TRANSLATE(1);
}

#undef TRANSLATE
#undef VECTORS
#undef AHEAD
#undef AT_ONCE
