/*
 * pairs.c: potentials of particles at points. A lane has one point; all lanes
 * add the effects of the same particles in the same order.
 */
#include "apps/fmm/vector.h"
#include "apps/fmm/wide.h"
#include "apps/fmm/wide_names.h"

/* Squared distances below this one count as 0. */
#define SAME_POINT 1e-200

/*
 * 1 / sqrt(x). The first guess shifts the exponent, and is at most 3.5 % off.
 * So h = 1 - x y y lies between -0.0691 and 0.0676, and the polynomial is the
 * best one there for 1 / sqrt(1 - h): the relative error is at most 2.3e-8. One
 * step of Newton's method takes that to the last bits. Instructions that
 * estimate 1 / sqrt(x) differ between vendors.
 */
INLINE vdouble
inverse_root(vdouble x, bool exact)
{
	vdouble y = (vdouble)(UINT64_C(0x5fe6eb50c7b537a9) - ((vbits)x >> 1));
	vdouble h = fuse(-x * y, y, all(1));
	vdouble p = fuse(h, all(0.2740369496448843), all(0.31393937046009546));

	p = fuse(h, p, all(0.375000700928039));
	p = fuse(h, p, all(0.49999832009956063));
	p = fuse(h, p, all(0.9999999993459764));
	y *= p;
	if (exact)
		y = fuse(y * 0.5, fuse(-x * y, y, all(1)), y);
	return keep((vmask)(x > SAME_POINT), y);
}

/* Targets of two or four vectors in registers hide the latency. */
#define FIELDS(vectors)                                                        \
	vdouble x[vectors], y[vectors], z[vectors], sum[4][vectors];           \
                                                                               \
	UNROLLED(int v = 0; v < (vectors); v++)                                \
	{                                                                      \
		x[v] = load(at->x + first + v * DOUBLES);                      \
		y[v] = load(at->y + first + v * DOUBLES);                      \
		z[v] = load(at->z + first + v * DOUBLES);                      \
		UNROLLED(int i = 0; i < 4; i++)                                \
		sum[i][v] = load(sums + i * stride + first + v * DOUBLES);     \
	}                                                                      \
	for (size_t i = 0; i < count; i++)                                     \
		UNROLLED(int v = 0; v < (vectors); v++)                        \
		{                                                              \
			vdouble dx = bodies[i].x - x[v];                       \
			vdouble dy = bodies[i].y - y[v];                       \
			vdouble dz = bodies[i].z - z[v];                       \
			vdouble r = inverse_root(                              \
				fuse(dz, dz, fuse(dy, dy, dx * dx)), exact);   \
			vdouble qr = bodies[i].charge * r;                     \
			vdouble qrrr = qr * (r * r);                           \
                                                                               \
			sum[0][v] += qr;                                       \
			sum[1][v] = fuse(qrrr, dx, sum[1][v]);                 \
			sum[2][v] = fuse(qrrr, dy, sum[2][v]);                 \
			sum[3][v] = fuse(qrrr, dz, sum[3][v]);                 \
		}                                                              \
	UNROLLED(int v = 0; v < (vectors); v++)                                \
	UNROLLED(int i = 0; i < 4; i++)                                        \
	store(sums + i * stride + first + v * DOUBLES, sum[i][v])

INLINE void
two_fields(bool exact, const struct points *at, size_t first,
	   const struct fmm_body *bodies, size_t count, double *sums,
	   size_t stride)
{
	FIELDS(2);
}

INLINE void
one_field(bool exact, const struct points *at, size_t first,
	  const struct fmm_body *bodies, size_t count, double *sums,
	  size_t stride)
{
	FIELDS(1);
}

INLINE void
all_fields(bool exact, const struct points *at, const struct fmm_body *bodies,
	   size_t count, double *sums, size_t stride)
{
	size_t i = 0;

	for (; i + DOUBLES < at->count; i += 2 * DOUBLES)
		two_fields(exact, at, i, bodies, count, sums, stride);
	if (i < at->count)
		one_field(exact, at, i, bodies, count, sums, stride);
}

void
WIDE(fields)(bool exact, const struct points *points,
	     const struct fmm_body *bodies, size_t count, double *sums,
	     size_t stride)
{
	if (exact)
		all_fields(true, points, bodies, count, sums, stride);
	else
		all_fields(false, points, bodies, count, sums, stride);
}

#define POTENTIALS(vectors)                                                    \
	vdouble x[vectors], y[vectors], z[vectors], sum[vectors];              \
                                                                               \
	UNROLLED(int v = 0; v < (vectors); v++)                                \
	{                                                                      \
		x[v] = load(at->x + first + v * DOUBLES);                      \
		y[v] = load(at->y + first + v * DOUBLES);                      \
		z[v] = load(at->z + first + v * DOUBLES);                      \
		sum[v] = all(0);                                               \
	}                                                                      \
	for (size_t i = 0; i < count; i++)                                     \
		UNROLLED(int v = 0; v < (vectors); v++)                        \
		{                                                              \
			vdouble dx = bodies[i].x - x[v];                       \
			vdouble dy = bodies[i].y - y[v];                       \
			vdouble dz = bodies[i].z - z[v];                       \
			vdouble r = inverse_root(                              \
				fuse(dz, dz, fuse(dy, dy, dx * dx)), exact);   \
                                                                               \
			sum[v] = fuse(all(bodies[i].charge), r, sum[v]);       \
		}                                                              \
	UNROLLED(int v = 0; v < (vectors); v++)                                \
	store(sums + first + v * DOUBLES, sum[v])

INLINE void
four_potentials(bool exact, const struct points *at, size_t first,
		const struct fmm_body *bodies, size_t count, double *sums)
{
	POTENTIALS(4);
}

INLINE void
one_potential(bool exact, const struct points *at, size_t first,
	      const struct fmm_body *bodies, size_t count, double *sums)
{
	POTENTIALS(1);
}

INLINE void
all_potentials(bool exact, const struct points *at,
	       const struct fmm_body *bodies, size_t count, double *sums)
{
	size_t i = 0;

	for (; i + 3 * DOUBLES < at->count; i += 4 * DOUBLES)
		four_potentials(exact, at, i, bodies, count, sums);
	for (; i < at->count; i += DOUBLES)
		one_potential(exact, at, i, bodies, count, sums);
}

void
WIDE(potentials)(bool exact, const struct points *points,
		 const struct fmm_body *bodies, size_t count, double *sums)
{
	if (exact)
		all_potentials(true, points, bodies, count, sums);
	else
		all_potentials(false, points, bodies, count, sums);
}
