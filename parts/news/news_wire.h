/*
 * news_wire.h: the messages of news, all little-endian, without a payload.
 *
 *	kind		header
 *	TELL 50		stn_news_note	the sender's level
 *	ASK 51		stn_news_note	the sender looks for a node to balance
 *					with; its level
 *	BALANCE 52	stn_news_note	the receiver, if it is overloaded, is
 *					to give load to node @with
 *	LOAD 53		stn_news_load	load that moves to the receiver
 *
 * Nodes are named by their numbers among those that share news, because several
 * of them may live on one node of a run.
 */
#ifndef STN_PARTS_NEWS_NEWS_WIRE_H
#define STN_PARTS_NEWS_NEWS_WIRE_H

#include "node/service.h"

enum {
	STN_NEWS_KIND_TELL = 50,
	STN_NEWS_KIND_ASK,
	STN_NEWS_KIND_BALANCE,
	STN_NEWS_KIND_LOAD
};

#define STN_NEWS_KINDS 4
extern const struct stn_kind stn_news_kinds[STN_NEWS_KINDS];

#define STN_NEWS_LOAD_MOST 1e12 /* of one message */

/* How much a node has to do. */
enum stn_level {
	STN_LEVEL_UNDER,
	STN_LEVEL_NORMAL,
	STN_LEVEL_OVER,
	STN_LEVELS
};

struct stn_news_note {
	uint32_t from, to;
	uint32_t with;	/* of BALANCE; else STN_NOBODY */
	uint32_t level; /* enum stn_level */
};

struct stn_news_load {
	uint32_t from, to;
	double tasks;
};

struct stn_news_wire {
	uint8_t kind;
	union {
		struct stn_news_note note; /* begins as load does */
		struct stn_news_load load;
	};
};

/*
 * stn_news_parse: the header of @message, among @nodes nodes. STN_MALFORMED if
 * its length or a member is impossible.
 */
STN_CHECKED enum stn_err stn_news_parse(const struct stn_message *message,
					uint32_t nodes,
					struct stn_news_wire *wire);

#endif
