/*
 * speeds.h: how fast nodes compute in virtual time, and the parser of a speeds
 * file, which describes that if nodes differ from each other or change over
 * time. Each line describes one or more nodes, or starts a section
 * (sections.h):
 *
 *	NODES SPEED				4-7 0.5
 *	@ TIME					@ 60s
 *
 * NODES is a rank, a range of ranks, or * for all nodes. At SPEED 0.5 computing
 * takes twice as long as at 1. If several lines of a section describe the same
 * node, the last one counts. Before the first section a node that no line
 * describes is as fast as --speed says; in a section it stays as before. At
 * SPEED 0 a node does not compute, but handles messages; a later line must
 * raise its speed.
 */
#ifndef STN_EMUL_SPEEDS_H
#define STN_EMUL_SPEEDS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "transport/error.h"

#define STN_SPEED_LEAST 1e-6
#define STN_SPEED_MOST 1e6

/* From @start_ns on a node has this speed. */
struct stn_speed_step {
	uint64_t start_ns;
	double speed;
};

/* The speed of a node. The first step starts at 0, later ones later. */
struct stn_speed {
	struct stn_speed_step *steps;
	size_t count;
	double base;   /* that it has if nothing else uses it: its --speed */
	unsigned line; /* of the file, that describes the last step */
};

/* The speeds of all nodes. */
struct stn_speeds {
	struct stn_speed *nodes;
	uint32_t count;
};

/*
 * stn_speeds_init: @count nodes of speed 1. STN_NO_MEMORY; there is nothing to
 * free then.
 * stn_speeds_fini: frees the nodes. Takes zeros.
 * stn_speeds_begin: sets the speed that node @rank has at first.
 */
STN_CHECKED enum stn_err stn_speeds_init(struct stn_speeds *speeds,
					 uint32_t count);
void stn_speeds_fini(struct stn_speeds *speeds);
void stn_speeds_begin(struct stn_speeds *speeds, uint32_t rank, double speed);

/*
 * stn_speeds_parse: changes @speeds, in which each node has one step, to those
 * that @in describes. On failure @speeds may have changed in part.
 * @name  the file's name, for @why, which also has the line's number
 * STN_INVALID, STN_IO or STN_NO_MEMORY.
 * stn_speeds_read: parses the file @path; does nothing if @path is "none".
 */
STN_CHECKED enum stn_err stn_speeds_parse(FILE *in, const char *name,
					  struct stn_speeds *speeds,
					  struct stn_why *why);
STN_CHECKED enum stn_err stn_speeds_read(const char *path,
					 struct stn_speeds *speeds,
					 struct stn_why *why);

/*
 * stn_speed_takes: how long a computation of the node takes, in ns, that begins
 * at @begin_ns and takes @work_ns at speed 1: the integral of the speed over
 * this time is @work_ns. While the speed is 1, only integers are used, so that
 * the result is the same on each machine.
 */
uint64_t stn_speed_takes(const struct stn_speed *speed, uint64_t begin_ns,
			 uint64_t work_ns);

/*
 * stn_speed_share: the share of its base speed that the node has at @now_ns, at
 * most 1: how much of its core a worker gets there, if what makes a node slower
 * is that others use it.
 */
double stn_speed_share(const struct stn_speed *speed, uint64_t now_ns);

#endif
