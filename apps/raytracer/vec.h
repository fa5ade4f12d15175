/*
 * vec.h: three numbers: a point, a direction, or a colour.
 *
 * The functions use only +, -, *, / and sqrt, and compare. IEEE 754 rounds
 * these in the same way on all processors, if the compiler doesn't fuse
 * operations. For processors with fused operations, -ffp-contract=off prevents
 * that.
 */
#ifndef RAYTRACER_VEC_H
#define RAYTRACER_VEC_H

#include <math.h>

struct vec {
	double x, y, z;
};

static inline struct vec
vec_add(struct vec a, struct vec b)
{
	return (struct vec){ a.x + b.x, a.y + b.y, a.z + b.z };
}

static inline struct vec
vec_sub(struct vec a, struct vec b)
{
	return (struct vec){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static inline struct vec
vec_scale(struct vec a, double by)
{
	return (struct vec){ a.x * by, a.y * by, a.z * by };
}

/* vec_mix: multiplies by component, as a surface's colour filters a light's. */
static inline struct vec
vec_mix(struct vec a, struct vec b)
{
	return (struct vec){ a.x * b.x, a.y * b.y, a.z * b.z };
}

/* vec_go: the point that is @far along @way from @from. */
static inline struct vec
vec_go(struct vec from, struct vec way, double far)
{
	return vec_add(from, vec_scale(way, far));
}

static inline double
vec_dot(struct vec a, struct vec b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline struct vec
vec_cross(struct vec a, struct vec b)
{
	return (struct vec){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z,
			     a.x * b.y - a.y * b.x };
}

static inline double
vec_length(struct vec a)
{
	return sqrt(vec_dot(a, a));
}

/* vec_unit: @a with length 1; too short a vector stays as it is. */
static inline struct vec
vec_unit(struct vec a)
{
	double length = vec_length(a);

	return length > 0 ? vec_scale(a, 1 / length) : a;
}

/* vec_least, vec_most: of each part the smaller, or the larger one. */
static inline struct vec
vec_least(struct vec a, struct vec b)
{
	return (struct vec){ fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z) };
}

static inline struct vec
vec_most(struct vec a, struct vec b)
{
	return (struct vec){ fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z) };
}

static inline struct vec
vec_abs(struct vec a)
{
	return (struct vec){ fabs(a.x), fabs(a.y), fabs(a.z) };
}

/* vec_longest: the axis of the largest part. */
static inline unsigned
vec_longest(struct vec a)
{
	return a.x >= a.y && a.x >= a.z ? 0 : a.y >= a.z ? 1 : 2;
}

/* vec_part: x, y or z, for axis 0, 1 or 2. */
static inline double
vec_part(struct vec a, unsigned axis)
{
	return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

#endif
