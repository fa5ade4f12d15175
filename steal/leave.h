/*
 * leave.h: what stealing does on a node that has been told to leave the run
 * (node/leaving.h). The node asks for no records. Jobs that have not begun go
 * back to their homes. The node goes on with what it has begun, while others
 * may still take records from it. Results without a home that stays are handed
 * over: other nodes keep them as deposits, and use them when they repeat the
 * calls that this node did not finish. The results that save most time per byte
 * go first. After them, in the same order, the node hands over the spare
 * results that it keeps in case another node dies later: a node that stays, or
 * a node that keeps a result of this node.
 *
 * With --keep, the results that wait for the disk are written before the node
 * leaves.
 *
 * Lost are results that are not sent before the grace ends, or for which there
 * is no node, and spare results that are too large for the links to other
 * clusters if no other node of this cluster can keep them.
 *
 * Net lock held.
 */
#ifndef STN_STEAL_LEAVE_H
#define STN_STEAL_LEAVE_H

#include <stdbool.h>
#include <stddef.h>

#include "steal/wire.h"

struct stn_job;
struct stn_orphan;
struct stn_steal;

/* A result to be handed over. */
struct stn_handed {
	struct stn_wire_deposit header;
	void *bytes;
	size_t size;
	struct stn_orphan *orphan; /* held, and has the bytes; or NULL */
	bool spare;
	double ns_per_byte;
};

/* All zeros: nothing is handed over. */
struct stn_handover {
	bool begun;
	struct stn_handed *heap; /* heap[0] leaves next */
	size_t count, room;
	size_t waiting_bytes;	/* in the heap, without those of orphans */
	size_t under_way_bytes; /* on their way to other nodes */
	uint32_t turn;		/* spreads the results over the nodes */
};

/*
 * stn_handover_add: hands over a result, whose @bytes it frees.
 * stn_handover_kept: a result with that key has been stored here; if this node
 * leaves, hands it over.
 */
void stn_handover_add(struct stn_steal *steal,
		      const struct stn_wire_deposit *header, void *bytes,
		      size_t size);
void stn_handover_kept(struct stn_steal *steal, struct stn_key key);

void stn_handover_fini(struct stn_handover *handover);

/*
 * stn_handover_keeper: a node that stays and can keep a result: of another
 * cluster if possible, else of this one; STN_NOBODY if there is none. Equal
 * @turn, equal node.
 */
uint32_t stn_handover_keeper(const struct stn_steal *steal, uint32_t turn);

/* stn_leave: see leave in node/service.h. */
bool stn_leave(struct stn_steal *steal, bool stop);

#endif
