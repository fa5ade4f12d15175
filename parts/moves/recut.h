/*
 * recut.h: all nodes of an array get new ranges of parts at once, in proportion
 * to their speeds. For schedulers. Net lock held.
 *
 * After some sweeps each part pauses (struct stn_parts, pause). When all parts
 * of a node's range are there and have paused, the node tells the root its
 * speed (SPEED). When the root has heard all nodes, it cuts the parts into
 * ranges, and tells all nodes (RECUT). A node gives away its parts that are not
 * in its new range. Then all nodes continue to sweep. Sweeps are counted in
 * blocks: an interval is rounded up.
 *
 * When nodes have died, left or joined, parts may be anywhere, and messages may
 * be lost. Then all nodes forget what they have been told, and the root cuts
 * the parts into equal ranges for the nodes that stay, which the array has from
 * then on. No node waits for that: each one gives away the parts that are not
 * in its range, also those that arrive later. The next pause follows as from
 * the beginning.
 *
 * An array with fewer parts than nodes is not cut anew.
 */
#ifndef STN_PARTS_MOVES_RECUT_H
#define STN_PARTS_MOVES_RECUT_H

#include "parts/forecast.h"
#include "parts/parts.h"

/* The range of a node begins with part @first, and ends where the next begins.
 */
struct stn_recut_share {
	uint32_t rank;
	uint32_t first;
	double speed; /* on the root: as the node has told */
};

struct stn_recut {
	uint64_t blocks;		     /* before a pause */
	const struct stn_forecast *forecast; /* NULL: of the mean, and once */
	double pays;	   /* percent of a sweep's time that a cut must gain; 0:
			    * each cut is made */
	uint32_t nodes;	   /* that have shares; the shares are by rank */
	bool cut;	   /* there are ranges in this view */
	bool begun;	   /* pauses are counted from the first sweep on */
	bool told;	   /* this node has told its speed in this round */
	uint32_t round;	   /* of the next cuts, as in struct stn_parts_speed */
	uint32_t heard;	   /* on the root: nodes that have told their speeds */
	uint32_t unpaused; /* first part of the range that is not known to have
			      paused */
	uint64_t marked_ns, marked_points; /* of the pace, at the last speed */
	double forecasting[STN_FORECAST_BYTES / sizeof(double)];
	struct stn_recut_share shares[]; /* of each node */
};

/*
 * stn_recut_create: the array is cut anew after each @sweeps sweeps, by the
 * speeds that @forecast predicts; if @forecast is NULL, it is cut once, by the
 * mean speeds until then. @array's scheduling is a struct stn_recut.
 * The other functions are members of a scheduler: see scheduler.h.
 * STN_RECUT_MEMBERS  those members, and the sizes, of such a scheduler's table
 */
void stn_recut_create(struct stn_parts *array, uint64_t sweeps,
		      const struct stn_forecast *forecast);
void stn_recut_begins(struct stn_parts *array);
void stn_recut_swept(struct stn_part *part);
uint64_t stn_recut_idle(struct stn_parts *array, uint64_t now);
void stn_recut_arrived(struct stn_part *part);
void stn_recut_regrouped(struct stn_parts *array);
STN_CHECKED enum stn_err stn_recut_told(struct stn_parts *array, uint32_t from,
					const struct stn_parts_speed *told);
STN_CHECKED enum stn_err stn_recut_take(struct stn_parts *array,
					const struct stn_message *message,
					const struct stn_parts_recut *header);
#define STN_RECUT_MEMBERS                                                      \
	.state_bytes = sizeof(struct stn_recut),                               \
	.node_bytes = sizeof(struct stn_recut_share),                          \
	.begins = stn_recut_begins, .swept = stn_recut_swept,                  \
	.arrived = stn_recut_arrived, .idle = stn_recut_idle,                  \
	.told = stn_recut_told, .regrouped = stn_recut_regrouped,              \
	.recut = stn_recut_take

#endif
