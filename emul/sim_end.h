/*
 * sim_end.h: ends sends whose sender waits for no answer any more.
 */
#ifndef STN_EMUL_SIM_END_H
#define STN_EMUL_SIM_END_H

#include "emul/sim_private.h"

/*
 * sim_end_sending: calls the parcel's done function, unless it was called.
 * sim_drop: keeps a parcel until its send can end; frees it if there is nothing
 * to end.
 * sim_end_sends: ends the sends of all parcels from @from to @to that were
 * dropped or are still under way; STN_NOBODY: to any node. Messages that are
 * under way arrive nevertheless. A done function may send.
 */
void sim_end_sending(struct stn_sim *sim, struct stn_parcel *parcel,
		     enum stn_err err);
void sim_drop(struct stn_sim *sim, struct stn_parcel *parcel);
void sim_end_sends(struct stn_sim *sim, uint32_t from, uint32_t to,
		   enum stn_err err);

/* sim_free_dropped: frees the dropped parcels of a node's transport. */
void sim_free_dropped(struct sim_node *node);

#endif
