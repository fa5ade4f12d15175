/*
 * sim_stacks.h: the memory that each node of a simulation has to itself: its
 * stack, and a room for the caller.
 */
#ifndef STN_EMUL_SIM_STACKS_H
#define STN_EMUL_SIM_STACKS_H

#include "emul/sim_run.h"

struct sim_world;

/*
 * stn_sim_room: memory of the model's room_bytes for node @rank, zeros at
 * first, aligned to 128 bytes. It is next to the bottom of the node's stack, so
 * that the beginnings of both share a page. Valid until stn_sim_destroy.
 */
void *stn_sim_room(const struct stn_sim *sim, uint32_t rank);

/*
 * sim_stacks_map: reserves the memory of all nodes. False: there is none.
 * sim_stacks_unmap: gives it back, if it was reserved.
 */
bool sim_stacks_map(struct sim_world *world, const struct stn_sim_model *model);
void sim_stacks_unmap(struct sim_world *world);

/* sim_stack_begin: makes the fiber of a node, which calls @main(the node). */
enum stn_err sim_stack_begin(struct stn_sim *sim, uint32_t rank,
			     void (*main)(void *arg));

#endif
