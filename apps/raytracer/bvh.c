#include "apps/raytracer/bvh.h"

/*
 * LEAF: a node with no more shapes isn't split. Nodes of the first HALVING
 * levels are split in the middle of their box, and deeper nodes into halves
 * with equal numbers of shapes. With 2^20 shapes that makes at most 20 more
 * levels, so the tree is no deeper than DEPTH. A walk's stack has at most one
 * node of each level.
 */
enum { LEAF = 2, HALVING = 32, DEPTH = 64 };

struct building {
	const struct scene *scene;
	struct shape *shapes;
	struct node *nodes;
	uint32_t used;
};

/* Twice the coordinate of a box's middle along @axis. */
static double
middle(struct box box, unsigned axis)
{
	return vec_part(box.low, axis) + vec_part(box.high, axis);
}

/*
 * The box around @count shapes. *@middles receives the box around the middles
 * of their boxes, with all coordinates doubled.
 */
static struct box
box_around(const struct building *b, uint32_t first, uint32_t count,
	   struct box *middles)
{
	struct box all = { { INFINITY, INFINITY, INFINITY },
			   { -INFINITY, -INFINITY, -INFINITY } };

	*middles = all;
	for (uint32_t i = first; i < first + count; i++) {
		struct box box = shape_box(b->scene, &b->shapes[i]);
		struct vec twice = vec_add(box.low, box.high);

		all.low = vec_least(all.low, box.low);
		all.high = vec_most(all.high, box.high);
		middles->low = vec_least(middles->low, twice);
		middles->high = vec_most(middles->high, twice);
	}
	return all;
}

/* Moves the shapes below @at to the front. Returns their number. */
static uint32_t
partition(const struct building *b, uint32_t first, uint32_t count,
	  unsigned axis, double at)
{
	uint32_t i, less = first;

	for (i = first; i < first + count; i++) {
		struct shape shape = b->shapes[i];

		if (middle(shape_box(b->scene, &shape), axis) >= at)
			continue;
		b->shapes[i] = b->shapes[less];
		b->shapes[less++] = shape;
	}
	return less - first;
}

static void
build(struct building *b, uint32_t first, uint32_t count, unsigned depth)
{
	struct node *node = &b->nodes[b->used++];
	struct box middles, box = box_around(b, first, count, &middles);
	uint32_t less = 0;

	*node = (struct node){ box.low, box.high, first, (uint16_t)count, 0 };
	if (count <= LEAF)
		return;
	node->count = 0;
	node->axis = (uint16_t)vec_longest(vec_sub(middles.high, middles.low));
	if (depth < HALVING)
		less = partition(b, first, count, node->axis,
				 middle(middles, node->axis) / 2);
	if (less == 0 || less == count)
		less = count / 2;
	build(b, first, less, depth + 1);
	node->first = b->used;
	build(b, first + less, count - less, depth + 1);
}

uint32_t
bvh_build(struct scene *scene)
{
	struct building b = { scene,
			      (struct shape *)((char *)scene + scene->shapes),
			      (struct node *)((char *)scene + scene->nodes),
			      0 };

	if (scene->shape_count)
		build(&b, 0, scene->shape_count, 0);
	return b.used;
}

/* A ray's walk through the tree, and its result so far. */
struct walk {
	const struct scene *scene;
	struct ray ray;
	struct vec inverse; /* 1 / ray.way for each axis */
	const struct shape *shape;
	double light;
};

/*
 * Cuts the ray's interval from *near to *far down to the part between two
 * planes of a box. If the ray lies in one of the planes, a NaN results.
 * Comparisons with a NaN are false, so the plane cuts nothing.
 */
static inline void
cut(double low, double high, double from, double inverse, double *near,
    double *far)
{
	double in = ((inverse < 0 ? high : low) - from) * inverse;
	double out = ((inverse < 0 ? low : high) - from) * inverse;

	if (in > *near)
		*near = in;
	if (out < *far)
		*far = out;
}

static inline bool
enters(const struct walk *walk, const struct node *node)
{
	const struct vec *low = &node->low, *high = &node->high;
	const struct vec *from = &walk->ray.from, *inverse = &walk->inverse;
	double near = walk->ray.least, far = walk->ray.most;

	cut(low->x, high->x, from->x, inverse->x, &near, &far);
	cut(low->y, high->y, from->y, inverse->y, &near, &far);
	cut(low->z, high->z, from->z, inverse->z, &near, &far);
	return near <= far;
}

/*
 * Calls @visit for each shape of the boxes that the ray enters, nearer boxes
 * first, until @visit returns false. Returns how many boxes and shapes it
 * looked at.
 */
static inline uint64_t
walk_all(struct walk *walk, bool (*visit)(struct walk *, const struct shape *))
{
	const struct node *nodes = scene_at(walk->scene, walk->scene->nodes);
	const struct shape *shapes = scene_at(walk->scene, walk->scene->shapes);
	uint32_t stack[DEPTH], depth = 0, i;
	uint64_t looks = 0;

	if (walk->scene->node_count)
		stack[depth++] = 0;
	while (depth) {
		uint32_t number = stack[--depth];
		const struct node *node = &nodes[number];
		bool back = vec_part(walk->ray.way, node->axis) < 0;

		looks++;
		if (!enters(walk, node))
			continue;
		looks += node->count;
		for (i = 0; i < node->count; i++)
			if (!visit(walk, &shapes[node->first + i]))
				return looks;
		if (!node->count) {
			stack[depth++] = back ? number + 1 : node->first;
			stack[depth++] = back ? node->first : number + 1;
		}
	}
	return looks;
}

static struct walk
walk_of(const struct scene *scene, const struct ray *ray)
{
	struct vec way = ray->way;

	return (struct walk){ .scene = scene,
			      .ray = *ray,
			      .inverse = { 1 / way.x, 1 / way.y, 1 / way.z },
			      .light = 1 };
}

static inline bool
visit_nearest(struct walk *walk, const struct shape *shape)
{
	double t = shape_hit(walk->scene, shape, &walk->ray, shape->sides);

	if (t < INFINITY) {
		walk->ray.most = t;
		walk->shape = shape;
	}
	return true;
}

const struct shape *
bvh_nearest(const struct scene *scene, const struct ray *ray, double *t_p,
	    uint64_t *looks)
{
	struct walk walk = walk_of(scene, ray);

	*looks += walk_all(&walk, visit_nearest);
	if (walk.shape)
		*t_p = walk.ray.most;
	return walk.shape;
}

static inline bool
visit_light(struct walk *walk, const struct shape *shape)
{
	/* A shape that is invisible from one side throws a shadow anyway. */
	if (shape_hit(walk->scene, shape, &walk->ray,
		      SHAPE_FRONT | SHAPE_BACK) < INFINITY)
		walk->light *= scene_material(walk->scene, shape)->transmit;
	return walk->light > 0;
}

double
bvh_light(const struct scene *scene, const struct ray *ray, uint64_t *looks)
{
	struct walk walk = walk_of(scene, ray);

	*looks += walk_all(&walk, visit_light);
	return walk.light;
}
