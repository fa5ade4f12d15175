/*
 * ours.h: Sateen's own messages between the two nodes. They are measured as a
 * path like the others. Over them node 0 also orders node 1 what to measure.
 */
#ifndef BENCH_FABRIC_OURS_H
#define BENCH_FABRIC_OURS_H

#include "bench/fabric/path.h"
#include "launch/join.h"

#define OURS_PIECES 1024 /* the most pieces of a payload */

/* What node 0 orders node 1 to do. */
enum ours_task { OURS_OPEN, OURS_ANSWER, OURS_DRAIN, OURS_LEAVE };

struct ours_order {
	uint64_t task;
	uint64_t path; /* its number; OURS_OPEN: 1 to open bare paths, else 0 */
	uint64_t bytes; /* of a message; OURS_OPEN: of the largest */
	uint64_t count; /* of messages */
};

struct ours;

/*
 * ours_open: opens the transport of the run's settings and connects with the
 * other node. On failure @why has the reason.
 */
STN_CHECKED enum stn_err ours_open(const struct stn_joined *joined,
				   struct ours **ours_p, struct stn_why *why);
void ours_close(struct ours *ours);

/*
 * ours_config: the run's settings. A transport, a provider or an address that
 * was "auto" is the one that the plan has chosen.
 */
const struct stn_config *ours_config(const struct ours *ours);

/*
 * ours_path: completes the path for messages of up to @most bytes. *path_p
 * belongs to @ours.
 */
STN_CHECKED enum stn_err ours_path(struct ours *ours, size_t most,
				   struct path **path_p, struct stn_why *why);

/* ours_pieces: sends payloads in so many pieces from now on. */
void ours_pieces(struct ours *ours, size_t pieces);

/* ours_sleeps: from now on a waiting thread sleeps (true) or spins (false). */
void ours_sleeps(struct ours *ours, bool sleeps);

/* ours_order: node 0 sends an order. ours_obey: node 1 waits for the next. */
void ours_order(struct ours *ours, struct ours_order order);
struct ours_order ours_obey(struct ours *ours);

/*
 * ours_swap: called by both nodes: sends @bytes, at most PATH_ADDRESS_BYTES,
 * waits for the other node's bytes, and returns their number.
 */
size_t ours_swap(struct ours *ours, const void *mine, size_t bytes,
		 unsigned char theirs[PATH_ADDRESS_BYTES]);

#endif
