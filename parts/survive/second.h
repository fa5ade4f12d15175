/*
 * second.h: second copies of parts, on other nodes. Net lock held.
 *
 * The second copy of a part goes to a node of another cluster if there is one,
 * else to one on another host, else to another node (keeper.h). All copies of a
 * node go to the same other node, so that few notices list them after a death.
 *
 * Copies are sent in pieces, two at a time, because the pieces of halos wait
 * behind them on the link. If a copy of 256 KiB were sent whole over a link of
 * 50 MB/s, a node would stop for two blocks; its neighbours would have nothing
 * to do, and the scheduler settle would give them parts that they should not
 * have.
 *
 * A node sends a piece when all its parts have reached a version that is a
 * multiple of the *beat*. The beat is so long that sending takes one part in
 * STN_SECOND_SHARE of the time, and it is a power of two: so all nodes send at
 * the same versions, and wait for each other's pieces at the same time, not one
 * after the other. If the beat is one version, pieces are so large that sending
 * them takes that share. Between operations no part changes its version; then a
 * pause follows each piece, unless the parts have just come from disk: then the
 * first operation waits for all pieces (gather.h).
 */
#ifndef STN_PARTS_SURVIVE_SECOND_H
#define STN_PARTS_SURVIVE_SECOND_H

#include "parts/parts.h"

/*
 * The bytes of a piece: the least if that takes little of a block's time; the
 * least in any case; the most.
 */
#define STN_SECOND_BYTES 4096
#define STN_SECOND_LEAST 512
#define STN_SECOND_MOST 65536

/*
 * Sending takes one part in so many of the time. First copies take some of the
 * 1 %, too.
 */
#define STN_SECOND_SHARE 125

/* The time to send a byte, as long as that was not measured. */
#define STN_SECOND_LAN_NS 10
#define STN_SECOND_WAN_NS 1000

/*
 * stn_second_swept: the part has another version.
 * stn_second_send: sends a piece, if it is time. Returns when to call it again,
 * in ns as @now.
 * stn_second_take: a piece arrives. STN_MALFORMED.
 * stn_second_hand_over: this node leaves: sends all copies to others, once.
 */
void stn_second_swept(struct stn_part *part);
uint64_t stn_second_send(struct stn_parts_service *service, uint64_t now);
STN_CHECKED enum stn_err stn_second_take(struct stn_parts *array,
					 const struct stn_message *message,
					 const struct stn_parts_copy *header);
void stn_second_hand_over(struct stn_parts *array);

#endif
