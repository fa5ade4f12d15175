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
#define MAIL_PIECES 64	     /* the most of a payload, at both ends */

/* A send. Its memory is spoiled and freed when it is done, not before. */
struct mail_sent {
	unsigned char *memory;
	size_t bytes;
	uint32_t from, to;
	unsigned done, taken_before;
	bool unwanted; /* it is to end with STN_REFUSED */
	enum stn_err err;
};

/* What has happened so far. Read only. */
extern struct mail {
	unsigned sent, done;		  /* at senders */
	unsigned handled, taken, refused; /* at receivers */
	unsigned wrong;			  /* must stay 0 */
	struct mail_sent sends[MAIL_SENDS];
} mail;

/*
 * mail_post: sends @bytes, gathered from @count pieces. mail_post_unwanted:
 * the same, but mail_take is to refuse it.
 */
void mail_post(struct net *net, uint32_t from, uint32_t to, size_t bytes,
	       size_t count);
void mail_post_unwanted(struct net *net, uint32_t from, uint32_t to,
			size_t bytes, size_t count);

/* Handlers: take the payload into several pieces, or refuse all. */
net_handler mail_take, mail_refuse;

/* Of all that was posted: is each done exactly once; has it ended so? */
bool mail_done_once(void);
bool mail_ended(enum stn_err err);

/* mail_under_way: how many of what was posted are not done. */
unsigned mail_under_way(uint32_t from, uint32_t to);

/* mail_taken_once: is everything that was taken done exactly once? */
bool mail_taken_once(void);

/* mail_taken_whole: how many payloads of @least bytes node @by has from @from.
 */
unsigned mail_taken_whole(uint32_t from, uint32_t by, size_t least);

/*
 * mail_settle: waits until all that was posted is done, and taken; forgets it.
 * False, with a remark, unless all that was wanted was taken once, whole and in
 * order, and all ends were as they should be.
 */
bool mail_settle(struct net *net);

/* mail_forget: frees everything; nothing may be under way. */
void mail_forget(void);

#endif
