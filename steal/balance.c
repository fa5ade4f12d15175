#include "steal/balance.h"

#include <string.h>

static const struct stn_balancer *const balancers[] = {
	&stn_balancer_rs,  &stn_balancer_rp,  &stn_balancer_chs,
	&stn_balancer_cls, &stn_balancer_crs, &stn_balancer_lrs,
};

#define BALANCERS (sizeof(balancers) / sizeof(balancers[0]))

const struct stn_balancer *
stn_balancer_find(const char *name)
{
	for (size_t i = 0; i < BALANCERS; i++)
		if (!strcmp(balancers[i]->name, name))
			return balancers[i];
	return NULL;
}

void
stn_balancer_list(FILE *out)
{
	for (size_t i = 0; i < BALANCERS; i++)
		fprintf(out, "  %-8s %s\n", balancers[i]->name,
			balancers[i]->help);
}

struct stn_moves
stn_moves_none(void)
{
	return (struct stn_moves){ .push_to = STN_NOBODY, .tell = STN_NOBODY };
}

void
stn_moves_ask(struct stn_moves *moves, uint32_t victim, bool asynchronous)
{
	moves->asks[moves->ask_count++] =
		(struct stn_ask){ .victim = victim,
				  .asynchronous = asynchronous };
}

/* A random one of @size nodes from @first on, other than this one. */
static uint32_t
choose(const struct stn_view *view, uint32_t first, uint32_t size)
{
	bool mine = view->rank >= first && view->rank < first + size;
	uint32_t choice;

	choice = first + stn_random_below(view->random, size - mine);
	return choice + (mine && choice >= view->rank);
}

uint32_t
stn_choose_other(const struct stn_view *view)
{
	return choose(view, 0, view->topology->nodes);
}

uint32_t
stn_choose_member(const struct stn_view *view, uint32_t cluster)
{
	return choose(view, stn_cluster_first(view->topology, cluster),
		      stn_cluster_size(view->topology, cluster));
}

uint32_t
stn_choose_remote(const struct stn_view *view)
{
	uint32_t mine = stn_cluster_of(view->topology, view->rank);
	uint32_t cluster;

	cluster = stn_random_below(view->random, view->topology->clusters - 1);
	return stn_choose_member(view, cluster + (cluster >= mine));
}

bool
stn_granted_here(void *state, const struct stn_view *view,
		 const struct stn_ask *ask)
{
	(void)state;
	(void)view;
	(void)ask;
	return true;
}

bool
stn_refused_in_vain(void *state, const struct stn_view *view,
		    const struct stn_ask *ask, bool cancelled)
{
	(void)state;
	(void)view;
	(void)ask;
	(void)cancelled;
	return false;
}
