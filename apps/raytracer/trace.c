#include "apps/raytracer/trace.h"

#include <stdbool.h>
#include "apps/raytracer/bvh.h"

enum { GENERATIONS = 5 };

/* A point where a ray meets a surface. */
struct hit {
	const struct material *material;
	struct vec point, way; /* way: the direction of the ray */
	struct vec normal;     /* on the side from which the ray comes */
	double cosine; /* of the angle between normal and reversed ray */
	double clear;  /* a new ray has left the surface at this distance */
	bool front;    /* the ray came from outside */
};

static struct vec trace(const struct scene *, const struct ray *, int,
			uint64_t *);

/*
 * @base to the power of @exponent, for 0 <= base <= 1. Uses 8 binary places of
 * the exponent, which are enough for a highlight. The last bit of pow() depends
 * on the processor's instructions, so pow() would make pictures differ.
 */
static double
power(double base, double exponent)
{
	double whole = floor(exponent), rest = exponent - whole;
	double result = 1, factor = base;

	for (int i = 0; i < 8 && rest > 0; i++) {
		factor = sqrt(factor);
		rest *= 2;
		if (rest >= 1) {
			result *= factor;
			rest -= 1;
		}
	}
	for (factor = base; whole >= 1; whole = floor(whole / 2)) {
		if (fmod(whole, 2) == 1)
			result *= factor;
		factor *= factor;
	}
	return result;
}

static struct vec
mirror(struct vec way, struct vec normal)
{
	return vec_sub(way, vec_scale(normal, 2 * vec_dot(way, normal)));
}

/* The part of the colour that comes from one light. */
static struct vec
shade_light(const struct scene *scene, const struct hit *hit,
	    const struct light *light, uint64_t *looks)
{
	const struct material *material = hit->material;
	struct vec to = vec_sub(light->at, hit->point);
	struct ray ray = { hit->point, vec_unit(to), hit->clear,
			   vec_length(to) };
	double cosine = vec_dot(hit->normal, ray.way), glance, bright;
	struct vec sum = { 0, 0, 0 };

	if (!(cosine > 0))
		return sum;
	bright = bvh_light(scene, &ray, looks);
	if (!(bright > 0))
		return sum;
	sum = vec_scale(material->colour, material->diffuse * cosine);
	glance = vec_dot(mirror(hit->way, hit->normal), ray.way);
	if (material->specular > 0 && material->shine > 0 && glance > 0) {
		double spot = material->specular *
			      power(fmin(glance, 1), material->shine);

		sum = vec_add(sum, (struct vec){ spot, spot, spot });
	}
	return vec_mix(vec_scale(light->colour, bright), sum);
}

/*
 * The direction of a refracted ray, by Snell's law. Returns false if all light
 * is reflected. A surface encloses its material, and outside is air.
 */
static bool
refract(const struct hit *hit, struct vec *way_p)
{
	double index = hit->material->index;
	double ratio = hit->front ? 1 / index : index;
	double rest = 1 - ratio * ratio * (1 - hit->cosine * hit->cosine);
	double turn = ratio * hit->cosine - sqrt(fmax(0, rest));

	if (rest < 0)
		return false;
	*way_p = vec_unit(vec_add(vec_scale(hit->way, ratio),
				  vec_scale(hit->normal, turn)));
	return true;
}

/* The part of the colour that the mirrored and the refracted ray see. */
static struct vec
shade_onward(const struct scene *scene, const struct hit *hit, int generation,
	     uint64_t *looks)
{
	double mirrored = hit->material->specular;
	double through = hit->material->transmit;
	struct ray ray = { hit->point, hit->way, hit->clear, INFINITY };
	struct vec sum = { 0, 0, 0 };

	if (generation == GENERATIONS)
		return sum;
	if (through > 0 && refract(hit, &ray.way))
		sum = vec_scale(trace(scene, &ray, generation + 1, looks),
				through);
	else
		mirrored += through;
	if (mirrored > 0) {
		ray.way = vec_unit(mirror(hit->way, hit->normal));
		sum = vec_add(sum, vec_scale(trace(scene, &ray, generation + 1,
						   looks),
					     mirrored));
	}
	return sum;
}

/*
 * A distance that is larger than a point's distance from its surface, which
 * rounding errors cause. They grow with the numbers that the point was computed
 * from.
 */
static double
blur(struct vec point, double t)
{
	return 1e-9 * (t + fabs(point.x) + fabs(point.y) + fabs(point.z));
}

static struct hit
meet(const struct scene *scene, const struct ray *ray,
     const struct shape *shape, double t)
{
	struct vec point = vec_go(ray->from, ray->way, t);
	struct hit hit = { .material = scene_material(scene, shape),
			   .point = point,
			   .way = ray->way,
			   .normal = shape_normal(shape, point),
			   .clear = blur(point, t) };

	hit.cosine = -vec_dot(hit.normal, ray->way);
	hit.front = hit.cosine >= 0;
	if (!hit.front) {
		hit.cosine = -hit.cosine;
		hit.normal = vec_scale(hit.normal, -1);
	}
	return hit;
}

/* The colour that a ray sees. @looks: see bvh.h. */
static struct vec
trace(const struct scene *scene, const struct ray *ray, int generation,
      uint64_t *looks)
{
	const struct light *lights = scene_at(scene, scene->lights);
	const struct shape *shape;
	struct vec sum = { 0, 0, 0 };
	struct hit hit;
	double t = 0;

	shape = bvh_nearest(scene, ray, &t, looks);
	if (!shape)
		return scene->background;
	hit = meet(scene, ray, shape, t);
	for (uint32_t i = 0; i < scene->light_count; i++)
		sum = vec_add(sum, shade_light(scene, &hit, &lights[i], looks));
	return vec_add(sum, shade_onward(scene, &hit, generation, looks));
}

static unsigned char
to_byte(double bright)
{
	/* If bright were a NaN, this comparison would make it 0. */
	if (!(bright > 0))
		return 0;
	return bright < 1 ? (unsigned char)(bright * 255 + 0.5) : 255;
}

/* The ray from the eye through the middle of a pixel. */
static struct ray
look(const struct scene *scene, uint32_t x, uint32_t y)
{
	/* NFF's angle is between the middles of the outermost rows. */
	double step = 2.0 / (scene->height > 1 ? scene->height - 1 : 1);
	double across = (x - (scene->width - 1) / 2.0) * step;
	double down = (y - (scene->height - 1) / 2.0) * step;
	struct vec way = vec_sub(vec_go(scene->ahead, scene->right, across),
				 vec_scale(scene->up, down));

	/* Ahead, way has length 1, so at this t the ray reaches hither. */
	return (struct ray){ scene->eye, vec_unit(way),
			     scene->hither * vec_length(way), INFINITY };
}

uint64_t
trace_pixel(const struct scene *scene, uint32_t x, uint32_t y,
	    unsigned char rgb[3])
{
	struct ray ray = look(scene, x, y);
	uint64_t looks = 0;
	struct vec colour = trace(scene, &ray, 1, &looks);

	rgb[0] = to_byte(colour.x);
	rgb[1] = to_byte(colour.y);
	rgb[2] = to_byte(colour.z);
	return looks;
}
