/*
 * service.h: what a worker without work does for the parts service.
 */
#ifndef STN_PARTS_SERVICE_H
#define STN_PARTS_SERVICE_H

#include "parts/parts.h"

/*
 * stn_parts_seek: as the service's seek (node/service.h): lets the scheduler
 * ask other nodes for parts. No lock held.
 */
uint64_t stn_parts_seek(struct stn_parts_service *service);

#endif
