/*
 * kicks.h: a tour that is usually the shortest, by chained Lin-Kernighan steps
 * (S. Lin and B. W. Kernighan, Operations Research 21, 1973; O. Martin, S. W.
 * Otto and E. W. Felten, Complex Systems 5, 1991). Plain C.
 */
#ifndef TSP_KICKS_H
#define TSP_KICKS_H

#include <stdint.h>

#include "apps/tsp/tsplib.h"

/*
 * kicks_tour: the length of a short tour of all cities of @tsp. Writes its
 * cities to @order, from city 0 on, in the direction in which the second city
 * has a lower number than the last. The tour depends on @tsp only. Takes some
 * ms for 40 cities, and the time of some hundred 1-trees for 100.
 */
int64_t kicks_tour(const struct tsplib *tsp, uint8_t *order);

#endif
