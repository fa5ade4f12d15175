/*
 * raytracer: renders an NFF scene. A task divides its part of the picture into
 * quadrants, which are tasks again.
 */
#include <sateen.h>
#include <stdio.h>
#include <stdlib.h>
#include "apps/app.h"
#include "apps/picture.h"
#include "apps/raytracer/nff.h"
#include "apps/raytracer/trace.h"

enum { MOST_BYTES = 64 << 20 }; /* size of the largest scene file */

static const char help[] =
	"usage: raytracer [--seq] [-o OUT.png] [-s SIZE] [-t PIXELS] "
	"SCENE.nff\n"
	"Renders a scene in Neutral File Format.\n"
	"\n"
	"  -o OUT.png  write the picture to a file (default: to none)\n"
	"  -s SIZE     render SIZE x SIZE pixels, 1 to 16384 (default: the\n"
	"              scene's resolution)\n"
	"  -t PIXELS   divide rectangles of more than PIXELS pixels (default "
	"256)\n"
	"  --seq       the same rays, without spawns\n"
	"  -h, --help  show this\n";

struct options {
	const char *scene, *out;
	long size, threshold; /* size: 0 for the resolution of the scene */
	bool sequential;
};

/* A rectangle of the picture. (x, y) is its top left pixel. */
struct tile {
	struct stn_out pixels;
	uint32_t x, y;
};

static uint32_t
tile_width(const struct tile *tile)
{
	return tile->pixels.row_bytes / 3;
}

static bool
tile_is_small(const struct tile *tile, uint32_t threshold)
{
	return (uint64_t)tile->pixels.rows * tile_width(tile) <= threshold;
}

/*
 * Quadrant @number, 0 to 3, of a tile. If the tile is one row or one column,
 * some quadrants are empty.
 */
static struct tile
tile_quadrant(const struct tile *tile, unsigned number)
{
	uint32_t rows = tile->pixels.rows, left = tile_width(tile) / 2;
	bool east = number & 1, south = number & 2;
	uint32_t x = east ? left : 0, y = south ? rows / 2 : 0;
	uint32_t width = east ? tile_width(tile) - left : left;
	unsigned char *at = tile->pixels.at;

	at += y * tile->pixels.stride + 3 * x;
	return (struct tile){ STN_OUT_ROWS(at,
					   south ? rows - rows / 2 : rows / 2,
					   3 * width, tile->pixels.stride),
			      tile->x + x, tile->y + y };
}

static bool
tile_is_empty(const struct tile *tile)
{
	return !tile->pixels.rows || !tile->pixels.row_bytes;
}

/*
 * A leaf, with tasks and with --seq. Returns the number of boxes and shapes
 * that its rays looked at.
 */
static uint64_t
tile_trace(const struct tile *tile, const struct scene *scene)
{
	uint64_t looks = 0;

	for (uint32_t i = 0; i < tile->pixels.rows; i++) {
		unsigned char *row = tile->pixels.at;

		row += i * tile->pixels.stride;
		for (uint32_t j = 0; j < tile_width(tile); j++)
			looks += trace_pixel(scene, tile->x + j, tile->y + i,
					     row + 3 * j);
	}
	return looks;
}

STN_TASK_VOID(render, struct stn_out, pixels, struct stn_in, scene, uint32_t, x,
	      uint32_t, y, uint32_t, threshold)
{
	struct tile tile = { pixels, x, y };
	unsigned i, spawned = 0;

	if (tile_is_small(&tile, threshold)) {
		STN_WORK(tile_trace(&tile, scene.at));
		STN_PROGRESS((uint64_t)pixels.rows * tile_width(&tile), 0);
		return;
	}
	for (i = 0; i < 4; i++) {
		struct tile part = tile_quadrant(&tile, i);

		if (tile_is_empty(&part))
			continue;
		STN_SPAWN(render, part.pixels, scene, part.x, part.y,
			  threshold);
		spawned++;
	}
	while (spawned--)
		STN_SYNC(render);
}

static void
render_sequentially(const struct tile *tile, const struct scene *scene,
		    uint32_t threshold)
{
	if (tile_is_small(tile, threshold)) {
		tile_trace(tile, scene);
		return;
	}
	for (unsigned i = 0; i < 4; i++) {
		struct tile part = tile_quadrant(tile, i);

		if (!tile_is_empty(&part))
			render_sequentially(&part, scene, threshold);
	}
}

static struct scene *
read_scene(const char *path, struct app_why *why)
{
	struct scene *scene;
	size_t bytes;
	char *text = app_read_file(path, MOST_BYTES, &bytes, why);

	if (!text)
		return NULL;
	scene = nff_parse(path, text, bytes, why);
	free(text);
	return scene;
}

/* Prints what was rendered, and writes the picture if the user wants it. */
static int
deliver(const struct scene *scene, const unsigned char *pixels, double seconds,
	const char *path)
{
	struct app_why why;

	printf("%u x %u pixels, %u objects, checksum %016llx\n", scene->width,
	       scene->height, scene->shape_count,
	       (unsigned long long)picture_checksum(pixels, scene->width,
						    scene->height));
	printf("time: %.3f s\n", seconds);
	if (path &&
	    !picture_write(path, pixels, scene->width, scene->height, &why))
		return app_complain(EXIT_FAILURE, "%s", why.text);
	return EXIT_SUCCESS;
}

/* Renders by the task, or without it (--seq). */
static void
render_all(STN_FRAME, const struct scene *scene, unsigned char *pixels,
	   const struct options *options)
{
	struct tile all = { STN_OUT_ROWS(pixels, scene->height,
					 3 * scene->width, 3 * scene->width),
			    0, 0 };
	uint32_t threshold = (uint32_t)options->threshold;

	if (options->sequential) {
		render_sequentially(&all, scene, threshold);
		return;
	}
	STN_PROGRESS(0, (uint64_t)scene->width * scene->height);
	STN_CALL(render, all.pixels,
		 STN_IN((const unsigned char *)scene, scene->bytes), 0, 0,
		 threshold);
	STN_PROGRESS_END();
}

static int
show(STN_FRAME, const struct scene *scene, const struct options *options)
{
	unsigned char *pixels = malloc(3ull * scene->width * scene->height);
	double start = STN_SECONDS();
	int status;

	if (!pixels)
		return app_complain(EXIT_FAILURE,
				    "no memory for %u x %u pixels",
				    scene->width, scene->height);
	render_all(STN_PASS_FRAME, scene, pixels, options);
	status = deliver(scene, pixels, STN_SECONDS() - start, options->out);
	free(pixels);
	return status;
}

STN_MAIN(argc, argv)
{
	struct options options = { .threshold = 256 };
	const struct app_option table[] = {
		{ 'o', .value = "OUT.png", .text = &options.out },
		{ 's', .value = "SIZE", .number = &options.size, .least = 1,
		  .most = SCENE_MOST_SIZE },
		{ 't', .value = "PIXELS", .number = &options.threshold,
		  .least = 1, .most = 1 << 30 },
		{ 0, "seq", .flag = &options.sequential },
		{ .value = "SCENE.nff",
		  .text = &options.scene,
		  .needed = true },
		{ 0 },
	};
	int status = app_options(argc, argv, help, table);
	struct app_why why;
	struct scene *scene;

	if (status != APP_GO_ON)
		return status;
	if (!app_check_output(options.out, &why))
		return app_complain(EXIT_FAILURE, "%s", why.text);
	scene = read_scene(options.scene, &why);
	if (!scene)
		return app_complain(APP_BAD_INPUT, "%s", why.text);
	if (options.size)
		scene->width = scene->height = (uint32_t)options.size;
	status = show(STN_PASS_FRAME, scene, &options);
	free(scene);
	return status;
}
