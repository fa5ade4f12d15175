#include "apps/raytracer/quantity.h"

bool
quantity_number(struct words *words, double *value_p)
{
	return words_number(words, "a number", QUANTITY_MOST, value_p);
}

bool
quantity_vec(struct words *words, struct vec *vec_p)
{
	struct vec vec;

	if (!quantity_number(words, &vec.x) ||
	    !quantity_number(words, &vec.y) || !quantity_number(words, &vec.z))
		return false;
	*vec_p = vec;
	return true;
}

bool
quantity_amount(struct words *words, const char *what, double *value_p)
{
	double value = 0; /* or gcc -O3 warns, though it is always set */

	if (!quantity_number(words, &value))
		return false;
	if (value < 0)
		return words_fail(words, "%s is negative: %s", what,
				  words->word);
	*value_p = value;
	return true;
}

bool
quantity_colour(struct words *words, struct vec *colour_p)
{
	struct vec colour;

	if (!quantity_amount(words, "red", &colour.x) ||
	    !quantity_amount(words, "green", &colour.y) ||
	    !quantity_amount(words, "blue", &colour.z))
		return false;
	*colour_p = colour;
	return true;
}
