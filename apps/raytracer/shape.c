#include "apps/raytracer/shape.h"

#include <stdbool.h>

static bool
within(const struct ray *ray, double t)
{
	return t > ray->least && t < ray->most;
}

static double
sphere_hit(const struct shape *shape, const struct ray *ray, unsigned sides)
{
	double radius = shape->sphere.radius;
	struct vec to = vec_sub(shape->sphere.centre, ray->from);
	double middle = vec_dot(to, ray->way), half;
	/* From the ray to the centre: no cancellation if it is far away. */
	struct vec off = vec_sub(to, vec_scale(ray->way, middle));
	double rest = radius * radius - vec_dot(off, off);

	if (!(rest > 0))
		return INFINITY;
	half = sqrt(rest);
	if ((sides & SHAPE_FRONT) && within(ray, middle - half))
		return middle - half;
	if ((sides & SHAPE_BACK) && within(ray, middle + half))
		return middle + half;
	return INFINITY;
}

/*
 * True if @point is inside the polygon, seen along the polygon's axis. Counts
 * the edges that a line from the point crosses.
 */
static bool
polygon_has(const struct scene *scene, const struct shape *shape,
	    struct vec point)
{
	const struct vec *corners = scene_corners(scene, shape);
	uint32_t n = shape->polygon.count, i, j;
	unsigned across = shape->polygon.axis == 0 ? 1 : 0;
	unsigned along = shape->polygon.axis == 2 ? 1 : 2;
	double x = vec_part(point, across), y = vec_part(point, along);
	bool inside = false;

	for (i = 0, j = n - 1; i < n; j = i++) {
		double ax = vec_part(corners[i], across);
		double ay = vec_part(corners[i], along);
		double bx = vec_part(corners[j], across);
		double by = vec_part(corners[j], along);

		if ((ay > y) != (by > y) &&
		    x < ax + (bx - ax) * (y - ay) / (by - ay))
			inside = !inside;
	}
	return inside;
}

static double
polygon_hit(const struct scene *scene, const struct shape *shape,
	    const struct ray *ray, unsigned sides)
{
	double down = vec_dot(shape->polygon.normal, ray->way);
	double above = vec_dot(shape->polygon.normal, ray->from) -
		       shape->polygon.distance;
	double t = -above / down;

	/* For a ray in the plane t is infinite or NaN, so it isn't within. */
	if (!(sides & (down < 0 ? SHAPE_FRONT : SHAPE_BACK)) ||
	    !within(ray, t) ||
	    !polygon_has(scene, shape, vec_go(ray->from, ray->way, t)))
		return INFINITY;
	return t;
}

/* A vector, split into a part along a cone's axis and the rest, across it. */
struct split {
	double along;
	struct vec across;
};

static struct split
split(struct vec a, struct vec axis)
{
	double along = vec_dot(a, axis);

	return (struct split){ along, vec_sub(a, vec_scale(axis, along)) };
}

/*
 * At t the ray's distance from the axis is |from.across + t * way.across|, and
 * the cone's radius is radius + slope * (from.along + t * way.along). The ray
 * meets the cone where the squares are equal: a t^2 + 2 b t + c = 0. Writes the
 * roots in ascending order to @roots. Returns false if there are none.
 */
static bool
cone_roots(const struct shape *shape, struct split from, struct split way,
	   double roots[2])
{
	double slope = shape->cone.slope, rise = slope * way.along;
	double radius = shape->cone.radius + slope * from.along;
	double a = vec_dot(way.across, way.across) - rise * rise;
	double b = vec_dot(from.across, way.across) - radius * rise;
	double c = vec_dot(from.across, from.across) - radius * radius;
	double rest = b * b - a * c, q;

	if (!(rest >= 0))
		return false;
	/* q adds numbers of one sign: no cancellation. Roots: c / q, q / a. */
	q = b > 0 ? -b - sqrt(rest) : -b + sqrt(rest);
	roots[0] = c / q;
	roots[1] = q / a; /* infinite if the ray is parallel to the side */
	if (roots[0] > roots[1]) {
		q = roots[0];
		roots[0] = roots[1];
		roots[1] = q;
	}
	return true;
}

static double
cone_hit(const struct shape *shape, const struct ray *ray, unsigned sides)
{
	struct split from =
		split(vec_sub(ray->from, shape->cone.base), shape->cone.axis);
	struct split way = split(ray->way, shape->cone.axis);
	double roots[2];

	if (!cone_roots(shape, from, way, roots))
		return INFINITY;
	for (int i = 0; i < 2; i++) {
		double t = roots[i];
		double height = from.along + t * way.along;
		double radius = shape->cone.radius + shape->cone.slope * height;
		/* The side is the front if the ray comes closer to the axis. */
		double out = vec_dot(vec_go(from.across, way.across, t),
				     way.across) -
			     radius * shape->cone.slope * way.along;

		if (within(ray, t) && height >= 0 &&
		    height <= shape->cone.height &&
		    (sides & (out < 0 ? SHAPE_FRONT : SHAPE_BACK)))
			return t;
	}
	return INFINITY;
}

double
shape_hit(const struct scene *scene, const struct shape *shape,
	  const struct ray *ray, unsigned sides)
{
	switch (shape->kind) {
	case SHAPE_SPHERE:
		return sphere_hit(shape, ray, sides);
	case SHAPE_POLYGON:
		return polygon_hit(scene, shape, ray, sides);
	default:
		return cone_hit(shape, ray, sides);
	}
}

static struct vec
cone_normal(const struct shape *shape, struct vec point)
{
	struct split at =
		split(vec_sub(point, shape->cone.base), shape->cone.axis);

	return vec_unit(
		vec_sub(vec_unit(at.across),
			vec_scale(shape->cone.axis, shape->cone.slope)));
}

struct vec
shape_normal(const struct shape *shape, struct vec point)
{
	switch (shape->kind) {
	case SHAPE_SPHERE:
		return vec_unit(vec_sub(point, shape->sphere.centre));
	case SHAPE_POLYGON:
		return shape->polygon.normal;
	default:
		return cone_normal(shape, point);
	}
}

/* Extends the box to the points that are up to @by from @centre, by axis. */
static void
box_hold(struct box *box, struct vec centre, struct vec by)
{
	box->low = vec_least(box->low, vec_sub(centre, by));
	box->high = vec_most(box->high, vec_add(centre, by));
}

/* How far a disc that is perpendicular to @axis reaches along each axis. */
static struct vec
disc_reach(struct vec axis, double radius)
{
	return (struct vec){ radius * sqrt(fmax(0, 1 - axis.x * axis.x)),
			     radius * sqrt(fmax(0, 1 - axis.y * axis.y)),
			     radius * sqrt(fmax(0, 1 - axis.z * axis.z)) };
}

static void
cone_hold(struct box *box, const struct shape *shape)
{
	struct vec base = shape->cone.base, axis = shape->cone.axis;
	double height = shape->cone.height;
	double top = shape->cone.radius + shape->cone.slope * height;

	box_hold(box, base, disc_reach(axis, shape->cone.radius));
	box_hold(box, vec_go(base, axis, height), disc_reach(axis, top));
}

/*
 * The distance by which boxes are larger than shapes. Without it, rounding
 * errors could make a ray miss a box, especially a flat one.
 */
static struct vec
slack(struct vec a)
{
	return vec_scale(vec_abs(a), 1e-9);
}

struct box
shape_box(const struct scene *scene, const struct shape *shape)
{
	struct box box = { { INFINITY, INFINITY, INFINITY },
			   { -INFINITY, -INFINITY, -INFINITY } };
	double r = shape->sphere.radius;

	if (shape->kind == SHAPE_SPHERE)
		box_hold(&box, shape->sphere.centre, (struct vec){ r, r, r });
	else if (shape->kind == SHAPE_CONE)
		cone_hold(&box, shape);
	else
		for (uint32_t i = 0; i < shape->polygon.count; i++)
			box_hold(&box, scene_corners(scene, shape)[i],
				 (struct vec){ 0, 0, 0 });
	box_hold(&box, box.low, slack(box.low));
	box_hold(&box, box.high, slack(box.high));
	return box;
}
