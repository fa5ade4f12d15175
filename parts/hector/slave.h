/*
 * slave.h: the slave allocator of a node. Net lock held.
 *
 * stn_slave_look: reports to the master allocator if that is due. Returns when
 * to call it again.
 */
#ifndef STN_PARTS_HECTOR_SLAVE_H
#define STN_PARTS_HECTOR_SLAVE_H

#include "parts/hector/hector.h"

uint64_t stn_slave_look(struct stn_hector *hector, uint64_t now);

#endif
