/*
 * again.h: main runs again, because the root has died or the run is resumed: it
 * must make the same grids and calls as before. Net lock held.
 */
#ifndef STN_PARTS_SURVIVE_AGAIN_H
#define STN_PARTS_SURVIVE_AGAIN_H

#include "parts/parts.h"

/*
 * stn_again_made: whether main has made the array before. Ends the run if that
 * array, which may be NULL, was another one.
 * stn_again_called: ends the run if the operation of that number was another
 * one.
 * stn_again_check: ends the run if the array that is on disk, @stored, is
 * another one.
 * stn_again_lend: a task uses the array that another task, or main, has made.
 * Ends the run if it is kept or resumed.
 */
bool stn_again_made(const struct stn_parts_service *service,
		    const struct stn_parts *array,
		    const struct stn_parts_create *create);
void stn_again_called(const struct stn_parts *array,
		      const struct stn_parts_operate *order);
void stn_again_check(const struct stn_parts *array,
		     const struct stn_parts_create *stored);
void stn_again_lend(struct stn_parts *array);

#endif
