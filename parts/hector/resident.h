/*
 * resident.h: a resident set leaves this node, or comes to it. Net lock held.
 *
 * The node from which the set leaves announces it to the new node (SET), sends
 * the scheduler's state of each array (STATE), and gives its parts away, as
 * parts always move (parts/moves/move.h): those that can move at once, and
 * those that are being swept after that. Parts that come later are passed on.
 * When it has no part any more, it tells the master allocator (MOVED). Nothing
 * stops meanwhile: parts are swept on both nodes.
 *
 * If a node dies on the way, all parts return to an earlier version, and are
 * anywhere then (parts/survive/regroup.h); the set no longer exists.
 */
#ifndef STN_PARTS_HECTOR_RESIDENT_H
#define STN_PARTS_HECTOR_RESIDENT_H

#include "parts/hector/hector.h"
#include "parts/hector/wire.h"

/*
 * stn_resident_leave: the set is to leave, as the master allocator says.
 * stn_resident_come: it comes.
 * stn_resident_state: the state of one of its arrays comes. STN_MALFORMED.
 * stn_resident_look: goes on with a set that leaves. Returns when to call it
 * again, or STN_FOREVER.
 * stn_resident_register: tells the master allocator, if the fractiling master
 * is on this node and it does not know.
 * stn_resident_bytes: of all parts on this node; *parts_p: their number.
 */
void stn_resident_leave(struct stn_hector *hector,
			const struct stn_hector_migrate *order);
void stn_resident_come(struct stn_hector *hector,
		       const struct stn_hector_migrate *news);
STN_CHECKED enum stn_err
stn_resident_state(struct stn_hector *hector, const struct stn_message *message,
		   const struct stn_hector_state *header);
uint64_t stn_resident_look(struct stn_hector *hector, uint64_t now);
void stn_resident_register(struct stn_hector *hector);
uint64_t stn_resident_bytes(const struct stn_parts_service *parts,
			    uint32_t *parts_p);

#endif
