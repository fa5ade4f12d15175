/*
 * silence.h: connections whose other end may vanish without a word: a host that
 * loses its power, a cable that is cut.
 */
#ifndef STN_TRANSPORT_WAN_SILENCE_H
#define STN_TRANSPORT_WAN_SILENCE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * stn_silence_bound: the TCP connection @fd ends with an error when nothing has
 * answered there for about @silence_ns, but for a second at least. 0: never.
 * @reads  whoever is there always reads: so it also ends when what was sent has
 *     waited for so long. Otherwise it ends only while nothing is under way.
 */
void stn_silence_bound(int fd, uint64_t silence_ns, bool reads);

#endif
