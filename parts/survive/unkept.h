/*
 * unkept.h: tells the user in one line, once for each reason, which arrays
 * --keep does not write to disk (store.h), or no longer. All nodes note what
 * has been told, and the root prints it. Net lock held.
 */
#ifndef STN_PARTS_SURVIVE_UNKEPT_H
#define STN_PARTS_SURVIVE_UNKEPT_H

#include "parts/parts.h"

/*
 * stn_unkept_created: CREATE has arrived: are versions of the array written?
 * stn_unkept_swept: an operation begins: has main got points of the array
 * before a sweep? Then no later version is written.
 */
void stn_unkept_created(const struct stn_parts *array);
void stn_unkept_swept(const struct stn_parts *array);

#endif
