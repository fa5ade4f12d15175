/*
 * redo.h: lent records that no node will send a result of. A copy of such a
 * record waits in this node's inbox, as if the record had come home, and the
 * next free worker runs it. Net lock held.
 */
#ifndef STN_STEAL_REDO_H
#define STN_STEAL_REDO_H

#include "steal/wire.h"

struct stn_steal;

/*
 * stn_redo_gone: node @from does not have the lent record of that slot and
 * epoch.
 */
void stn_redo_gone(struct stn_steal *steal, uint32_t from,
		   const struct stn_wire_result *gone);

/*
 * stn_redo_lost: runs all records again whose holders have died. If only the
 * node has died that passed a record on, asks the holder whether it has the
 * record (WHERE).
 */
void stn_redo_lost(struct stn_steal *steal);

/*
 * stn_redo_moved: a record has been passed on: if to a node that has died, runs
 * it again.
 * stn_redo_where: node @from asks whether this node has its record.
 */
void stn_redo_moved(struct stn_steal *steal,
		    const struct stn_wire_moved *moved);
void stn_redo_where(struct stn_steal *steal, uint32_t from,
		    const struct stn_wire_result *where);

/*
 * stn_redo_elsewhere: @record, of this node or another one, was sent to this
 * node, which can't take it or can't send its result: its home runs it again.
 */
void stn_redo_elsewhere(struct stn_steal *steal,
			const struct stn_record *record);

/*
 * stn_redo_own: runs @record here, although another node may still send its
 * result: the first result counts.
 */
void stn_redo_own(struct stn_steal *steal, struct stn_record *record);

#endif
