/*
 * desk.h: messages that are handled one after the other, each for a given time,
 * as by a process that reads them from one socket. In virtual time that is the
 * service time of the master allocator. With a second channel, urgent messages
 * come first, but at most URGENT_RUN of them while another one waits.
 */
#ifndef STN_PARTS_HECTOR_DESK_H
#define STN_PARTS_HECTOR_DESK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "transport/transport.h"

/* A message without a payload that waits. */
struct stn_desk_item {
	STAILQ_ENTRY(stn_desk_item) link;
	uint32_t from;
	uint8_t kind;
	uint64_t came_ns;
	size_t header_bytes;
	unsigned char header[STN_HEADER_BYTES];
};

STAILQ_HEAD(stn_desk_items, stn_desk_item);

struct stn_desk {
	uint64_t service_ns;
	bool channels; /* urgent messages have a channel of their own */
	struct stn_desk_items urgent, others;
	uint32_t run;		      /* of urgent messages, so far */
	struct stn_desk_item *served; /* is dealt with, or NULL, */
	uint64_t served_ns;	      /* until then */
};

/*
 * stn_desk_init; _fini: drops all messages.
 * stn_desk_put: a message has come. False: no memory.
 * stn_desk_take: the next message that has been dealt with at time @now; the
 * caller frees it. NULL if there is none; then *again_p is when to ask again,
 * or STN_FOREVER.
 */
void stn_desk_init(struct stn_desk *desk, uint64_t service_ns, bool channels);
void stn_desk_fini(struct stn_desk *desk);
bool stn_desk_put(struct stn_desk *desk, const struct stn_message *message,
		  bool urgent, uint64_t now);
struct stn_desk_item *stn_desk_take(struct stn_desk *desk, uint64_t now,
				    uint64_t *again_p);

#endif
