#include "steal/victim.h"

#include <stdlib.h>

#include "node/dispatch.h"
#include "steal/buffers.h"
#include "steal/bundle.h"
#include "steal/loan.h"
#include "steal/steal.h"
#include "steal/wire.h"

/* A request for which a record is being looked for. */
struct wanted {
	struct stn_steal *steal;
	struct stn_parked *thief;
	bool choosy;  /* the balancer decides */
	struct stn_bundle *bundle; /* for further records, once one has been
				    * granted; else NULL */
};

/*
 * While orphans are unclaimed, bound thieves get no records that are run again,
 * but only these records claim orphans. So a thief that is not bound should
 * find them soon: a node refuses it every other record of the first run, and
 * the thief asks another node. Not over slow links, where a refusal costs more.
 */
static bool
is_withheld(struct stn_steal *steal, const struct stn_parked *thief,
	    const struct stn_record *record)
{
	return steal->unclaimed && !thief->bound &&
	       !(record->flags & STN_RECORD_REDONE) &&
	       !stn_node_is_wide(steal->node, thief->from) &&
	       stn_random_below(&steal->random, 2);
}

/* Does the balancer lend this record? */
static bool
may_lend(void *arg, const struct stn_task *task,
	 const struct stn_record *record, uint64_t since_ns)
{
	const struct wanted *wanted = arg;
	struct stn_steal *steal = wanted->steal;
	struct stn_loan loan = { .age_ns =
					 stn_node_now(steal->node) - since_ns };
	enum stn_verdict verdict;
	size_t inputs;

	if (wanted->thief->bound && record->flags & STN_RECORD_REDONE)
		return false;
	if (is_withheld(steal, wanted->thief, record))
		return false;
	if (!wanted->choosy && !wanted->bundle)
		return true;

	if (stn_buffers_measure(task, record, &loan.bytes, &inputs))
		return false; /* the size is invalid: no node could take it */
	if (wanted->bundle)
		return stn_bundle_fits(wanted->bundle,
				       stn_bundle_record_bytes(task, inputs)) &&
		       steal->deciding.balancer->bundles(wanted->thief, &loan);
	verdict = stn_decide_lends(steal, wanted->thief, &loan);
	if (verdict == STN_PROBE)
		wanted->thief->probe =
			true; /* even if others get another verdict */
	return verdict == STN_LEND;
}

static bool
job_suits(const struct stn_job *job, void *arg)
{
	return may_lend(arg, job->record.task, &job->record, job->came_ns);
}

/*
 * Takes a job that this node's workers do not need. A job is passed on before
 * own records are lent. The workers of this node come first, as they asked for
 * the job: otherwise two idle nodes that ask each other would send it to and
 * fro faster than a worker wakes up.
 */
static struct stn_job *
take_spare(struct stn_steal *steal, struct wanted *wanted)
{
	if (steal->inbox.waiting <= stn_steal_seeking(steal, NULL))
		return NULL;
	return wanted ? stn_inbox_take_if(steal, job_suits, wanted)
		      : stn_inbox_take(steal);
}

/* Does the balancer choose the records for a request from this node? */
static bool
is_choosy(const struct stn_steal *steal, uint32_t from)
{
	return steal->deciding.balancer->lends &&
	       stn_node_is_wide(steal->node, from);
}

/* How many records the request gets at most. */
static uint32_t
most_for(const struct stn_steal *steal, const struct stn_parked *thief)
{
	const struct stn_balancer *balancer = steal->deciding.balancer;
	const struct stn_loan small = { 0 };

	return balancer->bundle && !stn_node_is_wide(steal->node, thief->from) &&
			       balancer->bundles(thief, &small)
		       ? 1 + balancer->bundle
		       : 1;
}

/* At most @most records of the deques, and at most half of them. */
static void
add_records(struct stn_steal *steal, struct wanted *wanted, uint32_t most)
{
	const struct stn_loan_filter filter = { may_lend, wanted };
	uint32_t waiting = 0;

	for (uint32_t i = 0; i < steal->node->worker_count; i++)
		waiting += (uint32_t)stn_deque_length(&steal->owners[i].deque,
						      2 * most);
	if (most > waiting / 2)
		most = waiting / 2;
	for (; most; most--) {
		struct stn_record *record = stn_loan_take(steal, most, &filter);

		if (!record)
			return;
		stn_loan_add(wanted->bundle, wanted->thief->from, record);
	}
}

/*
 * At most @most jobs of the inbox, and at most half of those that this node's
 * workers do not need: a node that has got many records at once shares them
 * with the next thief.
 */
static void
add_jobs(struct stn_steal *steal, struct wanted *wanted, uint32_t most)
{
	uint32_t waiting = steal->inbox.waiting;
	uint32_t seeking = stn_steal_seeking(steal, NULL);
	uint32_t half = waiting > seeking ? (waiting - seeking) / 2 : 0;

	for (most = half < most ? half : most; most; most--) {
		struct stn_job *job =
			stn_inbox_take_if(steal, job_suits, wanted);

		if (!job)
			return;
		stn_loan_add_job(wanted->bundle, wanted->thief->from, job);
	}
}

/*
 * A thief that gets one record of a deep tree of short calls is soon back for
 * the next. So a balancer may let it have several at once. A thief with more
 * records than idle workers grants them to others.
 */
static void
send_further(struct stn_steal *steal, struct wanted *wanted,
	     void (*add)(struct stn_steal *, struct wanted *, uint32_t))
{
	uint32_t most = most_for(steal, wanted->thief) - 1;

	if (!most)
		return;
	wanted->bundle = stn_bundle_create(steal);
	add(steal, wanted, most);
	stn_loan_bundle(wanted->bundle, wanted->thief->from);
}

bool
stn_victim_grant(struct stn_steal *steal, struct stn_parked *thief)
{
	struct wanted wanted = { .steal = steal,
				 .thief = thief,
				 .choosy = is_choosy(steal, thief->from) };
	const struct stn_loan_filter filter = { may_lend, &wanted };
	bool choosy = wanted.choosy || thief->bound || steal->unclaimed;
	struct stn_job *job = take_spare(steal, choosy ? &wanted : NULL);
	struct stn_record *record;

	if (job) {
		stn_loan_relay(steal, thief->from, thief->number, job);
		send_further(steal, &wanted, add_jobs);
		return true;
	}
	record = stn_loan_take(steal, most_for(steal, thief),
			       choosy ? &filter : NULL);
	if (!record)
		return false;
	stn_loan_grant(steal, thief->from, thief->number, record);
	send_further(steal, &wanted, add_records);
	return true;
}

/* A refusal with a payload keeps its header in place until it has left. */
struct probing {
	struct stn_node *node;
	uint32_t to;
	struct stn_wire_refusal refusal;
};

/*
 * The thief may have died. If the fabric can't pin the payload, the thief gets
 * its refusal without one.
 */
static void
probe_left(void *arg, enum stn_err err)
{
	struct probing *probing = arg;

	if (err == STN_NO_MEMORY)
		stn_node_say(probing->node, probing->to, STN_REFUSE,
			     &probing->refusal, sizeof(probing->refusal));
	free(probing);
}

static void
refuse_with_probe(struct stn_steal *steal, uint32_t to,
		  const struct stn_wire_refusal *refusal)
{
	static char probe[STN_PROBE_BYTES]; /* stays zero */
	const struct iovec piece = { probe, sizeof(probe) };
	struct probing *probing = malloc(sizeof(*probing));

	if (!probing)
		stn_node_fail(steal->node, "out of memory");
	*probing = (struct probing){ steal->node, to, *refusal };
	stn_node_send(steal->node, to, STN_REFUSE, &probing->refusal,
		      sizeof(probing->refusal), &piece, 1, probe_left, probing);
}

void
stn_victim_refuse(struct stn_steal *steal, const struct stn_parked *thief)
{
	const struct stn_wire_refusal refusal = { thief->number };

	if (thief->probe)
		refuse_with_probe(steal, thief->from, &refusal);
	else
		stn_node_say(steal->node, thief->from, STN_REFUSE, &refusal,
			     sizeof(refusal));
}
