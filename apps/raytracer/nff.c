#include "apps/raytracer/nff.h"

#include <string.h>
#include "apps/raytracer/draft.h"
#include "apps/raytracer/solid.h"
#include "apps/words.h"

enum { MOST_POLYGON_CORNERS = 65536 };

/*
 * The largest number in a file. With this limit no computation for a ray
 * overflows. The largest value is the discriminant of a cone, which has degree
 * four.
 */
#define MOST_NUMBER 1e12

struct reading {
	struct words words;
	struct draft draft;
};

static bool
read_number(struct words *words, double *value_p)
{
	return words_number(words, "a number", MOST_NUMBER, value_p);
}

static bool
read_vec(struct words *words, struct vec *vec_p)
{
	struct vec vec;

	if (!read_number(words, &vec.x) || !read_number(words, &vec.y) ||
	    !read_number(words, &vec.z))
		return false;
	*vec_p = vec;
	return true;
}

/* Reads a number from 0 on. Complaints call it @what. */
static bool
read_amount(struct words *words, const char *what, double *value_p)
{
	double value = 0; /* or gcc -O3 warns, though it is always set */

	if (!read_number(words, &value))
		return false;
	if (value < 0)
		return words_fail(words, "%s is negative: %s", what,
				  words->word);
	*value_p = value;
	return true;
}

static bool
read_colour(struct words *words, struct vec *colour_p)
{
	struct vec colour;

	if (!read_amount(words, "red", &colour.x) ||
	    !read_amount(words, "green", &colour.y) ||
	    !read_amount(words, "blue", &colour.z))
		return false;
	*colour_p = colour;
	return true;
}

/* Adds to a list of the draft; a complaint begins with path and line. */
static bool
add(struct reading *r, struct list *list, const void *item)
{
	struct app_why why;

	return draft_add(list, item, &why) ||
	       words_fail(&r->words, "%s", why.text);
}

static bool
read_directions(struct words *words, struct scene *view)
{
	struct vec at, up, right;

	if (!words_expect(words, "from") || !read_vec(words, &view->eye) ||
	    !words_expect(words, "at") || !read_vec(words, &at) ||
	    !words_expect(words, "up") || !read_vec(words, &up))
		return false;
	at = vec_sub(at, view->eye);
	if (vec_length(at) < SOLID_LEAST)
		return words_fail(words, "the view's from and at are the same");
	view->ahead = vec_unit(at);
	right = vec_cross(view->ahead, vec_unit(up));
	if (vec_length(right) < SOLID_LEAST)
		return words_fail(words,
				  "the view's up is parallel to its direction");
	view->right = vec_unit(right);
	view->up = vec_cross(view->right, view->ahead);
	return true;
}

static bool
read_angle(struct words *words, struct scene *view)
{
	double angle, half;

	if (!words_expect(words, "angle") || !read_number(words, &angle))
		return false;
	if (!(angle > 0 && angle < 180))
		return words_fail(words,
				  "the angle should be between 0 and "
				  "180, not %s",
				  words->word);
	half = tan(angle * (3.14159265358979323846 / 360));
	view->right = vec_scale(view->right, half);
	view->up = vec_scale(view->up, half);
	return true;
}

static bool
read_view(struct reading *r)
{
	struct scene *view = &r->draft.head;
	struct words *words = &r->words;
	long width, height;

	if (view->width)
		return words_fail(words, "a second view");
	if (!read_directions(words, view) || !read_angle(words, view) ||
	    !words_expect(words, "hither") ||
	    !read_amount(words, "hither", &view->hither) ||
	    !words_expect(words, "resolution") ||
	    !words_whole(words, "the width", 1, SCENE_MOST_SIZE, &width) ||
	    !words_whole(words, "the height", 1, SCENE_MOST_SIZE, &height))
		return false;
	view->width = (uint32_t)width;
	view->height = (uint32_t)height;
	return true;
}

static bool
read_background(struct reading *r)
{
	return read_colour(&r->words, &r->draft.head.background);
}

static bool
read_light(struct reading *r)
{
	/* No colour is negative: dim_lights() replaces this one. */
	struct light light = { .colour = { -1, -1, -1 } };

	if (!read_vec(&r->words, &light.at))
		return false;
	if (words_more_on_line(&r->words) &&
	    !read_colour(&r->words, &light.colour))
		return false;
	return add(r, &r->draft.lights, &light);
}

static void
dim_lights(struct list *list)
{
	struct light *lights = list->items;

	for (uint32_t i = 0; i < list->count; i++) {
		double each = 1 / sqrt(list->count);

		if (lights[i].colour.x < 0)
			lights[i].colour = (struct vec){ each, each, each };
	}
}

static bool
read_fill(struct reading *r)
{
	struct words *words = &r->words;
	struct material fill;

	if (!read_colour(words, &fill.colour) ||
	    !read_amount(words, "Kd", &fill.diffuse) ||
	    !read_amount(words, "Ks", &fill.specular) ||
	    !read_amount(words, "Shine", &fill.shine) ||
	    !read_amount(words, "T", &fill.transmit) ||
	    !read_amount(words, "the index of refraction", &fill.index))
		return false;
	if (fill.transmit > 0 && fill.index < SOLID_LEAST)
		return words_fail(words, "T > 0 without an index of "
					 "refraction");
	return add(r, &r->draft.materials, &fill);
}

/* Adds @shape, unless @wrong says what is wrong with it. */
static bool
add_shape(struct reading *r, struct shape *shape, const char *wrong)
{
	const struct list *fills = &r->draft.materials;
	const struct material *fill = fills->items;

	if (wrong)
		return words_fail(&r->words, "%s", wrong);
	if (!fills->count)
		return words_fail(&r->words, "an object before any fill (f)");
	shape->material = fills->count - 1;
	if (fill[shape->material].transmit > 0)
		shape->sides = SHAPE_FRONT | SHAPE_BACK;
	return add(r, &r->draft.shapes, shape);
}

static bool
read_sphere(struct reading *r)
{
	struct words *words = &r->words;
	struct shape shape;
	struct vec centre;
	double radius;

	return read_vec(words, &centre) && read_number(words, &radius) &&
	       add_shape(r, &shape, solid_sphere(&shape, centre, radius));
}

static bool
read_cone(struct reading *r)
{
	struct words *words = &r->words;
	struct vec base, apex;
	double wide, top;
	struct shape shape;

	return read_vec(words, &base) && read_number(words, &wide) &&
	       read_vec(words, &apex) && read_number(words, &top) &&
	       add_shape(r, &shape, solid_cone(&shape, base, wide, apex, top));
}

static bool
read_corners(struct reading *r, bool with_normals)
{
	struct list *corners = &r->draft.corners;
	uint32_t first = corners->count;
	struct vec corner, normal;
	struct shape shape;
	long i, count;

	if (!words_whole(&r->words, "the number of corners", 3,
			 MOST_POLYGON_CORNERS, &count))
		return false;
	for (i = 0; i < count; i++)
		if (!read_vec(&r->words, &corner) ||
		    (with_normals && !read_vec(&r->words, &normal)) ||
		    !add(r, corners, &corner))
			return false;
	return add_shape(r, &shape,
			 solid_polygon(&shape,
				       (struct vec *)corners->items + first,
				       first, (uint32_t)count));
}

static bool
read_polygon(struct reading *r)
{
	return read_corners(r, false);
}

static bool
read_patch(struct reading *r)
{
	return read_corners(r, true);
}

static bool
read_entity(struct reading *r)
{
	static const struct {
		const char *name;
		bool (*read)(struct reading *);
	} entities[] = {
		{ "v", read_view },    { "b", read_background },
		{ "l", read_light },   { "f", read_fill },
		{ "s", read_sphere },  { "c", read_cone },
		{ "p", read_polygon }, { "pp", read_patch },
	};

	for (size_t i = 0; i < sizeof(entities) / sizeof(*entities); i++)
		if (!strcmp(r->words.word, entities[i].name))
			return entities[i].read(r);
	return words_fail(&r->words, "unknown entity '%s'", r->words.word);
}

static struct scene *
read_all(struct reading *r)
{
	struct scene *scene;

	while (words_next(&r->words))
		if (!read_entity(r))
			return NULL;
	if (!r->draft.head.width) {
		words_fail(&r->words, "the file ends without a view (v)");
		return NULL;
	}
	/* If the file were cut within its last number, nothing would tell. */
	if (r->words.end[-1] > ' ') {
		words_fail(&r->words, "the file ends within a line");
		return NULL;
	}
	dim_lights(&r->draft.lights);
	scene = draft_pack(&r->draft);
	if (!scene)
		words_fail(&r->words, "out of memory for the scene");
	return scene;
}

struct scene *
nff_parse(const char *path, const char *text, size_t bytes, struct app_why *why)
{
	struct reading r = { .words = { path, text, text + bytes, why, 1,
					'#' } };
	struct scene *scene;

	draft_init(&r.draft);
	scene = read_all(&r);
	draft_fini(&r.draft);
	return scene;
}
