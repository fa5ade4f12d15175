/*
 * trunk.h: what gateways send each other besides the segments of nodes:
 * segments of their own, with the receiver STN_SEGMENT_GATEWAY. All numbers are
 * little-endian.
 *
 *	HELLO	0 version (32)  4 number of clusters (32)  8 the run's name, and
 *		the cluster's, each ended by a zero byte
 *	CHOSEN	of all connections between two gateways this is the one to use.
 *		Sent by the gateway whose cluster's name comes first. No data
 *	SIZE	the number of the cluster's nodes (32)
 *	CARDS	a round's cards of the cluster's nodes, as in a launcher's CARDS
 *		frame; in several segments if need be
 *	ARRIVED	all nodes of the cluster are at the barrier. No data
 *	FAILED	the run has failed, for the reason in the text
 *	INTERRUPTED
 *		the same, because the user has interrupted the run: the first
 *		cluster's main has time to print its best solution
 *	HEARTBEAT
 *		sent now and then. The kernel of a stopped gateway still answers
 *		keepalives, but no heartbeats come from it. No data
 *
 *	In a run that survives deaths also (gateway_membership.h):
 *	WATCHES	all nodes of the cluster read views. No data
 *	SUSPECT	a node misses a node of the receiver's cluster: its rank (32)
 *	GONE	a node of the sender's cluster does not run any more: its rank
 *		(32)
 *	LEAVING	a node of the sender's cluster is to leave: its rank (32)
 *	LEFT	a node of the sender's cluster has left: its rank (32)
 *	CUT	the sender has lost the gateway of a cluster: its number (32)
 *	VIEW	a view: the changes, as in a launcher's VIEW frame; in several
 *		segments if need be
 *	KNOWN	the sender knows the view of so many changes (32)
 *	GIVE	the receiver gives the last view to the root, a node of its
 *		cluster. No data
 *	OVER	all nodes of all clusters are at the barrier. No data
 *
 *	In a run that other clusters join also (gateway_late.h), until it has
 *	joined:
 *	LATE	from that cluster: its gateway's identity (64)
 *	WELCOME	to it, from the host of the sequencer: the number of the run
 *		(64) and of this cluster (32); for each of the first clusters:
 *		its size (32); for each cluster: whether it is lost (32)
 *	ROUND	the same: the CARDS of a round, as the first nodes got them; in
 *		several segments if need be
 *	PEERS	from it: its nodes' last cards, as in a launcher's PEERS frame;
 *		in several segments if need be. To it, before the first ROUND:
 *		those of the clusters that have joined before, if there are any
 *	MET	to it: all nodes of the cluster have connected to its nodes. No
 *		data
 *	JOIN	from it, to the host: all have; the number of its nodes (32)
 *	REFUSED	to it: it can't join, for the reason in the text
 */
#ifndef STN_LAUNCH_GATEWAY_TRUNK_H
#define STN_LAUNCH_GATEWAY_TRUNK_H

#include "transport/far/segment.h"

#define STN_TRUNK_VERSION 4
#define STN_NAME_BYTES 64 /* of a run or cluster, with its zero byte */
#define STN_TRUNK_HELLO_BYTES (8 + 2 * STN_NAME_BYTES)

enum stn_trunk_type {
	STN_TRUNK_HELLO = STN_SEGMENT_TYPES,
	STN_TRUNK_CHOSEN,
	STN_TRUNK_SIZE,
	STN_TRUNK_CARDS,
	STN_TRUNK_ARRIVED,
	STN_TRUNK_FAILED,
	STN_TRUNK_INTERRUPTED,
	STN_TRUNK_HEARTBEAT,
	STN_TRUNK_WATCHES,
	STN_TRUNK_SUSPECT,
	STN_TRUNK_GONE,
	STN_TRUNK_CUT,
	STN_TRUNK_VIEW,
	STN_TRUNK_KNOWN,
	STN_TRUNK_GIVE,
	STN_TRUNK_OVER,
	STN_TRUNK_LEAVING,
	STN_TRUNK_LEFT,
	STN_TRUNK_LATE,
	STN_TRUNK_WELCOME,
	STN_TRUNK_ROUND,
	STN_TRUNK_PEERS,
	STN_TRUNK_MET,
	STN_TRUNK_JOIN,
	STN_TRUNK_REFUSED
};

struct stn_trunk_hello {
	uint32_t version, clusters;
	char run[STN_NAME_BYTES], cluster[STN_NAME_BYTES];
};

/*
 * stn_name_good: is this a name for a run or cluster: 1 to 63 letters, digits,
 * dots, hyphens and underscores?
 */
bool stn_name_good(const char *name);

/* stn_trunk_hello_write: returns the number of bytes written. */
size_t stn_trunk_hello_write(unsigned char bytes[STN_TRUNK_HELLO_BYTES],
			     const struct stn_trunk_hello *hello);

/*
 * stn_trunk_hello_read: STN_MALFORMED if the @size bytes aren't exactly one
 * HELLO.
 */
STN_CHECKED enum stn_err stn_trunk_hello_read(const unsigned char *bytes,
					      size_t size,
					      struct stn_trunk_hello *hello);

/*
 * stn_trunk_number_write, stn_trunk_number_read: data that is one number. False
 * if there are not exactly 4 bytes.
 */
void stn_trunk_number_write(unsigned char bytes[4], uint32_t number);
bool stn_trunk_number_read(const unsigned char *bytes, size_t size,
			   uint32_t *number_p);

/* stn_trunk_size_write, stn_trunk_size_read: the data of a SIZE. */
void stn_trunk_size_write(unsigned char bytes[4], uint32_t size);
STN_CHECKED enum stn_err stn_trunk_size_read(const unsigned char *bytes,
					     size_t size, uint32_t *size_p);

#endif
