/*
 * translate.h: the body of translate.c for one kind of REAL, included twice.
 *
 * A spectrum has REALS vectors: those of the real parts, then those of the
 * imaginary parts. Here k is the kernel's spectrum for one child of the
 * neighbour, and s that child's complex number:
 *
 *	with_real = (Re k, Im k) Re s,	with_imag = (Re k, Im k) Im s
 *
 * and at the end the real part of a product is the first half of with_real
 * minus the second half of with_imag. So each element of the kernel is read
 * once. OCTETS octets share what is read.
 */
#define VECTORS ((int)(SPECTRAL * sizeof(REAL) / VECTOR_BYTES))
#define OCTETS (VECTORS == 1 ? 4 : VECTORS == 2 ? 2 : 1)

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

INLINE void
OF_REALS(add_neighbour)(const REAL *kernel, const REAL *const *from,
			VECTOR (*with_real)[VECTORS],
			VECTOR (*with_imag)[VECTORS])
{
	UNROLLED(int child = 0; child < LANES; child++)
	{
		const VECTOR *k = (const VECTOR *)(kernel + child * SPECTRAL);

		UNROLLED(int o = 0; o < OCTETS; o++)
		{
			VECTOR real = from[o][child] - (VECTOR){ 0 };
			VECTOR imag = from[o][LANES + child] - (VECTOR){ 0 };

			UNROLLED(int v = 0; v < VECTORS; v++)
			{
				with_real[o][v] =
					FUSE(k[v], real, with_real[o][v]);
				with_imag[o][v] =
					FUSE(k[v], imag, with_imag[o][v]);
			}
		}
	}
}

void
WIDE(OF_REALS(translate))(const REAL *kernel, const REAL *const *spectra,
			  const uint32_t (*near)[NEIGHBOURS], size_t count,
			  uint32_t none, REAL *sums)
{
	for (size_t t = 0; t < count; t += OCTETS) {
		VECTOR with_real[OCTETS][VECTORS] = { 0 };
		VECTOR with_imag[OCTETS][VECTORS] = { 0 };

		for (size_t n = 0; n < NEIGHBOURS; n++) {
			const REAL *from[OCTETS];
			bool any = false;

			UNROLLED(int o = 0; o < OCTETS; o++)
			{
				from[o] = spectra[near[t + o][n]];
				any |= near[t + o][n] != none;
			}
			if (any)
				OF_REALS(add_neighbour)
				(kernel + n * LANES * SPECTRAL, from, with_real,
				 with_imag);
		}
		UNROLLED(int o = 0; o < OCTETS; o++)
		if (t + o < count)
			OF_REALS(finish)
			(with_real[o], with_imag[o], sums + (t + o) * SPECTRAL);
	}
}

#undef VECTORS
#undef OCTETS
