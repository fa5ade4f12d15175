/*
 * revive.h: parts come from disk when an array is made in a run with --resume.
 * Net lock held.
 *
 * When CREATE arrives, each node tells the root which versions of which parts
 * it has on disk (STORED); the directory may be another one on each host. When
 * all nodes have, the root chooses the newest version that is complete, and
 * sends it down the tree (REVIVE) with its history and with a holder of each
 * part. Each node places its parts as in a new array. It reads them from its
 * own disk, or asks their holders (NEED, REVIVED). Then all is as after a death
 * (restore.h): the root repeats the operation that the version is part of, and
 * main's calls up to there return at once.
 *
 * If the membership changes before all nodes have their parts, the array is
 * forgotten, and made again.
 */
#ifndef STN_PARTS_SURVIVE_REVIVE_H
#define STN_PARTS_SURVIVE_REVIVE_H

#include "parts/parts.h"

/*
 * stn_revive_create: the array, whose homes are known, is to get its parts: new
 * ones, or from disk. Ends the run if this node has no memory for them.
 * stn_revive_stored, and so on: such a message has arrived. STN_MALFORMED.
 */
void stn_revive_create(struct stn_parts *array);
STN_CHECKED enum stn_err
stn_revive_stored(struct stn_parts *array, const struct stn_message *message,
		  const struct stn_parts_stored *header);
STN_CHECKED enum stn_err
stn_revive_chosen(struct stn_parts *array, const struct stn_message *message,
		  const struct stn_parts_revive *header);

#endif
