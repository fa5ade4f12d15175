/*
 * key.h: the key of a call: a hash of everything that the call computes from.
 * Two calls with one key have the same result, because tasks are pure.
 *
 * Hashed are, in this order:
 *
 *	the task	a 64-bit hash of its name, and of the types and sizes
 *			of its result and its arguments
 *	each argument	the bytes of a scalar; rows and bytes per row of a
 *			buffer
 *	inouts		the 128-bit hash of the contents of all inout buffers,
 *			row by row, if the task has inout buffers
 *	contents	of each in buffer, row by row
 *
 * Not hashed are a buffer's address and stride, the contents of out buffers,
 * and the padding between arguments. The padding inside an argument that is a
 * structure is hashed: it may give equal calls different keys, but never
 * different calls one key.
 *
 * The hash is XXH3 with 128 bits. All numbers are hashed as they lie in memory,
 * little-endian as in steal/wire.h, so all nodes of a run compute the same key,
 * even if their processors differ. Keys are compared with keys of other
 * processes and of earlier runs; a change to what is hashed makes old keys
 * useless.
 */
#ifndef STN_STEAL_KEY_H
#define STN_STEAL_KEY_H

#include "steal/sateen_record.h"

struct stn_key {
	uint64_t low, high;
};

/*
 * stn_key_task: the hash of @task that is part of the keys of its calls. The
 * table of tasks has the hashes of all tasks (stn_table_hash).
 */
uint64_t stn_key_task(const struct stn_task *task);

/*
 * stn_key_inouts: the hash of the contents of all inout buffers; zeros if there
 * are none. A task overwrites its inout buffers, so the call must precede it.
 * stn_key_of: the key of the call of @task with the arguments in @record. Reads
 * all in buffers. If the task's result overwrites the arguments in @record, the
 * call must precede the task; otherwise it may come later, also while the task
 * runs, because tasks don't write to in buffers.
 * @hash    stn_key_task of @task
 * @inouts  stn_key_inouts of @record, before the task has run
 * Any thread; no lock; never allocates.
 */
struct stn_key stn_key_inouts(const struct stn_task *task,
			      const struct stn_record *record);
struct stn_key stn_key_of(uint64_t hash, const struct stn_task *task,
			  const struct stn_record *record,
			  struct stn_key inouts);

/*
 * stn_key_hint: a hash of the same, but without the contents of buffers. Equal
 * keys have equal hints. Its cost does not depend on the size of the buffers.
 * Must precede the task if the task's result overwrites the arguments in
 * @record. Any thread; no lock; never allocates.
 */
uint32_t stn_key_hint(uint64_t hash, const struct stn_task *task,
		      const struct stn_record *record);

#endif
