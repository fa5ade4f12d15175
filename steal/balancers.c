#include "steal/balancers.h"

#include <string.h>

static const struct stn_balancer *const balancers[] = {
	&stn_balancer_rs,  &stn_balancer_rp,  &stn_balancer_chs,
	&stn_balancer_cls, &stn_balancer_crs, &stn_balancer_lrs,
};

#define BALANCERS (sizeof(balancers) / sizeof(balancers[0]))

const struct stn_balancer *
stn_balancer_at(size_t number)
{
	return number < BALANCERS ? balancers[number] : NULL;
}

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
