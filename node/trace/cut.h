/*
 * cut.h: the state of the service of --trace on one node, and what the service
 * does if the run is interrupted: the file has the events so far.
 */
#ifndef STN_NODE_TRACE_CUT_H
#define STN_NODE_TRACE_CUT_H

#include "node/trace/file.h"
#include "node/trace/rings.h"

struct stn_trace {
	struct stn_node *node;
	struct stn_trace_file file;
	struct stn_trace_rings rings;
	struct stn_trace_part own; /* of this node */
	bool ended; /* the workers have ended, and own has their events */
	struct stn_trace_part *parts; /* on the root, by rank; or NULL */
	struct stn_trace_part *cut;   /* the same, of an interruption */
	bool cutting;		      /* stn_trace_cut is at work */
	uint32_t left;		      /* nodes that had left before */

	unsigned exchanges; /* of times, that are still to come */
	uint64_t trip_ns;   /* round trip of the fastest */
	uint32_t sending;   /* TRACE messages that are leaving */
	bool sent;	    /* the last one has left or arrived */
};

/*
 * stn_trace_make_parts: on the root: makes room for the parts of all nodes,
 * unless *parts_p has it.
 * stn_trace_free_parts: frees them, and their events. NULL: does nothing.
 * stn_trace_keep: keeps the events of node @rank, instead of those that it has
 * sent before.
 * stn_trace_add_main: adds main, which may run still, if it has begun here: as
 * the last event, which no ring loses.
 * stn_trace_report: sends the node's own events to the root.
 * stn_trace_has_all: on the root: whether @parts has the events of all nodes.
 * Net lock held in all but stn_trace_free_parts.
 */
void stn_trace_make_parts(const struct stn_trace *trace,
			  struct stn_trace_part **parts_p);
void stn_trace_free_parts(const struct stn_trace *trace,
			  struct stn_trace_part *parts);
void stn_trace_keep(struct stn_trace_part *parts, uint32_t rank,
		    const struct stn_trace_part *part);
void stn_trace_add_main(const struct stn_node *node,
			struct stn_trace_part *part);
void stn_trace_report(struct stn_trace *trace);
bool stn_trace_has_all(const struct stn_trace *trace,
		       const struct stn_trace_part *parts);

/*
 * stn_trace_cut, _interrupted: as the service's cut and interrupted. Nodes that
 * do not answer in time are left out of the file. Main may return meanwhile:
 * the service is not settled until stn_trace_cut is over.
 * stn_trace_take_cut: the run is interrupted: sends the events so far to the
 * root. Net lock held.
 */
void stn_trace_cut(void *trace);
void stn_trace_interrupted(struct stn_node *const *nodes, uint32_t count);
void stn_trace_take_cut(struct stn_trace *trace);

#endif
