/*
 * hector.h: Hector, which moves work away from hosts that others use, and its
 * combination with fractiling, Hectiling. A service of the node, after Russ,
 * Reece, Robinson, Meyers, Rajagopalan and Tan, "An agent-based architecture
 * for dynamic resource management", IEEE Concurrency 7 (2), 1999, and Banicescu
 * and others, as in schedulers/fractiling.c, here "the paper".
 *
 * Each node has a slave allocator. It finds out how much of its cores the
 * node's workers get, and reports that and more to the master allocator, which
 * is on the root. If a node loses too much, the master allocator tells it to
 * move its resident set (parts/seats.h) to a spare node, which has none.
 *
 * With Hectiling, requests for the fractiling master go to the master
 * allocator, which passes them on. The files; each uses only those above it:
 *
 *	wire	  the messages
 *	share	  how much of its cores a node gets
 *	desk	  messages that are dealt with one after the other
 *	hosts	  what the master allocator knows, and which set is to move
 *	resident  a resident set leaves this node, or comes
 *	slave	  the slave allocator
 *	master	  the master allocator
 *	service	  the table of the service
 *
 * All state is under the net lock.
 */
#ifndef STN_PARTS_HECTOR_HECTOR_H
#define STN_PARTS_HECTOR_HECTOR_H

#include "node/node.h"
#include "parts/hector/counts.h"
#include "parts/hector/desk.h"
#include "parts/hector/hosts.h"
#include "parts/hector/share.h"
#include "parts/hector/wire.h"
#include "parts/parts.h"

#define STN_WORD_BYTES 8 /* of a setting that is a word */

/* The settings, as in the table of service.c. */
struct stn_hector_settings {
	char hector[STN_WORD_BYTES], hectiling[STN_WORD_BYTES];
	char links[STN_WORD_BYTES];
	uint64_t spares, period_ns, keeps, service_ns;
};

/* A resident set that leaves this node. */
struct stn_leaving_set {
	uint32_t set; /* or STN_NOBODY */
	uint32_t to;
	uint64_t begin_ns, bytes;
};

/* A request that waits because the fractiling master has not registered. */
struct stn_held_request {
	STAILQ_ENTRY(stn_held_request) link;
	struct stn_parts_ask ask;
};
STAILQ_HEAD(stn_held_requests, stn_held_request);

struct stn_hector {
	struct stn_node *node;
	struct stn_parts_service *parts;
	const struct stn_hector_settings *settings;
	bool through; /* requests go to the master allocator, */
	bool inside;  /* which has the fractiling master in it */
	bool closed;  /* the run is over: nothing is sent any more */
	bool lost;    /* a view has taken nodes out; its notices are to come */
	bool joins;   /* this node has joined, and does not know the arrays */
	struct stn_hector_counts counts;

	/* The slave allocator. */
	struct stn_share share;
	uint64_t report_ns; /* when the next report is due; 0: at once */
	uint32_t reports;   /* so far */
	uint32_t left_out;  /* since the last, because they said the same */
	struct stn_hector_report reported; /* the last */
	struct stn_hector_migrate ordered; /* a set that is to leave soon */
	struct stn_leaving_set leaving;
	uint32_t expected; /* states of arrays of a set that comes */
	bool registered;   /* the fractiling master is here, and has said so */

	/* The master allocator, on the root. */
	struct stn_desk desk;
	struct stn_hosts hosts;
	uint32_t fractiling; /* node of the fractiling master, or STN_NOBODY */
	struct stn_held_requests held;
};

extern const struct stn_service stn_hector_service;

#endif
