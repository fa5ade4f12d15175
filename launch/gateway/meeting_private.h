/*
 * meeting_private.h: the meeting point's state. meeting.c asks and waits for
 * the replies, before the run; meeting_renew.c, during the run, never waits.
 */
#ifndef STN_LAUNCH_GATEWAY_MEETING_PRIVATE_H
#define STN_LAUNCH_GATEWAY_MEETING_PRIVATE_H

#include <hiredis/hiredis.h>
#include <netdb.h>
#include <stdint.h>

#include "launch/gateway/meeting.h"
#include "launch/gateway/trunk.h"

#define MEETING_EXPIRES 15 /* seconds until an entry expires */

struct stn_meeting {
	redisContext *redis; /* NULL: not connected */
	const char *at, *run, *cluster;
	char host[NI_MAXHOST]; /* numeric address of the server; "": a path */
	int port;
	struct stn_meeting_entry entry;
	char text[STN_ENTRY_BYTES]; /* the entry, as stored */
	bool late; /* see stn_meeting_is_late */
	bool entered;
	char before[STN_NAME_BYTES]; /* cluster whose entry keeps ours out */
	long long before_ms;	     /* remaining life of that entry */
	bool nonblocking;	     /* the connection no longer blocks */
	bool leaving;		     /* our entry is to be removed */
	bool removal_sent;	     /* the server has been told so */
	unsigned replies_due;	     /* replies to come */
	bool owner_asked;  /* the first of them tells whose entry it is */
	uint64_t asked_ns; /* when the last question was sent */
	uint64_t next_ns;  /* when to ask, or connect, again */
	uint64_t end_ns;   /* when stn_meeting_close stops waiting */
};

/* stn_meeting_is_ours: does @reply hold our entry, or none? */
bool stn_meeting_is_ours(const struct stn_meeting *meeting,
			 const redisReply *reply);

#endif
