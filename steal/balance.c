#include "steal/balance.h"

#include <string.h>

static const struct stn_balancer *const balancers[] = {
	&stn_balancer_rs,
	&stn_balancer_crs,
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

void
stn_balancer_nothing(void *state, const struct stn_ask *ask, uint64_t now)
{
	(void)state;
	(void)ask;
	(void)now;
}
