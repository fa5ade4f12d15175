/*
 * model.h: the nodes of Bustos, Caromel, Leyton and Piquer ("Load information
 * sharing policies in communication-intensive parallel applications"): their
 * load is a population process, and a news policy balances it.
 *
 * Once a second, jobs arrive at a node: a Poisson number with the mean 1 + i
 * mod 10 on node i, each of a size that is exponential with the mean 1. Then
 * the node serves 10. A load below 10 is underloaded; from 15 on it is
 * overloaded. After 60 seconds the node begins anew without load.
 *
 * A node's load changes once a second, at a time of its own, chosen at random.
 * Just after that, a period of its policy ends; if `apart`, at another time of
 * its own.
 */
#ifndef BENCH_NEWS_MODEL_H
#define BENCH_NEWS_MODEL_H

#include "parts/news/news.h"

#define MODEL_SECOND_NS 1000000000ull
#define MODEL_ROUND 60 /* seconds */

struct model_node;

/* Where the model sends its messages. */
typedef void model_send(void *arg, struct model_node *from, uint32_t to,
			uint8_t kind, const void *header, size_t bytes);

/* What all nodes have in common, and what happened on them. */
struct model {
	const struct stn_news_policy *policy;
	uint32_t count; /* of nodes with load; the server has this number */
	uint64_t seed;
	bool shared; /* nodes of one rate have the same arrivals, always */
	bool apart;  /* periods end between changes of the load */
	model_send *send;
	void *arg;

	/* Sums over the nodes that this model has. */
	uint64_t entered; /* times that a node became overloaded, */
	uint64_t reached; /* nodes and rounds in which it did */
	uint64_t left;	  /* and of these, those that ended without balancing */
	uint64_t balanced;     /* loads that moved */
	uint64_t over_ns;      /* overloaded time */
	uint64_t over_seconds; /* seconds after whose service a node was */
	uint64_t sent[STN_NEWS_KINDS];

	/* Optional: a node balances, @ns after it became overloaded. */
	void (*responded)(void *arg, uint64_t ns);
};

struct model_node {
	struct model *model;
	struct stn_news news;
	double load;
	struct stn_random arrivals;
	uint64_t now_ns;   /* of the current call */
	uint64_t step_ns;  /* when the load changes next */
	uint64_t tick_ns;  /* when the policy's period ends */
	uint64_t since_ns; /* since when it is overloaded */
	bool begun;	   /* its policy has */
	bool waiting;	   /* it is overloaded, and has not balanced yet */
	uint32_t second;   /* of the round */
	bool reached;	   /* it was overloaded in this round */
};

/*
 * model_node_init: node @number; the server if that is the model's count. The
 * times are counted from @now_ns. STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err model_node_init(struct model_node *node,
					 struct model *model, uint32_t number,
					 uint64_t now_ns);
void model_node_fini(struct model_node *node);

/*
 * model_node_look: changes the node's load, and lets its policy act, if it is
 * time for that. Returns when to call it again; STN_FOREVER for the server.
 * model_node_take: a message for this node has arrived. STN_MALFORMED.
 * model_node_end: the node counts its overloaded time up to now.
 */
uint64_t model_node_look(struct model_node *node, uint64_t now_ns);
STN_CHECKED enum stn_err model_node_take(struct model_node *node,
					 const struct stn_news_wire *wire,
					 uint64_t now_ns);
void model_node_end(struct model_node *node, uint64_t now_ns);

#endif
