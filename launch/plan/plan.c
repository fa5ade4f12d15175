#include "launch/plan/plan_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/card.h"
#include "launch/plan/plan_fuse.h"
#include "node/processor.h"

void
stn_plan_print(const struct stn_plan *plan)
{
	if (*plan->text)
		fprintf(stderr, "sateen: %s\n", plan->text);
}

void
stn_plan_fini(struct stn_plan *plan)
{
	free(plan->cores);
	plan->cores = NULL;
}

static enum stn_err
plan_no_memory(struct stn_why *why)
{
	return stn_because(why, STN_NO_MEMORY, "out of memory");
}

/* Shows this node's survey. run->cards then has all nodes' cards. */
static enum stn_err
exchange_surveys(struct plan_run *run, struct stn_why *why)
{
	struct stn_survey survey;
	unsigned char *card;
	enum stn_err err;
	size_t size;

	stn_survey_take(&survey);
	survey.fuses = stn_processor_fuses(run->config);
	card = stn_survey_write(&survey, STN_WIRE_VERSION, &size);
	if (!card)
		return plan_no_memory(why);
	err = stn_wireup_exchange(run->wireup, run->rank, card, size,
				  run->cards, why);
	free(card);
	return err;
}

static enum stn_err
read_surveys(struct plan_run *run, struct stn_why *why)
{
	enum stn_err err = STN_OK;

	for (uint32_t i = 0; i < run->nodes && !err; i++)
		err = stn_survey_read(&run->cards[i], i, STN_WIRE_VERSION,
				      &run->surveys[i], why);
	return err;
}

static bool
is_on_same_host(const struct plan_run *run, uint32_t a, uint32_t b)
{
	return a == b || stn_identity_same_host(run->surveys[a].identity,
						run->surveys[b].identity);
}

/*
 * False for nodes in different containers of one host, which don't see each
 * other's processes.
 */
static bool
can_share_memory(const struct plan_run *run, uint32_t a, uint32_t b)
{
	return stn_identity_same_namespace(run->surveys[a].identity,
					   run->surveys[b].identity);
}

/*
 * Numbers the hosts in order of their first nodes. A node begins a new host if
 * no node before it is on the same host. A node whose host is unknown has a
 * host of its own.
 */
static enum stn_err
count_hosts(struct plan_run *run, uint32_t *hosts_p, struct stn_why *why)
{
	uint32_t *first = calloc(run->nodes, sizeof(first[0])), hosts = 0;

	if (!first)
		return plan_no_memory(why);
	for (uint32_t i = 0; i < run->nodes; i++) {
		uint32_t at = 0;

		while (at < hosts && !is_on_same_host(run, first[at], i))
			at++;
		run->isolated =
			run->isolated ||
			(at < hosts && !can_share_memory(run, first[at], i));
		if (at == hosts)
			first[hosts++] = i;
		run->hosts[i] = at;
	}
	free(first);
	*hosts_p = hosts;
	return STN_OK;
}

static enum stn_err
find_local_nodes(const struct plan_run *run, struct stn_plan *plan,
		 struct stn_why *why)
{
	uint32_t here = run->hosts[run->rank], count = 0;

	for (uint32_t i = 0; i < run->nodes; i++)
		plan->local_nodes += run->hosts[i] == here;
	plan->cores = calloc(plan->local_nodes, sizeof(plan->cores[0]));
	if (!plan->cores)
		return plan_no_memory(why);
	for (uint32_t i = 0; i < run->nodes; i++) {
		if (run->hosts[i] != here)
			continue;
		if (i == run->rank)
			plan->local_rank = count;
		plan->cores[count++] = run->surveys[i].cores;
	}
	return STN_OK;
}

static enum stn_err
plan_in_rounds(struct plan_run *run, uint32_t rank, struct stn_plan *plan,
	       struct stn_why *why)
{
	enum stn_err err = exchange_surveys(run, why);

	if (!err)
		err = read_surveys(run, why);
	if (!err)
		err = plan_fuse(run, rank, why);
	if (err)
		return err;
	err = count_hosts(run, &plan->hosts, why);
	if (!err)
		err = find_local_nodes(run, plan, why);
	if (!err)
		err = plan_transport(run, plan, why);
	return err;
}

enum stn_err
stn_plan_make(struct stn_wireup *wireup, const struct stn_topology *topology,
	      uint32_t rank, struct stn_config *config, struct stn_plan *plan,
	      struct stn_why *why)
{
	uint32_t nodes = stn_wireup_nodes(wireup);
	struct plan_run run;
	enum stn_err err;

	*plan = (struct stn_plan){ .hosts = 1,
				   .local_nodes = nodes,
				   .local_rank = rank };
	if (!strcmp(stn_config_transport(config), "loop"))
		return STN_OK;
	memset(plan, 0, sizeof(*plan));
	run = (struct plan_run){
		.wireup = wireup,
		.topology = topology,
		.nodes = nodes,
		.rank = stn_wireup_number(wireup, rank),
		.config = config,
		.cards = calloc(nodes, sizeof(struct stn_card)),
		.surveys = calloc(nodes, sizeof(struct stn_survey)),
		.hosts = calloc(nodes, sizeof(uint32_t)),
	};
	err = run.cards && run.surveys && run.hosts
		      ? plan_in_rounds(&run, rank, plan, why)
		      : plan_no_memory(why);
	free(run.hosts);
	free(run.surveys);
	free(run.cards);
	return err;
}
