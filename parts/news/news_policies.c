#include <string.h>

#include "parts/news/news.h"

static const struct stn_news_policy *const policies[] = {
	&stn_news_central,	    &stn_news_lazy_central,
	&stn_news_eager_central,    &stn_news_distributed,
	&stn_news_lazy_distributed, &stn_news_eager_distributed,
	&stn_news_hearsay,
};

#define POLICIES (sizeof(policies) / sizeof(policies[0]))

const struct stn_news_policy *
stn_news_at(size_t number)
{
	return number < POLICIES ? policies[number] : NULL;
}

const struct stn_news_policy *
stn_news_find(const char *name)
{
	for (size_t i = 0; i < POLICIES; i++)
		if (!strcmp(policies[i]->name, name))
			return policies[i];
	return NULL;
}

void
stn_news_list(FILE *out)
{
	for (size_t i = 0; i < POLICIES; i++)
		fprintf(out, "  %-17s %s\n", policies[i]->name,
			policies[i]->help);
}
