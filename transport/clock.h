/*
 * clock.h: the machine's clock.
 */
#ifndef STN_TRANSPORT_CLOCK_H
#define STN_TRANSPORT_CLOCK_H

#include <stdint.h>

#define STN_SECOND_NS 1000000000ull

struct stn_transport;

/*
 * stn_machine_now: the machine's monotonic clock, in ns; all processes of the
 * machine share it. @transport is ignored and may be NULL: with this parameter
 * the function fits into a backend's table. Any thread.
 */
uint64_t stn_machine_now(const struct stn_transport *transport);

#endif
