/*
 * take.c: spectra between the order of transforms, over b and a, and that of
 * translations, where frequencies that share a kernel are neighbours.
 */
#include "apps/fmm/vector.h"
#include "apps/fmm/wide.h"
#include "apps/fmm/wide_names.h"

/* The eight elements of @from in another order, times @scale. */
INLINE void
reorder(const double *from, const uint8_t *order, double scale, double *to)
{
#ifdef __AVX512F__
	__m512i index =
		_mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)order));

	store(to, (vdouble)_mm512_permutexvar_pd(index, (__m512d)load(from)) *
			  scale);
#else
	for (int i = 0; i < LANES; i++)
		to[i] = from[order[i]] * scale;
#endif
}

#define TAKE(real)                                                             \
	for (size_t i = 0; i < from->count; i++) {                             \
		const struct frequency *f = &from->list[i];                    \
		const uint8_t *child = from->turned[f->turned].child;          \
		const double *at =                                             \
			plane + (f->b * from->length + f->a) * SPECTRAL;       \
		double row[SPECTRAL] __attribute__((aligned(64)));             \
                                                                               \
		reorder(at, child, scale, row);                                \
		reorder(at + LANES, child, scale, row + LANES);                \
		for (int k = 0; k < SPECTRAL; k++)                             \
			spectrum[i * SPECTRAL + k] = (real)row[k];             \
	}

void
WIDE(take_floats)(const struct frequencies *from, const double *plane,
		  double scale, float *spectrum)
{
	TAKE(float)
}

void
WIDE(take_doubles)(const struct frequencies *from, const double *plane,
		   double scale, double *spectrum)
{
	TAKE(double)
}

#define GIVE                                                                   \
	for (size_t i = 0; i < to->count; i++) {                               \
		const struct frequency *f = &to->list[i];                      \
		const uint8_t *lane = to->turned[f->turned].lane;              \
		double *at = plane + (f->b * to->length + f->a) * SPECTRAL;    \
		double row[SPECTRAL] __attribute__((aligned(64)));             \
                                                                               \
		for (int k = 0; k < SPECTRAL; k++)                             \
			row[k] = spectrum[i * SPECTRAL + k];                   \
		reorder(row, lane, scale, at);                                 \
		reorder(row + LANES, lane, scale, at + LANES);                 \
	}

void
WIDE(give_floats)(const struct frequencies *to, const float *spectrum,
		  double scale, double *plane)
{
	GIVE
}

void
WIDE(give_doubles)(const struct frequencies *to, const double *spectrum,
		   double scale, double *plane)
{
	GIVE
}
