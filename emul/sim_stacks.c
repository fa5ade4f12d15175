/*
 * sim_stacks.c: the memory that each node has to itself: a guard, its stack,
 * and above the stack the room that the caller has asked for. Most nodes use
 * little of both. So a stack does not begin at the end of a page: its first
 * bytes and those of the room share one, which is often all that a node needs.
 */
#include "emul/sim_stacks.h"

#include <sys/mman.h>

#include "emul/sim_private.h"

#define GUARD_BYTES 65536 /* the largest page on x86-64 and aarch64 */
/*
 * With more nodes than this, stacks have no guard pages: each guard costs two
 * mappings, and the kernel allows a process 65530 of them by default.
 */
#define GUARDED_NODES 16384
/*
 * The part of the shared page that belongs to the stack; a multiple of 128. It
 * leaves room for 13 records of 128 bytes to the deque.
 */
#define SHARED_BYTES 2432

/* The stack of a node; the room begins where it ends. */
static size_t
stack_bytes(const struct stn_sim_model *model)
{
	return model->stack_bytes + (model->room_bytes ? SHARED_BYTES : 0);
}

/* From the memory of a node to that of the next one. */
static size_t
stride(const struct stn_sim_model *model)
{
	size_t bytes = stack_bytes(model) + model->room_bytes;

	return GUARD_BYTES +
	       (bytes + GUARD_BYTES - 1) / GUARD_BYTES * GUARD_BYTES;
}

bool
sim_stacks_map(struct sim_world *world, const struct stn_sim_model *model)
{
	size_t bytes = model->topology->nodes * stride(model);
	void *stacks = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (stacks == MAP_FAILED)
		return false;
	world->stacks = stacks;
	world->stack_bytes = bytes;
	return true;
}

/* Uses the size kept in @world: the model's topology may be gone. */
void
sim_stacks_unmap(struct sim_world *world)
{
	if (world->stacks)
		munmap(world->stacks, world->stack_bytes);
}

/* The guard of node @rank; its stack is behind it. */
static char *
guard_of(const struct stn_sim *sim, uint32_t rank)
{
	return sim->world->stacks + rank * stride(&sim->model);
}

enum stn_err
sim_stack_begin(struct stn_sim *sim, uint32_t rank, void (*main)(void *arg))
{
	struct sim_node *node = &sim->nodes[rank];
	char *guard = guard_of(sim, rank);

	if (sim->count <= GUARDED_NODES &&
	    mprotect(guard, GUARD_BYTES, PROT_NONE))
		return STN_NO_MEMORY;
	stn_fiber_begin(&node->fiber, guard + GUARD_BYTES,
			stack_bytes(&sim->model), main, node);
	return STN_OK;
}

void *
stn_sim_room(const struct stn_sim *sim, uint32_t rank)
{
	return guard_of(sim, rank) + GUARD_BYTES + stack_bytes(&sim->model);
}
