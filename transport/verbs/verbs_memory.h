/* verbs_memory.h: the memory of large payloads, which the device reads or writes. */
#ifndef STN_TRANSPORT_VERBS_VERBS_MEMORY_H
#define STN_TRANSPORT_VERBS_VERBS_MEMORY_H

#include "transport/verbs/verbs.h"

/*
 * verbs_memory_get: registers @piece for one operation. Returns NULL if memory runs
 * out, or may not be locked.
 * @write  this endpoint's reads write into it; else peers read it
 */
struct ibv_mr *verbs_memory_get(struct verbs *verbs, const struct iovec *piece,
				bool write);

/*
 * verbs_memory_put: the operation has ended. The memory is deregistered later; its
 * owner may free it now.
 */
void verbs_memory_put(struct verbs *verbs, struct ibv_mr *region);

/* verbs_memory_release: deregisters up to @most regions that were put. */
void verbs_memory_release(struct verbs *verbs, size_t most);

#endif
