/*
 * balance.h: what a balancer is. One file with one constant table; it only
 * decides. What it decides is carried out by steal/decide.c.
 *
 * A balancer sees its node through a view, and answers with moves. All calls
 * come with the node's network lock held, one at a time, and must not block.
 * Time and chance come from outside, so that a run in virtual time repeats.
 */
#ifndef STN_STEAL_BALANCE_H
#define STN_STEAL_BALANCE_H

#include <stdio.h>

#include "steal/random.h"
#include "transport/topology.h"

#define STN_ASKS 2 /* the most that a balancer may want to ask at once */

struct stn_config;

/* What a node has seen of a link between clusters; 0: nothing yet. */
struct stn_seen {
	uint32_t round_trip_us, kb_per_s; /* thousands of bytes */
};

/* A steal request to be sent. */
struct stn_ask {
	uint32_t victim;      /* another node */
	bool asynchronous;    /* the node goes on looking meanwhile */
	struct stn_seen seen; /* which the victim is told */
};

/* A request of another node, which may wait here for a record. */
struct stn_held {
	uint32_t from, number;
	uint64_t until_ns;
	struct stn_seen seen;
	bool gauge; /* a refusal is to show how fast the link is */
};

/* A record that may be lent. */
struct stn_loan {
	uint64_t bytes;	 /* of its buffers and its result */
	uint64_t age_ns; /* for so long its worker has been at work on it, or
			  * on what it is a part of */
};

/* What becomes of it. */
enum stn_verdict {
	STN_LEND,
	STN_KEEP,
	STN_GAUGE, /* keep it; first the thief has to see the link's rate */
};

/* An answer to a request. */
struct stn_answer {
	uint64_t took_ns;
	uint64_t bytes; /* that came with it */
};

/* What a balancer knows of the world. */
struct stn_view {
	const struct stn_topology *topology;
	const struct stn_config *config;
	uint32_t rank;
	struct stn_random *random;
	uint64_t now;
	bool idle;		     /* a worker of this node wants a record */
	uint32_t load;		     /* records queued on this node, about */
	uint32_t in_transit;	     /* of those it has pushed; not there yet */
	const struct stn_held *held; /* oldest first */
	uint32_t held_count;
	struct stn_answer answer; /* granted() and refused() tell of it */
};

/* What a balancer wants done; all zero, and STN_NOBODY, when it is called. */
struct stn_moves {
	struct stn_ask asks[STN_ASKS]; /* at most one of them synchronous */
	unsigned ask_count;
	bool cancel;	  /* the requests that are out */
	uint32_t push_to; /* send this node the oldest record */
	uint32_t tell;	  /* send this node the view's load */
};

struct stn_balancer {
	const char *name;
	const char *help;
	size_t state_bytes;   /* private, zeroed at the start; and so much */
	size_t member_bytes;  /*   for each node of its cluster, or */
	size_t cluster_bytes; /*   for each cluster */

	/*
	 * A record is wanted, and no synchronous request is out: whom to ask.
	 * Called when a worker has found no work on its node (view->idle), and
	 * while a search goes on: because refused() says so, or because
	 * requests wait here. If it asks nobody, those are refused. A worker
	 * that becomes idle while a synchronous request is out shows in the
	 * view only.
	 */
	void (*idle)(void *state, const struct stn_view *view,
		     struct stn_moves *moves);

	/*
	 * A record came. True if it is for this node; else it goes to the
	 * request that has waited longest.
	 */
	bool (*granted)(void *state, const struct stn_view *view,
			const struct stn_ask *ask);

	/*
	 * A refusal came, perhaps because the request was @cancelled. True if
	 * the search goes on at once; else it was in vain: who waits here for
	 * its end is refused, and the node pauses.
	 */
	bool (*refused)(void *state, const struct stn_view *view,
			const struct stn_ask *ask, bool cancelled);

	/* The others may be NULL. */

	/*
	 * So many records queued are as good as any more: a node's load isn't
	 * counted further. For balancers that look at it after each spawn.
	 */
	uint32_t (*enough)(const struct stn_config *config);

	/*
	 * There is no record for a request of node @from: may it wait, for a
	 * spawn or the end of a search? Asked again after each step. Without
	 * this it waits as long as the thief has patience.
	 */
	bool (*waits)(void *state, const struct stn_view *view, uint32_t from);

	/*
	 * May this record be lent to a request from another cluster? Without
	 * this, any may. Asked of each that could be, while its owner may be
	 * waiting: the view has no load.
	 */
	enum stn_verdict (*lends)(void *state, const struct stn_view *view,
				  const struct stn_held *thief,
				  const struct stn_loan *loan);

	/*
	 * A record of another node, whose buffers and result are @bytes, was
	 * run here, which took @took_ns.
	 */
	void (*ran)(void *state, uint64_t bytes, uint64_t took_ns);

	/*
	 * A record may be no longer wanted: by this node, as a result has come
	 * that a worker waited for, or by one that waited here.
	 */
	void (*withdrawn)(void *state, const struct stn_view *view,
			  struct stn_moves *moves);

	/*
	 * The node's queue may have become longer: by a spawn, or by a record
	 * from elsewhere; or a pushed record has arrived. Asked again after
	 * each push. Each spawn of a balancer with this takes the slow way.
	 */
	void (*longer)(void *state, const struct stn_view *view,
		       struct stn_moves *moves);

	/*
	 * Node @from, of the same cluster, told its load. False if this is not
	 * whom it should tell.
	 */
	bool (*told)(void *state, const struct stn_view *view, uint32_t from,
		     uint32_t load, struct stn_moves *moves);

	/* It is time; returns when to call it again, or STN_FOREVER. */
	uint64_t (*tick)(void *state, const struct stn_view *view,
			 struct stn_moves *moves);
};

extern const struct stn_balancer stn_balancer_rs;
extern const struct stn_balancer stn_balancer_rp;
extern const struct stn_balancer stn_balancer_chs;
extern const struct stn_balancer stn_balancer_cls;
extern const struct stn_balancer stn_balancer_crs;
extern const struct stn_balancer stn_balancer_lrs;

/* stn_balancer_find: the balancer called @name, or NULL. */
const struct stn_balancer *stn_balancer_find(const char *name);

/* stn_balancer_list: a line on each balancer. */
void stn_balancer_list(FILE *out);

/* stn_moves_none, stn_moves_ask: what balancers write their moves with. */
struct stn_moves stn_moves_none(void);
void stn_moves_ask(struct stn_moves *moves, uint32_t victim, bool asynchronous);

/*
 * Random nodes, of which there must be one: stn_choose_other: any but this one;
 * stn_choose_member: one of @cluster, but not this one; stn_choose_remote: one
 * of a random other cluster.
 */
uint32_t stn_choose_other(const struct stn_view *view);
uint32_t stn_choose_member(const struct stn_view *view, uint32_t cluster);
uint32_t stn_choose_remote(const struct stn_view *view);

/* stn_granted_here, stn_refused_in_vain: what most do with answers: nothing. */
bool stn_granted_here(void *state, const struct stn_view *view,
		      const struct stn_ask *ask);
bool stn_refused_in_vain(void *state, const struct stn_view *view,
			 const struct stn_ask *ask, bool cancelled);

#endif
