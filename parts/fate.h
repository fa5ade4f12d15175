/*
 * fate.h: when a message about an array is to be handled: messages of a view, or
 * of a generation, that is over are void, and others come too early. Net lock
 * held.
 */
#ifndef STN_PARTS_FATE_H
#define STN_PARTS_FATE_H

#include "parts/parts.h"

enum stn_fate { STN_NOW, STN_LATER, STN_NEVER };

/* stn_fate_of: of a message about @array, which may be NULL: unknown here. */
enum stn_fate stn_fate_of(const struct stn_parts_service *service,
			  const struct stn_parts *array,
			  const struct stn_parts_wire *wire);

#endif
