/*
 * ours.h: Sateen's own way between the two nodes, which is measured as a path
 * like others, and over which the nodes agree on what to measure.
 */
#ifndef BENCH_OURS_H
#define BENCH_OURS_H

#include "apps/bench/fabric/path.h"
#include "steal/join/join.h"

#define OURS_PIECES 1024 /* the most that a payload may be in */

/* What node 0 has node 1 do. */
enum ours_task { OURS_OPEN, OURS_ANSWER, OURS_DRAIN, OURS_LEAVE };

struct ours_order {
	uint64_t task;
	uint64_t path;	/* by number; OURS_OPEN: are there bare ones? */
	uint64_t bytes; /* of a message; OURS_OPEN: the most */
	uint64_t count; /* of messages */
};

struct ours;

/*
 * ours_open: opens the transport of the run's settings, and meets the other
 * node. On failure @why has a line.
 */
STN_CHECKED enum stn_err ours_open(const struct stn_joined *joined,
				   struct ours **ours_p, struct stn_why *why);
void ours_close(struct ours *ours);

/* ours_path: it as a path, for messages of up to @most bytes. */
STN_CHECKED enum stn_err ours_path(struct ours *ours, size_t most,
				   struct path **path_p, struct stn_why *why);

/* ours_transport: what it goes by. */
struct stn_transport *ours_transport(struct ours *ours);

/* ours_pieces: in how many pieces payloads lie from now on. */
void ours_pieces(struct ours *ours, size_t pieces);

/* ours_sleeps: does a thread that waits sleep from now on, or spin? */
void ours_sleeps(struct ours *ours, bool sleeps);

/* ours_order: node 0 has node 1 do something; ours_obey: node 1 waits for it.
 */
void ours_order(struct ours *ours, struct ours_order order);
struct ours_order ours_obey(struct ours *ours);

/*
 * ours_swap: both nodes call it: sends @bytes, at most PATH_ADDRESS_BYTES, and
 * returns how many came from the other.
 */
size_t ours_swap(struct ours *ours, const void *mine, size_t bytes,
		 unsigned char theirs[PATH_ADDRESS_BYTES]);

#endif
