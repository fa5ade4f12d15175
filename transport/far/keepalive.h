/*
 * keepalive.h: finds out that a connection's other end has vanished without
 * closing it: its host has lost power, or a cable is cut.
 */
#ifndef STN_TRANSPORT_FAR_KEEPALIVE_H
#define STN_TRANSPORT_FAR_KEEPALIVE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * stn_keepalive_set: the TCP connection @fd ends with an error when its other
 * end has answered nothing for about @silence_ns, but not before a second. 0:
 * never.
 * @reads  the other end always reads: so the connection also ends when sent
 *     data has waited for that long. Otherwise it only ends while no data is
 *     under way.
 */
void stn_keepalive_set(int fd, uint64_t silence_ns, bool reads);

#endif
