/*
 * membership.h: the service that keeps the nodes of a run in agreement about
 * its membership. The sequencer (sequencer.h) numbers the changes. View n is
 * the list of the first n changes. The root gets each view from the sequencer
 * and spreads it over a tree of the living nodes (membership_tree.h); each node
 * applies its changes in order, and tells its parent when its subtree has
 * applied the view.
 *
 * With the view's acknowledgement the nodes collect notices: what each node
 * wants all others to know about the change. When the root has all of them, it
 * spreads them over the same tree.
 *
 *	kind	      header    payload
 *	VIEW 11	      0 view    the changes, as struct stn_change
 *	APPLIED 12    0 view    notices of the sender's subtree
 *	NOTICES 13    0 view    the notices of all nodes
 *
 * A view may tell nodes to leave. They live on until they have handed over
 * their work (leaving.h); then the sequencer hears that they have left.
 *
 * A node that dies while it spreads a view causes another view, which has the
 * same changes and one more, and another tree. Messages of older views are
 * ignored then. So each living node gets the newest view, whatever dies.
 *
 * A change is applied in this order: the transport forgets the node, so that
 * nothing from it is delivered any more; then the services are told, in the
 * order of their list. All under the net lock.
 *
 * A node that joins is connected to all others before the sequencer issues the
 * view with its rank; so the tree of that view reaches it, too. Its view is the
 * list of all changes, and it applies them all.
 */
#ifndef STN_NODE_MEMBERSHIP_H
#define STN_NODE_MEMBERSHIP_H

#include "node/node.h"
#include "node/sequencer.h"

enum { STN_VIEW = 11, STN_APPLIED = 12, STN_NOTICES = 13 };

/* A notice; the service that sends it gives the other words a meaning. */
struct stn_notice {
	uint64_t words[2];
	uint32_t about;
	uint32_t kind; /* of messages of that service */
	uint32_t from; /* the node that sends it */
	uint32_t unused;
};

extern const struct stn_service stn_membership_service;

/*
 * stn_membership_view: the sequencer has sent this node the view of @count
 * changes. The caller then lets the node look after its services. Net lock
 * held.
 */
void stn_membership_view(struct stn_node *node,
			 const struct stn_change *changes, uint32_t count);

/*
 * stn_membership_applied: the number of the view that this node has applied
 * last, completely. Not for a service's died and joined. Net lock held.
 */
uint32_t stn_membership_applied(const struct stn_node *node);

/*
 * stn_membership_await: blocks until this node has applied the view with which
 * it joins the run; returns at once if it is one of the first nodes. Then it
 * may ask others for work. The transport makes progress meanwhile.
 */
void stn_membership_await(struct stn_node *node);

/*
 * stn_membership_miss: the transport has found that node @rank is dead. If the
 * run survives deaths, the host is told; otherwise the run ends. This node's
 * own rank means that it can't reach the others any more.
 * @how  how the death was noticed, for people
 */
void stn_membership_miss(struct stn_node *node, uint32_t rank, const char *how);

/*
 * stn_membership_notice: adds a notice to those of the view that is being
 * applied. For a service's notices function only.
 */
void stn_membership_notice(struct stn_node *node, uint8_t kind,
			   const uint64_t words[2], uint32_t about);

#endif
