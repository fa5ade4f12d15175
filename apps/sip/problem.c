#include "apps/sip/problem.h"

#include <stdlib.h>
#include <string.h>

/* A vertex, its degree, and where the degrees of its neighbours begin. */
struct ranked {
	int vertex, degree;
	size_t first;
};

/* The vertices of a graph in the order of their degrees, the highest first. */
struct ranks {
	struct ranked *vertex;
	int *degrees; /* of neighbours, the highest first */
};

static int
degree_of(const struct sip_graph *graph, int vertex)
{
	int degree = 0;

	for (int i = 0; i < graph->vertices; i++)
		degree += sip_graph_has(graph, vertex, i);
	return degree;
}

static int
compare_ranks(const void *a_ranked, const void *b_ranked)
{
	const struct ranked *a = a_ranked, *b = b_ranked;

	/* qsort() isn't stable, so equal degrees need an order, too. */
	return a->degree != b->degree ? b->degree - a->degree
				      : a->vertex - b->vertex;
}

static bool
rank(const struct sip_graph *graph, struct ranks *to)
{
	size_t edges = 0;

	to->vertex = calloc((size_t)graph->vertices, sizeof(*to->vertex));
	to->degrees = NULL;
	if (!to->vertex)
		return false;
	for (int i = 0; i < graph->vertices; i++) {
		to->vertex[i] =
			(struct ranked){ i, degree_of(graph, i), edges };
		edges += (size_t)to->vertex[i].degree;
	}
	to->degrees = calloc(edges + 1, sizeof(*to->degrees));
	qsort(to->vertex, (size_t)graph->vertices, sizeof(*to->vertex),
	      compare_ranks);
	return to->degrees != NULL;
}

/* Vertices come by degree, so the degrees of neighbours come in order. */
static void
rank_neighbours(const struct sip_graph *graph, struct ranks *ranks)
{
	for (int i = 0; i < graph->vertices; i++) {
		int *degree = ranks->degrees + ranks->vertex[i].first;

		for (int j = 0; j < graph->vertices; j++)
			if (sip_graph_has(graph, ranks->vertex[i].vertex,
					  ranks->vertex[j].vertex))
				*degree++ = ranks->vertex[j].degree;
	}
}

static void
unrank(struct ranks *ranks)
{
	free(ranks->vertex);
	free(ranks->degrees);
}

/* Whether rank @a of the pattern may be mapped to rank @b of the target. */
static bool
suits(const struct sip_problem *p, const struct ranks *pattern, int a,
      const struct ranks *target, int b)
{
	const struct ranked *from = &pattern->vertex[a],
			    *to = &target->vertex[b];
	bool loop = sip_pattern_has(p, from->vertex, from->vertex);
	bool loop_there = sip_row(p, b)[b / 64] >> b % 64 & 1;

	if (to->degree < from->degree || (loop && !loop_there) ||
	    (p->induced &&
	     (loop != loop_there ||
	      p->target - to->degree < p->pattern - from->degree)))
		return false;
	for (int i = 0; i < from->degree; i++)
		if (target->degrees[to->first + (size_t)i] <
		    pattern->degrees[from->first + (size_t)i])
			return false;
	return true;
}

static void
fill_target(struct sip_problem *p, const struct sip_graph *target,
	    const struct ranks *ranks)
{
	uint64_t *rows = p->bits + (sip_row(p, 0) - p->bits);
	uint64_t *numbers =
		rows + (size_t)(p->target + p->pattern) * (size_t)p->words;

	for (int a = 0; a < p->target; a++) {
		for (int b = 0; b < p->target; b++)
			if (sip_graph_has(target, ranks->vertex[a].vertex,
					  ranks->vertex[b].vertex))
				rows[a * p->words + b / 64] |= 1ull << b % 64;
		numbers[a / 4] |= (uint64_t)ranks->vertex[a].vertex
				  << a % 4 * 16;
	}
}

static void
fill_domains(struct sip_problem *p, const struct ranks *pattern,
	     const struct ranks *target)
{
	uint64_t *domains = p->bits + (sip_first_domains(p) - p->bits);

	for (int a = 0; a < p->pattern; a++)
		for (int b = 0; b < p->target; b++)
			if (suits(p, pattern, a, target, b))
				domains[pattern->vertex[a].vertex * p->words +
					b / 64] |= 1ull << b % 64;
}

static struct sip_problem *
make_empty(const struct sip_graph *pattern, const struct sip_graph *target,
	   bool induced)
{
	const struct sip_problem sizes = { .pattern = pattern->vertices,
					   .target = target->vertices,
					   .words = target->words,
					   .induced = induced,
					   .pattern_words = pattern->words };
	struct sip_problem *p = calloc(1, sip_problem_bytes(&sizes));

	if (p)
		memcpy(p, &sizes, sizeof(sizes));
	return p;
}

struct sip_problem *
sip_problem_make(const struct sip_graph *pattern,
		 const struct sip_graph *target, bool induced)
{
	struct sip_problem *p = make_empty(pattern, target, induced);
	struct ranks from = { 0 }, to = { 0 };

	if (p && rank(pattern, &from) && rank(target, &to)) {
		rank_neighbours(pattern, &from);
		rank_neighbours(target, &to);
		memcpy(p->bits, pattern->rows,
		       (size_t)p->pattern * (size_t)p->pattern_words *
			       sizeof(*p->bits));
		fill_target(p, target, &to);
		fill_domains(p, &from, &to);
	} else {
		free(p);
		p = NULL;
	}
	unrank(&from);
	unrank(&to);
	return p;
}
