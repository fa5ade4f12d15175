/*
 * conformance_life.h: how endpoints sleep, begin and end. Each call is a test
 * of its own, true if it went as its name promises; those that get a net get
 * it open, and close it.
 */
#ifndef TESTS_CONFORMANCE_LIFE_H
#define TESTS_CONFORMANCE_LIFE_H

#include "tests/conformance.h"

/* life_introduce: lets all pairs get to know each other by a message. */
bool life_introduce(struct net *net);

/* life_close_node: closes one endpoint, at once. */
void life_close_node(struct net *net, uint32_t rank);

/* life_can_sleep: arming succeeds after a bounded number of tries. */
bool life_can_sleep(struct stn_transport *transport);

/*
 * life_wakes: a message of @bytes, sent after its receiver was armed, makes
 * the descriptor readable, or arrives within the interval that arming gave.
 */
bool life_wakes(struct net *net, uint32_t from, uint32_t to, size_t bytes);

/*
 * Everything under way is done exactly once: when the sender closes, or the
 * receiver; also if ends send again while an endpoint closes.
 */
bool life_close_sender(struct net *net, bool fragile);
bool life_close_receiver(struct net *net);
bool life_close_resend(struct net *net);

/*
 * life_close_stage: the same, with large payloads that both nodes 0 and 1 have
 * got to some stage when one closes.
 */
enum life_stage {
	LIFE_POSTED,  /* nobody has made progress */
	LIFE_LEFT,    /* what the fabric carries has left its sender */
	LIFE_PULLING, /* some are being pulled */
	LIFE_REFUSED  /* refused, which the sender doesn't know */
};
#define LIFE_STAGES (LIFE_REFUSED + 1)
bool life_close_stage(struct net *net, enum life_stage stage, uint32_t rank,
		      bool fragile);

/*
 * life_gone: sends of @bytes to a node that has been closed, and those that
 * their ends send, are done exactly once, at the latest by closing the sender.
 * @reached  it has been sent to before; so some must end before that. (What
 *     must connect again waits: libfabric's rxm and net try for ever.)
 */
bool life_gone(struct net *net, size_t bytes, bool reached);

/* life_port_in_use: a port on which somebody listens is not opened. */
bool life_port_in_use(const struct plan *plan, struct stn_why *why);

/*
 * life_stranger: what is sent to a node that is gone isn't shown to whoever
 * listens on its port now.
 */
bool life_stranger(const struct plan *plan);

/* life_side_by_side: two nets, both open, carry messages at once. */
bool life_side_by_side(struct net *net, struct net *other);

#endif
