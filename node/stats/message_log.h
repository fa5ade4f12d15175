/*
 * message_log.h: a log of a node's messages, which shows what a balancer does.
 * One line for each message, in the order in which the node sends and receives
 * them:
 *
 *	1234567890 3 send request 5 17
 *	time       |  |     |     | its number; of a result, the record's slot;
 *	in ns      |  |     |       of a load, the records; else 0
 *	  this node   |     |     the other node
 *	   send, take or left: a pushed record has left this node's memory;
 *	   or again: the other node has died with a record, which is queued
 *	   to run here; the line names the result that will not come
 *
 * All nodes of a host have the same clock, so their logs can be merged.
 */
#ifndef STN_NODE_STATS_MESSAGE_LOG_H
#define STN_NODE_STATS_MESSAGE_LOG_H

#include "node/service.h"

struct stn_message_log;

/*
 * stn_message_log_open: begins the log of node @rank in the file
 * "@prefix.@rank". If the prefix is "none", nothing is logged and *log_p
 * becomes NULL.
 */
STN_CHECKED enum stn_err stn_message_log_open(const char *prefix, uint32_t rank,
					      struct stn_message_log **log_p,
					      struct stn_why *why);

/*
 * stn_message_log_close: @log may be NULL. Returns STN_IO, after a line on
 * stderr, if the log could not be written completely.
 * stn_message_log_flush: likewise, for a process that ends without closing it.
 */
enum stn_err stn_message_log_close(struct stn_message_log *log);
enum stn_err stn_message_log_flush(struct stn_message_log *log);

/*
 * stn_message_log: logs one message, with the number of its header
 * (stn_kind_number). Net lock held.
 */
void stn_message_log(struct stn_message_log *log, uint64_t now,
		     const char *verb, const struct stn_kind *kind,
		     uint32_t other, uint32_t number);

#endif
