/*
 * sateen_const.h: read-only data that tasks of all nodes share. A part of
 * <sateen.h>, which programs include.
 *
 * An in buffer travels with each record that another node steals. If all tasks
 * read the same data, for example a graph, a program makes a constant of the
 * data, and passes its handle, of 8 bytes. Each node gets the data once.
 *
 *	STN_TASK(long, degrees, struct stn_const, graph, int, first, int, end)
 *	{
 *		const uint8_t *adjacent = STN_CONST_AT(graph);
 *		...
 *	}
 *
 *	struct stn_const graph = STN_CONST(adjacent, bytes);
 *
 *	sum = STN_CALL(degrees, graph, 0, vertices);
 *
 * Threads: STN_CONST and STN_CONST_AT are for STN_MAIN's body, for tasks, and
 * for the functions that help them. Neither waits for another node: a stolen
 * call begins when its node has the data. STN_CONST takes a lock of the node;
 * STN_CONST_AT takes none.
 *
 * Errors: the run ends with one line if there is no memory for the data, if a
 * task asks for a constant that it has not got, or if two constants with
 * different bytes have the same 64-bit hash.
 */
#ifndef STN_SATEEN_CONST_H
#define STN_SATEEN_CONST_H

#include "sateen_record.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The handle of a constant: a hash of its bytes. Constants with the same bytes
 * have the same handle, on all nodes and in all runs. A task gets it as an
 * argument of its own, not as a member of a structure or of a buffer, because
 * the runtime must know which constants a call needs. It is no result of a
 * task, because the data don't travel with results.
 */
struct stn_const {
	uint64_t hash;
};

/*
 * STN_CONST(data, bytes): makes a constant of the @bytes bytes at @data, which
 * it copies; there are no pointers among them. Its value is a struct stn_const.
 * The runtime keeps the constant until the run ends; a program can't free it.
 * It costs a pass over the data, even if there is the same constant already.
 */
#define STN_CONST(data, bytes) stn_const_make(stn_frame->deque, data, bytes)

/*
 * STN_CONST_AT(handle): the data, a const void * that is aligned to 64 bytes
 * and valid until the task ends. The task has got @handle as an argument, or it
 * has made the constant. A task asks once, and passes the pointer to the plain
 * functions that it calls, but not to other tasks.
 */
#define STN_CONST_AT(handle) stn_const_at(stn_frame->deque, handle)

struct stn_const stn_const_make(struct stn_deque *deque, const void *data,
				size_t bytes);
const void *stn_const_at(struct stn_deque *deque, struct stn_const handle);

#ifdef __cplusplus
}
#endif

#endif
