/*
 * problem.h: a subgraph isomorphism problem: map the vertices of a pattern to
 * different vertices of a target, so that edges are mapped to edges; and if the
 * subgraph is to be induced, non-edges to non-edges.
 */
#ifndef SIP_PROBLEM_H
#define SIP_PROBLEM_H

#include "apps/sip/graph.h"

#define SIP_PATTERN_MOST 1024

/*
 * A problem in one piece, without pointers, so that it can be sent to other
 * nodes. The vertices of the target have new numbers: those with a high degree
 * come first, as in the search. A domain is a set of vertices of the target, a
 * bit each, to which a vertex of the pattern may be mapped.
 */
struct sip_problem {
	int32_t pattern, target; /* numbers of vertices */
	int32_t words;		 /* of a domain, and of a row of the target */
	int32_t induced;
	int32_t pattern_words; /* of a row of the pattern */
	int32_t unused;
	uint64_t bits[]; /* the rows of the pattern, the rows of the target,
			  * the domains, and the old numbers of the target's
			  * vertices, 16 bits each */
};

/* sip_problem_bytes: the size of a problem. */
static inline size_t
sip_problem_words(const struct sip_problem *p)
{
	return (size_t)p->pattern * (size_t)p->pattern_words +
	       (size_t)(p->target + p->pattern) * (size_t)p->words +
	       (size_t)(p->target + 3) / 4;
}
static inline size_t
sip_problem_bytes(const struct sip_problem *p)
{
	return sizeof(*p) + sip_problem_words(p) * sizeof(uint64_t);
}

/* sip_row: the row of a vertex of the target. */
static inline const uint64_t *
sip_row(const struct sip_problem *p, int vertex)
{
	return p->bits + (size_t)p->pattern * (size_t)p->pattern_words +
	       (size_t)vertex * (size_t)p->words;
}

/* sip_first_domains: the domains before the search, of all vertices. */
static inline const uint64_t *
sip_first_domains(const struct sip_problem *p)
{
	return sip_row(p, p->target);
}

/* sip_old_number: the number of a vertex of the target in its file. */
static inline int
sip_old_number(const struct sip_problem *p, int vertex)
{
	const uint64_t *numbers = sip_row(p, p->target + p->pattern);

	return (int)(numbers[vertex / 4] >> vertex % 4 * 16 & 0xffff);
}

/* sip_pattern_has: whether the pattern has an edge between @a and @b. */
static inline bool
sip_pattern_has(const struct sip_problem *p, int a, int b)
{
	return p->bits[(size_t)a * (size_t)p->pattern_words + (size_t)b / 64] >>
		       b % 64 &
	       1;
}

/*
 * sip_problem_make: makes the problem. A domain has the vertices whose degree
 * is high enough, and whose neighbours' degrees, in order, are high enough. The
 * pattern has at most SIP_PATTERN_MOST vertices. Returns memory that the caller
 * frees; NULL: out of memory.
 */
struct sip_problem *sip_problem_make(const struct sip_graph *pattern,
				     const struct sip_graph *target,
				     bool induced);

#endif
