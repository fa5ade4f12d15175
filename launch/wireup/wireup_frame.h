/*
 * wireup_frame.h: the frames that the launcher, its agents and the nodes
 * exchange over stream sockets and pipes. Numbers are in the host's byte order.
 *
 *	0 type (32 bits)  4 rank (32 bits)  8 size (32 bits)  12 size bytes
 *
 * The launcher, an agent or a gateway has a socket to each of its nodes. A node
 * sends rank 0, because the receiver knows the node by its socket. An agent
 * passes a node's frame on to the launcher with the node's rank in the run, and
 * passes CARDS, GO, VIEW and PEERS on to all its nodes.
 *
 *	node to launcher
 *	CARD	the node's card of a round
 *	ARRIVED	the node is at the barrier
 *	ABORT	the run is over, for the reason in the text
 *	MISS	the run is over, because a node is gone: the rank of that node
 *		(32 bits), and a text
 *
 *	In a run that survives deaths also:
 *	SUSPECT	the node misses another one: the rank of that node (32 bits),
 *		and a text
 *	APPLIED	all nodes have applied a view (32 bits), from the root. View 0
 *		comes from each node, when it is connected to all others,
 *		before it starts the thread that reads views.
 *	RETURNED main has returned on this node, with this status (32 bits)
 *	SUMMARY	from the root: all nodes have applied a view (32 bits), and
 *		have sent their counts; the line about deaths, as a text
 *	LEAVING	the node has got SIGTERM: a view is to tell it to leave. Also
 *		from an agent with SIGTERM, for each of its nodes.
 *	LEFT	the node has handed over its work, and ends
 *
 *	In a run that nodes join also:
 *	MET	the node has connected to all nodes in PEERS: STN_NOBODY; or it
 *		can't connect to a node: the rank of that node (32 bits), and a
 *		text
 *
 *	launcher to node, rank 0
 *	CARDS	for each node, by rank: the size of its card (32 bits) and the
 *		card. The launcher sends CARDS when it has all cards of a round.
 *		Then the next round may begin.
 *	GO	all nodes are at the barrier
 *	VIEW	a view of the membership: the rank of the root (32 bits), which
 *		acts on it, and the changes (struct stn_change)
 *
 *	PEERS	for each node that joins or has joined: its rank (32 bits), the
 *		size of its card (32 bits) and its card of the last round
 *
 *	A node that joins shows its cards one after another, as the first nodes
 *	did. It gets CARDS with the first nodes' cards of that round, for itself
 *	alone: the frame has its rank. Then it reads views (APPLIED with view
 *	0), and all nodes, itself too, get PEERS. When all have sent MET, a view
 *	has the node.
 *
 *	launcher to agent
 *	START	the agent starts nodes from `rank` on; see agent_protocol.h
 *	INPUT	part of main's standard input; empty at the end of the input
 *	KILL	the agent kills node `rank`
 *	INTERRUPT
 *		the agent sends node `rank` SIGINT
 *	RENEWED	the answer to LEASE, with the same time; see lease.h
 *	REPLAY	node `rank`, which the agent has, is the root, and reads the
 *		input from its beginning, by the next INPUT frames. The agent
 *		drops what it has of the input
 *	OVER	the run has ended well, and the agent ends well (for agents that
 *		another launcher has started; see muster.h)
 *	PROBE	before START: the agent measures how far some hosts are: for
 *		each of them a struct stn_host_port
 *
 *	WATCH	the agent sends LIVE for each of its nodes
 *
 *	agent to launcher
 *	OUTPUT	of node `rank`: whole lines, but a very long line is split
 *	ENDED	node `rank` has ended, with this wait status (32 bits)
 *	TAKEN	node `rank`, 0 or that of the newest REPLAY, has read so many
 *		bytes of the input (32 bits)
 *	FAILED	the agent can't go on, for the reason in the text
 *	LEASE	the agent asks for a lease, and tells its time (64 bits)
 *	NEAR	the answer to PROBE: the round trip to each host, in ns (64
 *		bits), or STN_PROBE_FAR
 *	LIVE	the live counts of node `rank`: its words (64 bits each), see
 *		node/live/live.h
 */
#ifndef STN_LAUNCH_WIREUP_WIREUP_FRAME_H
#define STN_LAUNCH_WIREUP_WIREUP_FRAME_H

#include <stdbool.h>

#include "launch/wireup/bytes.h"
#include "launch/wireup/wireup.h"
#include "node/sequencer.h"

#define STN_WIREUP_TEXTS (16u << 20) /* bytes of START at most */
#define STN_WIREUP_LINES 65536	     /* bytes of OUTPUT and INPUT at most */
#define STN_WIREUP_VIEWS (16u << 20) /* bytes of VIEW at most */
#define STN_WIREUP_PROBED 4096	     /* hosts in PROBE at most */

enum stn_wireup_frame_type {
	STN_WIREUP_CARD = 1,
	STN_WIREUP_ARRIVED,
	STN_WIREUP_ABORT,
	STN_WIREUP_MISS,
	STN_WIREUP_CARDS,
	STN_WIREUP_GO,
	STN_WIREUP_START,
	STN_WIREUP_INPUT,
	STN_WIREUP_OUTPUT,
	STN_WIREUP_ENDED,
	STN_WIREUP_TAKEN,
	STN_WIREUP_FAILED,
	STN_WIREUP_SUSPECT,
	STN_WIREUP_APPLIED,
	STN_WIREUP_RETURNED,
	STN_WIREUP_VIEW,
	STN_WIREUP_KILL,
	STN_WIREUP_LEASE,
	STN_WIREUP_RENEWED,
	STN_WIREUP_LEAVING,
	STN_WIREUP_LEFT,
	STN_WIREUP_OVER,
	STN_WIREUP_PEERS,
	STN_WIREUP_MET,
	STN_WIREUP_REPLAY,
	STN_WIREUP_PROBE,
	STN_WIREUP_NEAR,
	STN_WIREUP_SUMMARY,
	STN_WIREUP_INTERRUPT,
	STN_WIREUP_WATCH,
	STN_WIREUP_LIVE
};

/* The senders of frames. An agent's connection has the nodes' frames, too. */
enum stn_wireup_sender {
	STN_WIREUP_FROM_NODE = 1,
	STN_WIREUP_FROM_LAUNCHER = 2,
	STN_WIREUP_FROM_AGENT = 4 | STN_WIREUP_FROM_NODE
};

struct stn_wireup_head {
	uint32_t type, rank, size;
};

struct stn_wireup_frame {
	struct stn_wireup_head head;
	const unsigned char *body;
};

/*
 * stn_wireup_frame_add: appends a frame to @bytes. False, with @bytes as
 * before: no memory, or @size is too large for this type.
 */
bool stn_wireup_frame_add(struct stn_bytes *bytes,
			  enum stn_wireup_frame_type type, uint32_t rank,
			  const void *body, size_t size);

/*
 * stn_wireup_frame_send: sends a frame with rank 0 to the stream socket @fd.
 * Blocks as the socket does. Never raises SIGPIPE, and allocates no memory: a
 * node without memory, or in a signal handler, can still tell why it aborts.
 * STN_LOST if the other end is gone or the socket's send timeout has passed;
 * STN_INVALID if @size is too large for this type.
 */
STN_CHECKED enum stn_err stn_wireup_frame_send(int fd,
					       enum stn_wireup_frame_type type,
					       const void *body, size_t size);

/*
 * stn_wireup_frame_parse: finds the frame at the front of @bytes, which @from
 * has sent. @frame_p points into @bytes, and stn_wireup_frame_drop removes it.
 * STN_OK; STN_MISSING: the frame is not complete yet; STN_MALFORMED: @from
 * sends no frames of this type and size.
 */
STN_CHECKED enum stn_err
stn_wireup_frame_parse(const struct stn_bytes *bytes,
		       enum stn_wireup_sender from,
		       struct stn_wireup_frame *frame_p);

/* stn_wireup_frame_drop: removes the parsed @frame from the front of @bytes. */
void stn_wireup_frame_drop(struct stn_bytes *bytes,
			   const struct stn_wireup_frame *frame);

/*
 * stn_wireup_frame_missed: returns the rank in a MISS or SUSPECT frame and
 * copies the text to @why.
 */
uint32_t stn_wireup_frame_missed(const struct stn_wireup_frame *frame,
				 struct stn_why *why);

/*
 * stn_wireup_frame_number: the number in a frame whose body begins with 32
 * bits.
 */
uint32_t stn_wireup_frame_number(const struct stn_wireup_frame *frame);

/*
 * stn_wireup_frame_view: reads a VIEW frame of a run of @nodes nodes.
 * @changes_p  receives the changes, to be freed
 * STN_MALFORMED if no such run can have the view; STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err
stn_wireup_frame_view(const struct stn_wireup_frame *frame, uint32_t nodes,
		      uint32_t *root_p, struct stn_change **changes_p,
		      uint32_t *count_p);

/*
 * stn_wireup_frame_peer: reads the node at *@at in a PEERS frame, and moves
 * *@at, which is 0 at first, behind it. False at the end of the frame.
 */
bool stn_wireup_frame_peer(const struct stn_wireup_frame *frame, size_t *at,
			   uint32_t *rank_p, struct stn_card *card_p);

/*
 * stn_wireup_frame_cards: finds the cards in a CARDS frame. @cards has room for
 * @nodes cards, which point into the frame. STN_MALFORMED if the frame does not
 * consist of exactly @nodes cards.
 */
STN_CHECKED enum stn_err
stn_wireup_frame_cards(const struct stn_wireup_frame *frame,
		       struct stn_card *cards, uint32_t nodes);

#endif
