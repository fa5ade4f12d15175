/*
 * toy.h: a service for the tests, as small as one can be: each node sends the
 * others pings, and counts those that it gets.
 *
 *	kind       header     payload
 *	PING 12    0 round    -
 */
#ifndef TESTS_TOY_TOY_H
#define TESTS_TOY_TOY_H

#include "node/service.h"

enum { TOY_PING = 12 };

extern const struct stn_service toy_service;

#endif
