/*
 * nff.h: scenes in Eric Haines' Neutral File Format.
 *
 *	v from X Y Z at X Y Z up X Y Z angle A hither H resolution W H
 *	b R G B			the background; black without it
 *	l X Y Z [R G B]		a light. Without a colour it is white, and
 *				n lights have an intensity of 1/sqrt(n) each
 *	f R G B Kd Ks Shine T index	the material of the objects that follow
 *	s X Y Z R		a sphere
 *	p N, N times X Y Z	a polygon, counterclockwise seen from outside
 *	pp N, N times X Y Z and a normal	the same: normals are ignored
 *	c X Y Z R X Y Z R	a cone or cylinder without end caps
 *
 * Entities come in any order, but objects come after their "f". There is one
 * view. A shape with negative radii is visible only from inside. Other shapes
 * are visible from outside, or from both sides if T > 0. The angle is between
 * the top row and the bottom row. Pixels are square.
 */
#ifndef RAYTRACER_NFF_H
#define RAYTRACER_NFF_H

#include <stddef.h>
#include "apps/app.h"
#include "apps/raytracer/scene.h"

/*
 * nff_parse: makes the scene that @text describes. @path  the text's name in
 * complaints @text  any @bytes bytes, which don't have to end with a zero byte
 * Returns a scene, which the caller frees, or NULL with "path:line: what is
 * wrong" in @why.
 */
struct scene *nff_parse(const char *path, const char *text, size_t bytes,
			struct app_why *why);

#endif
