/*
 * known.h: the constants that a node has.
 *
 *	stn_constant_find	any thread, no lock
 *	all other calls		one thread at a time: the net lock is held
 */
#ifndef STN_CONSTANTS_KNOWN_H
#define STN_CONSTANTS_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A constant: bytes that nobody changes. Its hash is its name on all nodes: two
 * constants with the same bytes are one.
 */
struct stn_constant {
	struct stn_constant *next; /* in its chain; constant */
	uint64_t hash;
	size_t bytes;
	bool kept_back; /* it was made here, and no record that has it has left
			 * yet; net lock held */
	unsigned char at[] __attribute__((aligned(64)));
};

#define STN_CONSTANTS_CHAINS 64

/* Constants live as long as the node. */
struct stn_known {
	struct stn_constant **chains; /* NULL: there is no constant yet */
};

/* stn_known_fini: frees all constants. */
void stn_known_fini(struct stn_known *known);

/* stn_constant_hash: the hash of a constant with these bytes. Any thread. */
uint64_t stn_constant_hash(const void *data, size_t bytes);

/*
 * stn_constant_create: a constant whose bytes the caller writes, and which the
 * node does not have until stn_constant_add. NULL: out of memory. free() frees
 * it.
 */
struct stn_constant *stn_constant_create(uint64_t hash, size_t bytes);

/* stn_constant_find: the constant with that hash, or NULL. Any thread. */
const struct stn_constant *stn_constant_find(const struct stn_known *known,
					     uint64_t hash);

/*
 * stn_constant_add: adds @constant, which is complete, and of which there is no
 * other copy. Returns false if there is no memory.
 */
bool stn_constant_add(struct stn_known *known, struct stn_constant *constant);

/*
 * stn_constant_let_go: whether the constant with that hash was kept back; from
 * now on it is not.
 */
bool stn_constant_let_go(struct stn_known *known, uint64_t hash);

#endif
