#include "steal/join/plan_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "steal/join/card.h"

struct stn_plan
stn_plan_alone(uint32_t nodes, uint32_t rank)
{
	return (struct stn_plan){ .hosts = 1, .mates = nodes, .index = rank };
}

void
stn_plan_say(const struct stn_plan *plan)
{
	if (*plan->line)
		fprintf(stderr, "sateen: %s\n", plan->line);
}

void
stn_plan_fini(struct stn_plan *plan)
{
	free(plan->cores);
	plan->cores = NULL;
}

static enum stn_err
no_memory(struct stn_why *why)
{
	return stn_because(why, STN_NO_MEMORY, "out of memory");
}

/* Shows our survey; the cards are everybody's. */
static enum stn_err
show(struct plan_run *run, struct stn_why *why)
{
	struct stn_survey survey;
	unsigned char *card;
	enum stn_err err;
	size_t size;

	stn_survey_take(&survey);
	card = stn_survey_write(&survey, STN_WIRE_VERSION, &size);
	if (!card)
		return no_memory(why);
	err = stn_wireup_exchange(run->wireup, run->rank, card, size,
				  run->cards, why);
	free(card);
	return err;
}

static enum stn_err
read_all(struct plan_run *run, struct stn_why *why)
{
	enum stn_err err = STN_OK;

	for (uint32_t i = 0; i < run->nodes && !err; i++)
		err = stn_survey_read(&run->cards[i], i, STN_WIRE_VERSION,
				      &run->surveys[i], why);
	return err;
}

static bool
mates(const struct plan_run *run, uint32_t a, uint32_t b)
{
	return a == b || stn_identity_same_host(run->surveys[a].identity,
						run->surveys[b].identity);
}

/* Containers are on one host, but don't see each other's processes. */
static bool
share(const struct plan_run *run, uint32_t a, uint32_t b)
{
	return stn_identity_neighbours(run->surveys[a].identity,
				       run->surveys[b].identity);
}

/*
 * Numbers the hosts in order of their first nodes: who has none before on its
 * host begins a new one. A host that isn't known is one of its own.
 */
static enum stn_err
count_hosts(struct plan_run *run, uint32_t *hosts_p, struct stn_why *why)
{
	uint32_t *first = calloc(run->nodes, sizeof(first[0])), hosts = 0;

	if (!first)
		return no_memory(why);
	for (uint32_t i = 0; i < run->nodes; i++) {
		uint32_t at = 0;

		while (at < hosts && !mates(run, first[at], i))
			at++;
		run->apart =
			run->apart || (at < hosts && !share(run, first[at], i));
		if (at == hosts)
			first[hosts++] = i;
		run->hosts[i] = at;
	}
	free(first);
	*hosts_p = hosts;
	return STN_OK;
}

static enum stn_err
find_mates(const struct plan_run *run, struct stn_plan *plan,
	   struct stn_why *why)
{
	uint32_t here = run->hosts[run->rank], count = 0;

	for (uint32_t i = 0; i < run->nodes; i++)
		plan->mates += run->hosts[i] == here;
	plan->cores = calloc(plan->mates, sizeof(plan->cores[0]));
	if (!plan->cores)
		return no_memory(why);
	for (uint32_t i = 0; i < run->nodes; i++) {
		if (run->hosts[i] != here)
			continue;
		if (i == run->rank)
			plan->index = count;
		plan->cores[count++] = run->surveys[i].cores;
	}
	return STN_OK;
}

static enum stn_err
make(struct plan_run *run, struct stn_plan *plan, struct stn_why *why)
{
	enum stn_err err = show(run, why);

	if (!err)
		err = read_all(run, why);
	if (err)
		return err;
	err = count_hosts(run, &plan->hosts, why);
	if (!err)
		err = find_mates(run, plan, why);
	if (!err)
		err = plan_transport(run, plan, why);
	return err;
}

enum stn_err
stn_plan_make(struct stn_wireup *wireup, const struct stn_topology *topology,
	      uint32_t rank, struct stn_config *config, struct stn_plan *plan,
	      struct stn_why *why)
{
	uint32_t nodes = topology->nodes;
	struct plan_run run;
	enum stn_err err;

	*plan = stn_plan_alone(nodes, rank);
	if (!strcmp(stn_config_transport(config), "loop"))
		return STN_OK;
	memset(plan, 0, sizeof(*plan));
	run = (struct plan_run){
		.wireup = wireup,
		.topology = topology,
		.nodes = nodes,
		.rank = rank,
		.config = config,
		.cards = calloc(nodes, sizeof(struct stn_card)),
		.surveys = calloc(nodes, sizeof(struct stn_survey)),
		.hosts = calloc(nodes, sizeof(uint32_t)),
	};
	err = run.cards && run.surveys && run.hosts ? make(&run, plan, why)
						    : no_memory(why);
	free(run.hosts);
	free(run.surveys);
	free(run.cards);
	return err;
}
