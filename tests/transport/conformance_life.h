/*
 * conformance_life.h: how endpoints sleep, open and close. Each call is one
 * test, and returns true if it passed. A call that gets a net gets it open, and
 * closes it.
 */
#ifndef TESTS_TRANSPORT_CONFORMANCE_LIFE_H
#define TESTS_TRANSPORT_CONFORMANCE_LIFE_H

#include "tests/transport/conformance.h"

/* life_introduce: each node sends a message to each other node. */
bool life_introduce(struct net *net);

/* life_close_node: closes one endpoint without waiting. */
void life_close_node(struct net *net, uint32_t rank);

/* life_can_sleep: arming succeeds after a bounded number of tries. */
bool life_can_sleep(struct stn_transport *transport);

/*
 * life_arms_quietly: a message of @bytes arrives while its receiver is armed
 * again and again, and is not handled before the receiver makes progress.
 */
bool life_arms_quietly(struct net *net, uint32_t from, uint32_t to,
		       size_t bytes);

/*
 * life_wakes: a message of @bytes, sent after its receiver was armed, makes the
 * descriptor readable, or arrives within the interval that arming returned.
 */
bool life_wakes(struct net *net, uint32_t from, uint32_t to, size_t bytes);

/*
 * life_tells_news: whether node @to has no news before node @from sends it
 * @bytes, then has news before it makes progress, and none once all is settled.
 * True also if its transport can't tell, unless @tells.
 */
bool life_tells_news(struct net *net, uint32_t from, uint32_t to, size_t bytes,
		     bool tells);

/*
 * Every operation under way ends exactly once when the sender closes, or the
 * receiver; also if done functions send again while the endpoint closes.
 */
bool life_close_sender(struct net *net, bool fragile);
bool life_close_receiver(struct net *net);
bool life_close_resend(struct net *net);

/*
 * life_close_stage: nodes 0 and 1 send each other large payloads, and node
 * @rank closes when these have reached @stage. Every operation ends exactly
 * once.
 */
enum life_stage {
	LIFE_POSTED,  /* no node has made progress since */
	LIFE_LEFT,    /* the fabric has carried the offers away */
	LIFE_PULLING, /* some are being pulled */
	LIFE_REFUSED  /* refused, but the sender doesn't know */
};
#define LIFE_STAGES (LIFE_REFUSED + 1)
bool life_close_stage(struct net *net, enum life_stage stage, uint32_t rank,
		      bool fragile);

/*
 * life_send_to_closed: sends of @bytes to a closed node, and sends made by
 * their done functions, end exactly once, at the latest when the sender closes.
 * @reached  the sender has sent to the node before. Then some sends must end
 *     before the sender closes. (A sender that must connect again waits:
 *     libfabric's rxm and net try without end.)
 */
bool life_send_to_closed(struct net *net, size_t bytes, bool reached);

/* life_port_in_use: opening on a port on which another socket listens fails. */
bool life_port_in_use(const struct plan *plan, struct stn_why *why);

/*
 * life_port_reused: an endpoint that opens on the port of a closed one is not
 * given the closed one's messages.
 */
bool life_port_reused(const struct plan *plan);

/* life_side_by_side: two open nets carry messages at the same time. */
bool life_side_by_side(struct net *net, struct net *other);

#endif
