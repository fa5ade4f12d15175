/*
 * trace.h: a log of a node's messages, for who wants to see what a balancer
 * does. A line a message, in the order in which the node sends and sees them:
 *
 *	1234567890 3 send request 5 17
 *	time       |  |     |     | its number; of a result, the record's slot;
 *	in ns      |  |     |       of a load, the records; else 0
 *	  this node   |     |     the other node
 *	   send, take or left: a pushed record has left this node's memory
 *
 * The clock is the same on all nodes of a host, so that logs can be merged.
 */
#ifndef STN_STEAL_STATS_TRACE_H
#define STN_STEAL_STATS_TRACE_H

#include "steal/wire.h"

struct stn_trace;

/*
 * stn_trace_open: begins node @rank's log in the file "@prefix.@rank". With
 * the prefix "none" there is no log, and *trace_p is NULL.
 */
STN_CHECKED enum stn_err stn_trace_open(const char *prefix, uint32_t rank,
					struct stn_trace **trace_p,
					struct stn_why *why);

/*
 * stn_trace_close: @trace may be NULL. STN_IO, after a line on stderr, if not
 * all of it could be written.
 */
enum stn_err stn_trace_close(struct stn_trace *trace);

/* stn_trace: one message; @header is the message's. */
void stn_trace(struct stn_trace *trace, uint64_t now, const char *verb,
	       enum stn_kind kind, uint32_t other, const void *header);

#endif
