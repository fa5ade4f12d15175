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
#define STN_NOBODY UINT32_MAX

struct stn_config;

/* A steal request to be sent. */
struct stn_ask {
	uint32_t victim;   /* another node */
	bool asynchronous; /* the node goes on looking meanwhile */
};

/* A request of another node that waits here for a record. */
struct stn_held {
	uint32_t from, number;
	uint64_t until_ns;
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
	uint32_t in_transit;	     /* of those it has pushed */
	const struct stn_held *held; /* oldest first */
	uint32_t held_count;
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
	size_t state_bytes;  /* private, zeroed at the start; and */
	size_t member_bytes; /*   so much for each node of its cluster */

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
	 * There is no record for a request of node @from: may it wait, for a
	 * spawn or the end of a search? Asked again after each step. Without
	 * this it waits as long as the thief has patience.
	 */
	bool (*waits)(void *state, const struct stn_view *view, uint32_t from);

	/*
	 * A record may be no longer wanted: by this node, as a result has come
	 * that a worker waited for, or by one that waited here.
	 */
	void (*withdrawn)(void *state, const struct stn_view *view,
			  struct stn_moves *moves);

	/*
	 * The node's queue may have become longer: by a spawn, or by a record
	 * from elsewhere; or a pushed record has left. Asked again after each
	 * push. Each spawn of a balancer with this takes the slow way.
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
