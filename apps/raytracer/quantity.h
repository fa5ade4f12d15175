/*
 * quantity.h: readers for the numbers of an NFF file. Like the functions of
 * words.h, all return false, with a complaint, if the text has something else.
 */
#ifndef RAYTRACER_QUANTITY_H
#define RAYTRACER_QUANTITY_H

#include "apps/raytracer/vec.h"
#include "apps/words.h"

/*
 * The largest number in a file. With this limit no computation for a ray
 * overflows. The largest value is the discriminant of a cone, which has degree
 * four.
 */
#define QUANTITY_MOST 1e12

/* quantity_number: reads a number from -QUANTITY_MOST to QUANTITY_MOST. */
bool quantity_number(struct words *words, double *value_p);

/* quantity_amount: reads a number from 0 on. Complaints call it @what. */
bool quantity_amount(struct words *words, const char *what, double *value_p);

/* quantity_vec: reads three numbers. */
bool quantity_vec(struct words *words, struct vec *vec_p);

/* quantity_colour: reads three numbers, none of them negative. */
bool quantity_colour(struct words *words, struct vec *colour_p);

#endif
