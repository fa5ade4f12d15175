/*
 * conformance_mail.h: messages that check that each of them arrives once, in
 * order and whole. The state is global: a test posts, and then settles or
 * forgets, which leaves the state empty for the next test.
 */
#ifndef TESTS_TRANSPORT_CONFORMANCE_MAIL_H
#define TESTS_TRANSPORT_CONFORMANCE_MAIL_H

#include "tests/transport/conformance.h"

#define MAIL_SENDS 16384     /* most messages per test */
#define MAIL_HEADER_BYTES 16 /* of each message */
#define MAIL_PIECES 64	     /* most pieces of a payload, at both ends */

/* A send. When it is done, its memory is overwritten and freed. */
struct mail_sent {
	unsigned char *memory;
	size_t bytes;
	uint32_t from, to;
	unsigned done, taken_before;
	bool unwanted; /* it should end with STN_REFUSED */
	enum stn_err err;
};

/* Counts so far; read only. */
extern struct mail {
	unsigned sent, done;		  /* at senders */
	unsigned handled, taken, refused; /* at receivers */
	unsigned wrong;			  /* must stay 0 */
	struct mail_sent sends[MAIL_SENDS];
} mail;

/*
 * mail_post: sends @bytes, gathered from @count pieces. mail_post_unwanted: the
 * same, but mail_take refuses the message.
 */
void mail_post(struct net *net, uint32_t from, uint32_t to, size_t bytes,
	       size_t count);
void mail_post_unwanted(struct net *net, uint32_t from, uint32_t to,
			size_t bytes, size_t count);

/* Handlers: take the payload into several pieces; refuse every message. */
net_handler mail_take, mail_refuse;

/* Is each posted message done exactly once? Did each end with @err? */
bool mail_done_once(void);
bool mail_ended(enum stn_err err);

/* mail_under_way: the number of posted messages that are not done. */
unsigned mail_under_way(uint32_t from, uint32_t to);

/* mail_taken_once: has each take ended exactly once? */
bool mail_taken_once(void);

/*
 * mail_taken_whole: the number of payloads of at least @least bytes that node
 * @by has taken from node @from.
 */
unsigned mail_taken_whole(uint32_t from, uint32_t by, size_t least);

/*
 * mail_settle: waits until all posted messages are done and taken, and forgets
 * them. True if each message meant to be taken was taken once, whole and in
 * order, and each send ended as it should. Otherwise prints the counts.
 */
bool mail_settle(struct net *net);

/* mail_forget: frees everything; no message may be under way. */
void mail_forget(void);

#endif
