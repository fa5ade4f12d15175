/*
 * news.h: news of load: which nodes tell which others how much they have to do,
 * and which pairs of nodes balance. A news policy is one constant table in a
 * file of its own (parts/news). It only decides; its host sends the messages
 * and moves load. All calls come one at a time. Members marked optional may be
 * NULL.
 *
 * A node is underloaded, normal or overloaded; the host knows which. Policies
 * differ in which of the two, the underloaded or the overloaded nodes, looks
 * for one of the other kind, and where. A node registers on a board by TELL.
 * With a central policy only the server, which has no load, keeps a board.
 */
#ifndef STN_PARTS_NEWS_NEWS_H
#define STN_PARTS_NEWS_NEWS_H

#include <stdio.h>

#include "parts/news/news_board.h"
#include "parts/news/news_wire.h"

struct stn_news;

/* What calls a node's policy, and carries out its decisions. */
struct stn_news_host {
	/* Sends a message of news_wire.h to node @to, which is another one. */
	void (*say)(void *arg, uint32_t to, uint8_t kind, const void *header,
		    size_t bytes);

	/*
	 * The node is overloaded: gives half of its load to node @with, now.
	 * The node's level changes during this call if the load does not exceed
	 * the threshold any more.
	 */
	void (*balance)(void *arg, uint32_t with);
};

struct stn_news_policy {
	const char *name, *help;
	bool central;	      /* one node, the server, decides */
	enum stn_level board; /* of nodes on boards; STN_LEVELS: no boards */
	size_t state_bytes;   /* of the policy's state, zeroed at first */

	/* Optional: the node begins, underloaded. */
	void (*begin)(struct stn_news *news);

	/* Optional: the node's level is no longer @before. */
	void (*changed)(struct stn_news *news, enum stn_level before);

	/* Optional: a period has passed. */
	void (*tick)(struct stn_news *news);

	/* If the policy sends TELL: node @from tells its level. */
	void (*told)(struct stn_news *news, uint32_t from,
		     enum stn_level level);

	/* If the policy sends ASK: node @from looks for a node. */
	void (*asked)(struct stn_news *news, uint32_t from);

	/*
	 * Optional: load of node @from has arrived; before, the level was
	 * @before. If the level is another one now, changed is called next.
	 */
	void (*given)(struct stn_news *news, uint32_t from,
		      enum stn_level before);
};

/* News on one node. */
struct stn_news {
	const struct stn_news_policy *policy;
	const struct stn_news_host *host;
	void *arg;		  /* the host's first argument */
	uint32_t number;	  /* of this node */
	uint32_t count;		  /* the nodes with load are 0 to count - 1 */
	uint32_t server;	  /* the node with the board; or STN_NOBODY */
	enum stn_level level;	  /* of this node */
	struct stn_random random; /* seeded by the host */
	struct stn_board board;
	void *state; /* the policy's */
};

extern const struct stn_news_policy stn_news_central, stn_news_lazy_central,
	stn_news_eager_central, stn_news_distributed, stn_news_lazy_distributed,
	stn_news_eager_distributed, stn_news_hearsay;

/*
 * stn_news_find: the policy called @name, or NULL.
 * stn_news_at: the policy with that number; NULL behind the last.
 * stn_news_list: prints a line for each.
 */
const struct stn_news_policy *stn_news_find(const char *name);
const struct stn_news_policy *stn_news_at(size_t number);
void stn_news_list(FILE *out);

/*
 * stn_news_init: the caller has set the members from policy to random. All
 * nodes are underloaded, and all know that. STN_NO_MEMORY.
 * stn_news_fini: frees what init has made, even if it has failed.
 */
STN_CHECKED enum stn_err stn_news_init(struct stn_news *news);
void stn_news_fini(struct stn_news *news);

/*
 * For hosts.
 * stn_news_begin: all nodes have been made; the node may send from now on.
 * stn_news_changed: the node's level is @level now; perhaps as before.
 * stn_news_tick: a period has passed.
 * stn_news_given: load of @from has arrived, and the level is @level now.
 * stn_news_take: a message of kind TELL, ASK or BALANCE has arrived.
 *     STN_MALFORMED for a TELL or ASK if the policy sends none, or for LOAD.
 */
void stn_news_begin(struct stn_news *news);
void stn_news_changed(struct stn_news *news, enum stn_level level);
void stn_news_tick(struct stn_news *news);
void stn_news_given(struct stn_news *news, uint32_t from, enum stn_level level);
STN_CHECKED enum stn_err stn_news_take(struct stn_news *news,
				       const struct stn_news_wire *wire);

/*
 * For policies.
 * stn_news_tell: sends this node's level to @to. _tell_all: to all others.
 * stn_news_ask: sends ASK.
 * stn_news_order: sends BALANCE: @to is to give load to @with.
 * stn_news_balance: this node gives load to @with, if it is overloaded.
 */
void stn_news_tell(struct stn_news *news, uint32_t to);
void stn_news_tell_all(struct stn_news *news);
void stn_news_ask(struct stn_news *news, uint32_t to);
void stn_news_order(struct stn_news *news, uint32_t to, uint32_t with);
void stn_news_balance(struct stn_news *news, uint32_t with);

#endif
