/*
 * services.h: the list of the services of each node.
 */
#ifndef STN_LAUNCH_SERVICES_H
#define STN_LAUNCH_SERVICES_H

#include "node/service.h"

/* Services are told of events in this order. Ends with NULL. */
extern const struct stn_service *const stn_services[];

#endif
