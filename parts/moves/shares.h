/*
 * shares.h: the ranges of an array that is cut anew (recut.h): arithmetic. Net
 * lock held.
 */
#ifndef STN_PARTS_MOVES_SHARES_H
#define STN_PARTS_MOVES_SHARES_H

#include "parts/moves/recut.h"

/*
 * stn_shares_list: from now on the array has a share for each node that stays.
 * The array's scheduling may have another address then.
 * stn_share_of: the number of the share of node @rank, or STN_NOBODY.
 * stn_share_end: the part behind the last one of share @share.
 * stn_share_owner: the node whose range has the part.
 */
void stn_shares_list(struct stn_parts *array);
uint32_t stn_share_of(const struct stn_recut *recut, uint32_t rank);
uint32_t stn_share_end(const struct stn_parts *array, uint32_t share);
uint32_t stn_share_owner(const struct stn_parts *array, uint32_t number);

/* stn_shares_expect: notes where the neighbours of a part are, or will be. */
void stn_shares_expect(const struct stn_part *part);

/*
 * stn_shares_cut: sets @firsts, one number for each share, to the first parts
 * of new ranges: in proportion to the speeds, but at least one part for each
 * node.
 * stn_shares_keep: sets @firsts back to the present ranges if the new ones
 * would gain too little (struct stn_recut, pays).
 * stn_shares_valid: whether @firsts can be the first parts of ranges.
 */
void stn_shares_cut(const struct stn_parts *array, uint32_t *firsts);
void stn_shares_keep(const struct stn_parts *array, uint32_t *firsts);
bool stn_shares_valid(const struct stn_parts *array, const uint32_t *firsts);

#endif
