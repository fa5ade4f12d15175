/*
 * verbs_memory.c: registers the memory of large payloads, for one operation each.
 * When the operation has ended, the memory is deregistered later, while no
 * message waits: deregistering takes as long as a short message needs to arrive.
 *
 * If the device reaches all memory by page faults, nothing is registered per
 * operation: the kernel keeps the device's translations valid when memory is
 * unmapped and mapped again, which a cache of registrations would not.
 */
#include "transport/verbs/verbs_memory.h"

static struct ibv_mr *
register_piece(const struct verbs *verbs, const struct iovec *piece, bool write)
{
	return verbs->library.reg_mr(verbs->domain, piece->iov_base,
				     piece->iov_len,
				     write ? IBV_ACCESS_LOCAL_WRITE
					   : IBV_ACCESS_REMOTE_READ);
}

/* The oldest first. */
void
verbs_memory_release(struct verbs *verbs, size_t most)
{
	for (; most && verbs->retired_count; most--, verbs->retired_count--)
		verbs->library.dereg_mr(
			verbs->retired[verbs->retired_first++ % VERBS_RETIRED]);
}

struct ibv_mr *
verbs_memory_get(struct verbs *verbs, const struct iovec *piece, bool write)
{
	struct ibv_mr *region = verbs->all_memory[write];

	if (!region)
		region = register_piece(verbs, piece, write);
	if (region || !verbs->retired_count)
		return region;
	verbs_memory_release(verbs, VERBS_RETIRED);
	return register_piece(verbs, piece, write);
}

/*
 * A region keeps its pages locked until it is deregistered, even if their owner
 * has unmapped them. So the owner may free them now; but a large region would
 * keep much memory from others.
 */
void
verbs_memory_put(struct verbs *verbs, struct ibv_mr *region)
{
	if (region == verbs->all_memory[0] || region == verbs->all_memory[1])
		return;
	if (region->length > VERBS_RETIRED_BYTES) {
		verbs->library.dereg_mr(region);
		return;
	}
	if (verbs->retired_count == VERBS_RETIRED)
		verbs_memory_release(verbs, 1);
	verbs->retired[(verbs->retired_first + verbs->retired_count++) %
		       VERBS_RETIRED] = region;
}
