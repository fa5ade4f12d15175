/*
 * quantity.h: what an NFF file's numbers stand for. As the readers of words.h,
 * all return false with a complaint when the text has something else.
 */
#ifndef RAYTRACER_QUANTITY_H
#define RAYTRACER_QUANTITY_H

#include "apps/raytracer/vec.h"
#include "apps/words.h"

/*
 * Numbers beyond this are absurd. With it no sum of products that a ray needs
 * overflows: the largest is a cone's discriminant, of degree four.
 */
#define QUANTITY_MOST 1e12

/* quantity_number: a number in -QUANTITY_MOST..QUANTITY_MOST. */
bool quantity_number(struct words *words, double *value_p);

/* quantity_amount: a number that is not negative; @what it measures. */
bool quantity_amount(struct words *words, const char *what, double *value_p);

/* quantity_vec: three numbers. */
bool quantity_vec(struct words *words, struct vec *vec_p);

/* quantity_colour: three numbers, none negative. */
bool quantity_colour(struct words *words, struct vec *colour_p);

#endif
