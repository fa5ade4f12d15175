/*
 * conformance_mail.h: messages that check themselves: whatever a test posts,
 * it sees that all arrives once, in order and whole. State is global: a test
 * posts, settles or forgets, and so leaves it empty for the next.
 */
#ifndef TESTS_CONFORMANCE_MAIL_H
#define TESTS_CONFORMANCE_MAIL_H

#include "tests/conformance.h"

#define MAIL_SENDS 16384     /* the most that may be posted */
#define MAIL_HEADER_BYTES 16 /* of each message */

/* A send. Its memory is spoiled and freed when it is done, not before. */
struct mail_sent {
	unsigned char *memory;
	size_t bytes;
	unsigned done, taken_before;
	enum stn_err err;
};

/* What has happened so far. Read only. */
extern struct mail {
	unsigned sent, done;		/* at senders */
	unsigned handled, taken, wrong; /* at receivers; wrong must stay 0 */
	struct mail_sent sends[MAIL_SENDS];
} mail;

/* mail_post: sends @bytes, gathered from @count pieces, at most 64. */
void mail_post(struct net *net, uint32_t from, uint32_t to, size_t bytes,
	       size_t count);

/* Handlers: take the payload into several pieces, or refuse it. */
net_handler mail_take, mail_refuse;

/* Of all that was posted: is each done exactly once; has it ended so? */
bool mail_done_once(void);
bool mail_ended(enum stn_err err);

/* mail_taken_once: is everything that was taken done exactly once? */
bool mail_taken_once(void);

/*
 * mail_settle: waits until all that was posted is done, and taken; forgets it.
 * False, with a remark, unless all was taken once, whole and in order.
 */
bool mail_settle(struct net *net);

/* mail_forget: frees everything; nothing may be under way. */
void mail_forget(void);

#endif
