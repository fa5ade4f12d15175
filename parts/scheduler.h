/*
 * scheduler.h: the contract of a scheduler, which decides which parts move to
 * which node, and when. A scheduler is one constant table in a file of its own
 * (parts/schedulers). It only decides; move.h moves the parts. All calls come
 * with the net lock held. Members marked optional may be NULL.
 */
#ifndef STN_PARTS_SCHEDULER_H
#define STN_PARTS_SCHEDULER_H

#include <stdio.h>

#include "parts/parts.h"

struct stn_scheduler {
	const char *name, *help;
	size_t state_bytes; /* of an array's scheduling, zeroed at first, */
	size_t node_bytes;  /* so many for each of its nodes behind that, */
	size_t part_bytes;  /* and so many for each part */
	const struct stn_setting_table *settings; /* optional: its own */
	bool evens_cells; /* idle is also called, for cells, when all parts of
			   * this node have been swept */
	bool resident; /* all parts of a node may move at once (hector) */

	/* Optional: the array has been made, with the parts of this node. */
	void (*created)(struct stn_parts *array);

	/* Optional: an operation begins. No part of it has been swept. */
	void (*begins)(struct stn_parts *array);

	/* Optional: a worker of this node has swept the part. */
	void (*swept)(struct stn_part *part);

	/* Optional: a part that was given to this node has arrived. */
	void (*arrived)(struct stn_part *part);

	/*
	 * Optional: a worker has found nothing to sweep. Parts of the array
	 * wait for pieces, or this node has none. Returns when to call again;
	 * STN_FOREVER: when the node has been woken.
	 */
	uint64_t (*idle)(struct stn_parts *array, uint64_t now);

	/* Optional: node @from has nothing to sweep, and asks for parts. */
	void (*asked)(struct stn_parts *array, uint32_t from,
		      const struct stn_parts_ask *ask, uint64_t now);

	/* Optional: node @from, which this node has asked, answers. */
	void (*answered)(struct stn_parts *array, uint32_t from,
			 const struct stn_parts_ask *answer, uint64_t now);

	/* Optional: node @from tells its speed. STN_MALFORMED. */
	enum stn_err (*told)(struct stn_parts *array, uint32_t from,
			     const struct stn_parts_speed *told);

	/*
	 * Optional: nodes have left or joined. The parts stay where they are,
	 * but an answer that was awaited may never come.
	 */
	void (*regrouped)(struct stn_parts *array);

	/* Optional: its timed work; see look_after in node/service.h. */
	uint64_t (*look_after)(struct stn_parts *array, uint64_t now);

	/*
	 * Optional: the resident set of this node moves to node @to, to which
	 * stn_seat_node leads already. Makes the set's state, *bytes_p bytes,
	 * which the caller frees, and forgets it here.
	 */
	void *(*pack)(struct stn_parts *array, size_t *bytes_p);

	/*
	 * Optional: a resident set comes to this node. Parts of it may arrive
	 * before unpack is called.
	 */
	void (*expect)(struct stn_parts *array);

	/*
	 * Optional: its state has come; @state is NULL if the set's former node
	 * did not know the array yet. STN_MALFORMED.
	 */
	enum stn_err (*unpack)(struct stn_parts *array, const void *state,
			       size_t bytes);

	/* Optional: the array is cut into other runs. STN_MALFORMED. */
	enum stn_err (*recut)(struct stn_parts *array,
			      const struct stn_message *message,
			      const struct stn_parts_recut *header);
};

extern const struct stn_scheduler stn_scheduler_af, stn_scheduler_awf,
	stn_scheduler_equal, stn_scheduler_fac2, stn_scheduler_factoring,
	stn_scheduler_fractiling,
	stn_scheduler_once, stn_scheduler_restless, stn_scheduler_settle,
	stn_scheduler_smooth, stn_scheduler_wf;

/*
 * stn_scheduler_find: the scheduler called @name, or NULL.
 * stn_scheduler_at: the scheduler with that number; NULL behind the last.
 * stn_scheduler_list: prints a line for each.
 */
const struct stn_scheduler *stn_scheduler_find(const char *name);
const struct stn_scheduler *stn_scheduler_at(size_t number);
void stn_scheduler_list(FILE *out);

/*
 * stn_scheduler_created: makes the array's scheduling.
 * stn_scheduler_swept, _idle: call the scheduler. _idle: for each array with an
 * operation; a worker has found nothing to do. Returns when to call again, or
 * STN_FOREVER. _look_after: for each array with an operation; the same.
 */
void stn_scheduler_created(struct stn_parts *array);
void stn_scheduler_swept(struct stn_part *part);
uint64_t stn_scheduler_idle(struct stn_parts_service *service);
uint64_t stn_scheduler_look_after(struct stn_parts_service *service,
				  uint64_t now);

#endif
