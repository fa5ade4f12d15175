/*
 * again.h: main runs again, because the root has died or the run is resumed: it
 * must make the same grids and calls as before. Net lock held.
 */
#ifndef STN_PARTS_SURVIVE_AGAIN_H
#define STN_PARTS_SURVIVE_AGAIN_H

#include "parts/parts.h"

/*
 * stn_again_made: main makes the array of @create. True if @array, the array of
 * that number, or NULL, has been made before; ends the run if @array has
 * another shape or type.
 * stn_again_called: ends the run if the operation @order differs from the one
 * of the same number in the history of the array.
 * stn_again_check: ends the run if the array that is on disk, @stored, has
 * another shape or type.
 * stn_again_resumed: how many sweeps of the operation @order, which main has
 * called before, were on disk when the run was resumed.
 * stn_again_lend: notes that a task uses the array, which another task, or
 * main, has made. Ends the run if it has --keep or --resume. A task on the node
 * of the array's maker is known by having found the array by its handle, and
 * one on another node by its rank, because no rank is used again.
 * stn_again_clock: main may have passed a call that it has made before, or is
 * about to run again: sets its clock (main_lag_ns) to the start of the next one
 * of these calls, or to the time if there is none.
 */
bool stn_again_made(const struct stn_parts_service *service,
		    const struct stn_parts *array,
		    const struct stn_parts_create *create);
void stn_again_called(const struct stn_parts *array,
		      const struct stn_parts_operate *order);
void stn_again_check(const struct stn_parts *array,
		     const struct stn_parts_create *stored);
uint64_t stn_again_resumed(const struct stn_parts *array,
			   const struct stn_parts_operate *order);
void stn_again_lend(struct stn_parts *array);
void stn_again_clock(const struct stn_parts_service *service);

#endif
