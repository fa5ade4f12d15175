/*
 * calls.h: what the calls of <sateen_parts.h> share. They run on a worker of
 * the caller's node, without a lock.
 */
#ifndef STN_PARTS_CALLS_H
#define STN_PARTS_CALLS_H

#include "parts/parts.h"
#include "steal/steal.h"

struct stn_points;

/*
 * stn_calls_by_main: whether the body of STN_MAIN calls, and not a task.
 * stn_calls_check: ends the run if the array may not be used.
 * stn_calls_set_kernel: lets the operation @order run @kernel with @arguments,
 * the kernel's structure of them. The padding between the arguments is left out,
 * because the same call has other bytes there when main runs again.
 * stn_calls_call: carries the operation out on all nodes. Returns the result of
 * a measure.
 * stn_calls_operate: lets all nodes do an operation that has no kernel, and
 * blocks until they have. @range: of DEAL, else NULL.
 * stn_calls_collect: sets @points to the points of the parts of @range, as they
 * are after the last operation. @points are NULL before; free() frees them.
 * stn_calls_repeated: whether main runs again, and its next @operations calls
 * on the array have been made before.
 */
bool stn_calls_by_main(const struct stn_frame *frame);
void stn_calls_check(const struct stn_frame *frame,
		     const struct stn_parts *array);
void stn_calls_set_kernel(struct stn_parts_operate *order,
			  const struct stn_parts *array,
			  const struct stn_task *kernel,
			  const void *arguments);
double stn_calls_call(struct stn_frame *frame, struct stn_parts *array,
		      struct stn_parts_operate *order);
void stn_calls_operate(struct stn_frame *frame, struct stn_parts *array,
		       uint8_t what, const struct stn_parts_range *range);
void stn_calls_collect(struct stn_frame *frame, struct stn_parts *array,
		       struct stn_parts_range range,
		       struct stn_points **points);
bool stn_calls_repeated(struct stn_frame *frame, struct stn_parts *array,
			uint32_t operations);

#endif
