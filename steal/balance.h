/*
 * balance.h: the contract of a balancer. A balancer is one file with one
 * constant table. It only decides; steal/decide.c carries out its decisions.
 *
 * A balancer sees its node through a snapshot and answers with moves. All calls
 * come with the node's net lock held, one at a time, and must not block. Time
 * and random numbers come from the snapshot, so that a run in virtual time
 * repeats exactly.
 */
#ifndef STN_STEAL_BALANCE_H
#define STN_STEAL_BALANCE_H

#include "node/members.h"
#include "node/random.h"
#include "transport/topology.h"

/* Requests in one set of moves, at most. */
#define STN_ASKS 4

/* Requests of a node without an answer, at most. */
#define STN_REQUESTS_MOST 8

struct stn_setting_table;

/*
 * What a thief has measured, of the link to a victim in another cluster, or of
 * the calls that it stole, for a victim in its own; 0: not measured yet.
 */
struct stn_seen {
	union {
		uint32_t round_trip_us;
		uint32_t call_us; /* typical duration of a stolen call */
	};
	uint32_t kb_per_s; /* KB: 1000 bytes */
};

/* A steal request to be sent. */
struct stn_ask {
	uint32_t victim;      /* another node */
	bool asynchronous;    /* the node goes on looking for work meanwhile */
	uint32_t lifeline_us; /* not 0: the victim parks the request for so long
			       * if it has no record */
	struct stn_seen seen; /* sent to the victim with the request */
};

/* A request of another node, which may be parked here. */
struct stn_parked {
	uint32_t from, number;
	uint64_t until_ns;
	struct stn_seen seen;
	bool probe; /* a refusal carries a probe of the link */
	bool bound; /* takes no record that is run again */
};

/* A record that may be lent. */
struct stn_loan {
	uint64_t bytes;	 /* size of its buffers and its result */
	uint64_t age_ns; /* time that its worker has worked on it, or on the
			  * record that it is part of */
};

/* What happens to a record that may be lent. */
enum stn_verdict {
	STN_LEND,
	STN_KEEP,
	STN_PROBE, /* keep it; refuse with a probe, so that the thief measures
		    * the link */
};

/* An answer to a request. */
struct stn_answer {
	uint64_t took_ns;
	uint64_t bytes; /* size of its payload */
};

/* What a balancer sees of its node and of the run. */
struct stn_snapshot {
	const struct stn_topology *topology;
	const struct stn_members *members; /* the nodes that live */
	const void *settings; /* values of the balancer's settings */
	uint32_t rank;
	struct stn_random *random;
	uint64_t now;
	bool idle;	     /* a worker of this node wants a record */
	uint32_t load;	     /* records queued on this node, approximately */
	uint32_t in_transit; /* records that this node has pushed and that have
			      * not arrived */
	const struct stn_parked *parked; /* oldest first */
	uint32_t parked_count;
	struct stn_answer answer; /* for granted() and refused() */
};

/*
 * What a balancer wants done. When a balancer is called, all members are zero,
 * and push_to and tell are STN_NOBODY.
 */
struct stn_moves {
	struct stn_ask asks[STN_ASKS]; /* at most one of them synchronous */
	unsigned ask_count;
	bool cancel;	       /* cancel the requests that are out */
	bool cancel_lifelines; /* cancel those that are lifelines */
	uint32_t push_to;      /* send this node the oldest record */
	uint32_t tell;	       /* send this node the snapshot's load */
};

struct stn_balancer {
	const char *name;
	const char *help;

	/* Its table of settings, or NULL. */
	const struct stn_setting_table *settings;

	uint32_t requests; /* the most that may wait for answers at once, from
			    * 1 to STN_REQUESTS_MOST */
	size_t state_bytes; /* private state, zeroed at the start: its bytes, */
	size_t member_bytes;  /* plus bytes for each node of its cluster */
	size_t cluster_bytes; /* or for each cluster */

	/*
	 * A record is wanted, and no synchronous request is out: decides which
	 * nodes to ask. Called when a worker has found no work on its node
	 * (snapshot->idle), and while a search goes on, because refused()
	 * returned true or because requests are parked here. If the balancer
	 * asks no node, the parked requests are refused. If a worker becomes
	 * idle while a synchronous request is out, idle() is not called; later
	 * snapshots show it.
	 */
	void (*idle)(void *state, const struct stn_snapshot *snapshot,
		     struct stn_moves *moves);

	/*
	 * A record arrived in answer to @ask. Returns true if this node keeps
	 * the record; otherwise the record goes to the oldest parked request.
	 */
	bool (*granted)(void *state, const struct stn_snapshot *snapshot,
			const struct stn_ask *ask);

	/*
	 * A refusal arrived in answer to @ask; @cancelled if this node had
	 * cancelled the request. Returns true if the search goes on at once. If
	 * it returns false, the search has failed: the requests parked here for
	 * its end are refused, and the node pauses.
	 */
	bool (*refused)(void *state, const struct stn_snapshot *snapshot,
			const struct stn_ask *ask, bool cancelled);

	/* The members from here on may be NULL or 0. */

	/*
	 * A request of this node's cluster that was granted a record may get
	 * further ones, at most @bundle of them and at most half of those that
	 * wait in the deques, or in the inbox if the record came from there.
	 * They follow in a BUNDLE, as long as bundles() agrees to the next one.
	 * Called like lends().
	 */
	uint32_t bundle;
	bool (*bundles)(const struct stn_parked *thief,
			const struct stn_loan *loan);

	/* Returns how many steals in vain, in a row, cause no pause. */
	uint32_t (*tries)(const void *state);

	/*
	 * Returns the number of queued records from which on the balancer needs
	 * no exact load: the node counts no further. For balancers that look at
	 * the load after each spawn.
	 */
	uint32_t (*enough)(const void *settings);

	/*
	 * The node has no record for a request of node @from. Returns whether
	 * the request may be parked until a spawn, or until the end of a
	 * search. Asked again after each step. Without this member a request is
	 * parked for the thief's patience.
	 */
	bool (*waits)(void *state, const struct stn_snapshot *snapshot,
		      uint32_t from);

	/*
	 * Decides whether a record may be lent to a request from another
	 * cluster. Without this member any record may. Called for each record
	 * that could be lent, while the record's owner may be waiting;
	 * therefore the snapshot has no load.
	 */
	enum stn_verdict (*lends)(void *state,
				  const struct stn_snapshot *snapshot,
				  const struct stn_parked *thief,
				  const struct stn_loan *loan);

	/*
	 * This node has run a record of another node. The record's buffers and
	 * result have @bytes, the run took @took_ns.
	 */
	void (*ran)(void *state, uint64_t bytes, uint64_t took_ns);

	/*
	 * A record may no longer be wanted: a worker of this node waited for a
	 * result, which has arrived; or a record has arrived while lifelines
	 * were out; or a request that was parked here was cancelled. The
	 * snapshot has no load: counting it would take too long here.
	 */
	void (*withdrawn)(void *state, const struct stn_snapshot *snapshot,
			  struct stn_moves *moves);

	/*
	 * The node's queue may have become longer, by a spawn or by a record
	 * from another node; or a pushed record has arrived. Called again after
	 * each push. With this member, each spawn takes the slow path.
	 */
	void (*longer)(void *state, const struct stn_snapshot *snapshot,
		       struct stn_moves *moves);

	/*
	 * Node @from, of the same cluster, has told its load. Returns false if
	 * @from should tell another node.
	 */
	bool (*told)(void *state, const struct stn_snapshot *snapshot,
		     uint32_t from, uint32_t load, struct stn_moves *moves);

	/*
	 * Node @rank has died; the snapshot's members don't have it any more.
	 * Requests to it are then closed, each with refused(). Also called when
	 * node @rank has joined, and is a member now, and when it has been told
	 * to leave, and is still one.
	 */
	void (*died)(void *state, const struct stn_snapshot *snapshot,
		     uint32_t rank);

	/*
	 * Called at the time that it asked for last, at the start at once.
	 * Returns the next time, or STN_FOREVER.
	 */
	uint64_t (*tick)(void *state, const struct stn_snapshot *snapshot,
			 struct stn_moves *moves);
};

/* stn_moves_none: no moves. stn_moves_ask: adds a request. */
struct stn_moves stn_moves_none(void);
void stn_moves_ask(struct stn_moves *moves, uint32_t victim, bool asynchronous);

/*
 * stn_choose_other: a random node except this one.
 * stn_choose_member: a random node of @cluster except this one.
 * stn_choose_cluster: a random other cluster.
 * stn_choose_remote: a random node of a random other cluster.
 * All choose among the living nodes; at least one such node must live.
 *
 * stn_choose_living: as stn_choose_other, but no node of cluster @except, which
 * may be STN_NOBODY. Counts living nodes, which takes longer than a draw among
 * all ranks if most of them live. But --max-nodes may reserve any number of
 * ranks; so the four above draw STN_DRAWS times at most, and then count.
 */
#define STN_DRAWS 16
uint32_t stn_choose_other(const struct stn_snapshot *snapshot);
uint32_t stn_choose_member(const struct stn_snapshot *snapshot,
			   uint32_t cluster);
uint32_t stn_choose_cluster(const struct stn_snapshot *snapshot);
uint32_t stn_choose_remote(const struct stn_snapshot *snapshot);
uint32_t stn_choose_living(const struct stn_snapshot *snapshot,
			   uint32_t except);

/*
 * stn_granted_here, stn_refused_in_vain: granted() and refused() for balancers
 * that do nothing with answers.
 */
bool stn_granted_here(void *state, const struct stn_snapshot *snapshot,
		      const struct stn_ask *ask);
bool stn_refused_in_vain(void *state, const struct stn_snapshot *snapshot,
			 const struct stn_ask *ask, bool cancelled);

#endif
