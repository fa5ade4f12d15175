/*
 * revive.h: parts come from disk when an array is made in a run with --resume.
 * Net lock held.
 *
 * When CREATE arrives, each node tells the root which versions of which parts
 * it has on disk (STORED), because each host may have a directory of its own.
 * When all nodes have told that, the root chooses the newest version that is
 * complete, and sends its number, its history and a holder of each part down
 * the tree (REVIVE). Each node gets the parts that it would have of a new
 * array. It reads them from its own disk, or asks their holders (NEED,
 * REVIVED). Then the root continues as after a death (restore.h): it repeats
 * the operation in which the parts reached the version, and main's calls up to
 * there return at once.
 *
 * If the membership changes before all nodes have their parts, the array is
 * forgotten, and made again.
 */
#ifndef STN_PARTS_SURVIVE_REVIVE_H
#define STN_PARTS_SURVIVE_REVIVE_H

#include "parts/parts.h"

/*
 * stn_revive_create: this node knows the homes of the array's parts: makes its
 * own parts, or begins to get them from disk. Ends the run if there is no
 * memory for them.
 * stn_revive_undo: the membership has changed before all nodes had their parts,
 * so the array is made again: frees the parts that were read from disk.
 * stn_revive_stored: STORED has arrived. STN_MALFORMED.
 * stn_revive_chosen: REVIVE has arrived. STN_MALFORMED.
 */
void stn_revive_create(struct stn_parts *array);
void stn_revive_undo(struct stn_parts *array);
STN_CHECKED enum stn_err
stn_revive_stored(struct stn_parts *array, const struct stn_message *message,
		  const struct stn_parts_stored *header);
STN_CHECKED enum stn_err
stn_revive_chosen(struct stn_parts *array, const struct stn_message *message,
		  const struct stn_parts_revive *header);

#endif
