#include "constants/known.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

_Static_assert(STN_CONSTANTS_CHAINS == 1 << 6, "a chain's number has 6 bits");

uint64_t
stn_constant_hash(const void *data, size_t bytes)
{
	return XXH3_64bits(data, bytes);
}

static uint32_t
chain_number(uint64_t hash)
{
	return (uint32_t)(hash >> 58);
}

void
stn_known_fini(struct stn_known *known)
{
	for (uint32_t i = 0; known->chains && i < STN_CONSTANTS_CHAINS; i++)
		while (known->chains[i]) {
			struct stn_constant *constant = known->chains[i];

			known->chains[i] = constant->next;
			free(constant);
		}
	free(known->chains);
}

struct stn_constant *
stn_constant_create(uint64_t hash, size_t bytes)
{
	struct stn_constant *constant;
	size_t size;

	if (__builtin_add_overflow(bytes, sizeof(*constant) + 63, &size))
		return NULL;
	constant = aligned_alloc(64, size & ~(size_t)63);
	if (constant)
		*constant =
			(struct stn_constant){ .hash = hash, .bytes = bytes };
	return constant;
}

/* Both loads pair with the releases in stn_constant_add. */
static struct stn_constant *
find_constant(const struct stn_known *known, uint64_t hash)
{
	struct stn_constant **chains =
		__atomic_load_n(&known->chains, __ATOMIC_ACQUIRE);
	struct stn_constant *constant =
		chains ? __atomic_load_n(&chains[chain_number(hash)],
					 __ATOMIC_ACQUIRE)
		       : NULL;

	while (constant && constant->hash != hash)
		constant = constant->next;
	return constant;
}

const struct stn_constant *
stn_constant_find(const struct stn_known *known, uint64_t hash)
{
	return find_constant(known, hash);
}

bool
stn_constant_add(struct stn_known *known, struct stn_constant *constant)
{
	struct stn_constant **chains = known->chains, **chain;

	if (!chains)
		chains = calloc(STN_CONSTANTS_CHAINS, sizeof(chains[0]));
	if (!chains)
		return false;
	chain = &chains[chain_number(constant->hash)];
	constant->next = *chain;
	/* Both pair with the acquires in find_constant. */
	__atomic_store_n(chain, constant, __ATOMIC_RELEASE);
	__atomic_store_n(&known->chains, chains, __ATOMIC_RELEASE);
	return true;
}

bool
stn_constant_let_go(struct stn_known *known, uint64_t hash)
{
	struct stn_constant *constant = find_constant(known, hash);
	bool was = constant && constant->kept_back;

	if (was)
		constant->kept_back = false;
	return was;
}
