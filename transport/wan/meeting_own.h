/*
 * meeting_own.h: the meeting point's own, which its files share: meeting.c asks
 * and waits for the answer; meeting_stay.c, once the run has begun, doesn't.
 */
#ifndef STN_TRANSPORT_WAN_MEETING_OWN_H
#define STN_TRANSPORT_WAN_MEETING_OWN_H

#include <hiredis/hiredis.h>
#include <netdb.h>
#include <stdint.h>

#include "transport/wan/meeting.h"
#include "transport/wan/trunk.h"

#define MEETING_EXPIRES 15 /* s */

struct stn_meeting {
	redisContext *redis; /* NULL: not connected */
	const char *at, *run, *cluster;
	char host[NI_MAXHOST]; /* the address at which it was reached, */
	int port;	       /*   unless by a path */
	struct stn_entry entry;
	char text[STN_ENTRY_BYTES]; /* it, as it is there */
	bool entered;
	char before[STN_NAME_BYTES]; /* whose entry keeps ours away, and */
	long long before_ms;	     /*   how long it had to live */
	/* meeting_stay.c */
	bool stays;	   /* nothing blocks any more */
	bool leaves;	   /* what we have left is to go, */
	bool goes;	   /*   and the server has been told so */
	unsigned due;	   /* answers that are to come, */
	bool asked;	   /*   the first of which tells whose entry it is */
	uint64_t asked_ns; /* since then */
	uint64_t next_ns;  /* when to ask, or connect, again */
	uint64_t end_ns;   /* of waiting for having left */
};

/* stn_meeting_is_ours: has this answer what we have left there, or nothing? */
bool stn_meeting_is_ours(const struct stn_meeting *meeting,
			 const redisReply *reply);

#endif
