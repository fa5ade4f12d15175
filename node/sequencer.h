/*
 * sequencer.h: decides on the membership of a run. It collects deaths, leaves
 * and joins, puts them into one order, and sends the list of all changes so
 * far, a view, to the run's root: the lowest rank that lives. The root spreads
 * the view over the nodes (membership.h) and says when all have applied it. If
 * the root dies before, its successor gets the view.
 *
 * The sequencer has no thread, no descriptor and no clock. The launcher, a
 * gateway or the simulator calls it, and sends the messages that it makes.
 * One thread.
 */
#ifndef STN_NODE_SEQUENCER_H
#define STN_NODE_SEQUENCER_H

#include "node/members.h"

/* LEAVING: the node is told to leave by the view itself, and lives still. */
enum stn_change_what { STN_DIED, STN_LEFT, STN_LEAVING, STN_JOINED };

/* One change of the membership; also on the wire, little-endian. */
struct stn_change {
	uint32_t rank;
	uint32_t what; /* enum stn_change_what */
};

/* The number of changes of a run of @nodes nodes is less than this. */
#define STN_CHANGES_MOST(nodes) (3 * (nodes))

/*
 * stn_changes_valid: whether the @count changes can be a view of a run of
 * @nodes nodes: at least one change and one living node; each node joins at
 * most once, is then told to leave at most once, and then dies or leaves at
 * most once. Does not know which ranks are reserved. False also if there is no
 * memory.
 */
bool stn_changes_valid(const struct stn_change *changes, uint32_t count,
		       uint32_t nodes);

/* What the host does for the sequencer; called inside the sequencer's calls. */
struct stn_sequencer_host {
	/* Sends the view of @count changes to node @root. */
	void (*send)(void *arg, uint32_t root, const struct stn_change *changes,
		     uint32_t count);

	/*
	 * Makes sure that node @rank, which others miss, does not run any more,
	 * and then calls stn_sequencer_gone; at once or later.
	 */
	void (*fence)(void *arg, uint32_t rank);

	void *arg;
};

struct stn_sequencer {
	struct stn_sequencer_host host;
	struct stn_members members;
	struct stn_change *changes; /* room for STN_CHANGES_MOST */
	uint32_t count;		    /* number of changes: the newest view */
	uint32_t sent;		    /* the view sent last, and its receiver */
	uint32_t sent_to;
	uint32_t applied;   /* the newest view that all nodes have applied */
	uint64_t *suspects; /* a bit for each rank that is being fenced */
};

/* stn_sequencer_init: the topology must outlive the sequencer. STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err stn_sequencer_init(struct stn_sequencer *sequencer,
					    const struct stn_topology *topology,
					    struct stn_sequencer_host host);
void stn_sequencer_fini(struct stn_sequencer *sequencer);

/*
 * stn_sequencer_resume: continues from a view of @count changes that another
 * sequencer has issued, and which stn_changes_valid, or from none. The root may
 * not have got that view, so stn_sequencer_issue sends it again. STN_NO_MEMORY.
 * stn_sequencer_suspect: a node misses node @rank. Fences it, unless that has
 * begun or the node is gone.
 * stn_sequencer_suspects: whether it was fenced, or still lives and is being
 * fenced.
 * stn_sequencer_leave: node @rank is to leave; the newest view tells it so.
 * stn_sequencer_gone: node @rank does not run any more. A rank that is already
 * gone is ignored.
 * stn_sequencer_joined: node @rank can talk to all others, and they to it: it
 * lives from the next view on. Returns false, and nothing changes, if the rank
 * can't join (stn_members_add).
 * stn_sequencer_issue: sends the newest view, unless its receiver has it. The
 * host calls it after one or several changes.
 * stn_sequencer_applied: the root says that all nodes have applied @view.
 */
STN_CHECKED enum stn_err
stn_sequencer_resume(struct stn_sequencer *sequencer,
		     const struct stn_change *changes, uint32_t count);
void stn_sequencer_suspect(struct stn_sequencer *sequencer, uint32_t rank);
bool stn_sequencer_suspects(const struct stn_sequencer *sequencer,
			    uint32_t rank);
void stn_sequencer_leave(struct stn_sequencer *sequencer, uint32_t rank);
void stn_sequencer_gone(struct stn_sequencer *sequencer, uint32_t rank,
			enum stn_change_what what);
bool stn_sequencer_joined(struct stn_sequencer *sequencer, uint32_t rank);
void stn_sequencer_issue(struct stn_sequencer *sequencer);
void stn_sequencer_applied(struct stn_sequencer *sequencer, uint32_t view);

#endif
