/*
 * trace.h: Whitted's ray tracing ("An improved illumination model for shaded
 * display", CACM 1980), with the terms that NFF has.
 *
 * A surface's colour is, over all lights that reach it, the sum of
 *	Kd * colour * light * cos(normal, light)
 *	Ks * light * cos(mirrored ray, light) ^ Shine	(none if Shine is 0)
 * and then Ks times what the mirrored ray sees and T times what the refracted
 * ray sees. There is no ambient light, and light doesn't fade with distance.
 * Rays branch up to the fifth generation, as NFF's author demands. In the
 * shadow of a transparent shape the light has the factor T, and shadows ignore
 * refraction.
 */
#ifndef RAYTRACER_TRACE_H
#define RAYTRACER_TRACE_H

#include "apps/raytracer/scene.h"

/*
 * trace_pixel: computes the colour of pixel (@x, @y), counted from the top
 * left. @rgb  receives the colour Returns the number of boxes and shapes that
 * its rays looked at, the unit of work.
 */
uint64_t trace_pixel(const struct scene *scene, uint32_t x, uint32_t y,
		     unsigned char rgb[3]);

#endif
