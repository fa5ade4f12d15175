/*
 * thief.c: node 1 of `steal`. It runs no Sateen program. It sends requests as a
 * node does, returns results as if it had run the records, and reads the clock.
 * It answers node 0's request only at the end.
 */
#include <string.h>

#include "bench/steal/steal.h"
#include "bench/steal/wake.h"
#include "bench/ticks.h"
#include "launch/join.h"
#include "launch/meet.h"
#include "launch/plan/plan.h"
#include "launch/services.h"
#include "node/stats/report.h"
#include "node/stats/tally.h"
#include "steal/wire.h"

enum { COMPUTES, AWAKE, ASLEEP, STATES };

static const char *const state_names[STATES] = {
	"steal, computes",
	"steal, awake",
	"steal, asleep",
};

struct thief {
	const struct steal_options *options;
	struct stn_table table;
	const struct stn_joined *joined;
	struct stn_config config; /* the run's, completed by the plan */
	struct stn_plan plan;
	struct stn_transport *transport;
	struct wake wake;
	uint32_t number; /* of this node's last request */
	uint32_t asked;	 /* number of node 0's request, answered at the end */
	bool answered, granted, over;
	struct stn_wire_result home; /* of the last record */
	int32_t mode, result;	     /* its argument; the result sent back */
	bool left;		     /* the last payload was sent completely */
	struct sample steals[STATES], bells[STATES], tcps[STATES];
};

static void
grant(struct thief *thief, const struct stn_wire *wire)
{
	thief->granted = true;
	thief->home = (struct stn_wire_result){ wire->record.slot,
						wire->record.epoch };
	memcpy(&thief->mode, wire->record.arguments, sizeof(thief->mode));
}

static void
handle(void *arg, const struct stn_message *message)
{
	struct thief *thief = arg;
	struct stn_wire wire;

	if (message->kind == STN_EXIT) {
		thief->over = true;
		return;
	}
	if (stn_wire_parse(message, &thief->table, &wire)) {
		stn_wireup_abort(thief->joined->wireup,
				 "node 0 sent a malformed message");
		exit(EXIT_FAILURE);
	}
	if (wire.kind == STN_REQUEST)
		thief->asked = wire.request.number;
	if (wire.kind == STN_GRANT)
		grant(thief, &wire);
	if (wire.kind == STN_GRANT || wire.kind == STN_REFUSE)
		thief->answered = true;
}

/* Sends a request. Returns nanoseconds until its answer or the run's end. */
static uint64_t
ask(struct thief *thief)
{
	struct stn_wire_request request = { ++thief->number, 0 };
	uint64_t begin = ticks_clock_ns();

	thief->answered = thief->granted = false;
	stn_transport_send(thief->transport, 0, STN_REQUEST, &request,
			   sizeof(request), NULL, 0, NULL, NULL);
	while (!thief->answered && !thief->over)
		stn_transport_progress(thief->transport);
	return ticks_clock_ns() - begin;
}

static void
left(void *arg, enum stn_err err)
{
	(void)err; /* the run ends if node 0 dies */
	*(bool *)arg = true;
}

static void
send_payload(struct thief *thief, uint8_t kind, const void *header,
	     size_t header_bytes, void *payload, size_t bytes)
{
	struct iovec piece = { payload, bytes };

	thief->left = false;
	stn_transport_send(thief->transport, 0, kind, header, header_bytes,
			   &piece, 1, left, &thief->left);
	while (!thief->left)
		stn_transport_progress(thief->transport);
}

static void
give_back(struct thief *thief, int32_t result)
{
	thief->result = result;
	send_payload(thief, STN_RESULT, &thief->home, sizeof(thief->home),
		     &thief->result, sizeof(thief->result));
}

/* Pauses for a varying time, so that samples don't fall into a rhythm. */
static void
pause_a_while(const struct thief *thief)
{
	uint64_t gap_ns = (uint64_t)thief->options->gap_us * 1000;

	steal_compute(gap_ns / 2 + ticks_now() % (gap_ns + 1));
}

static void
measure_wakes(struct thief *thief, int state)
{
	if (!thief->wake.page)
		return;
	pause_a_while(thief);
	sample_add(&thief->bells[state], (double)wake_by_bell(&thief->wake));
	pause_a_while(thief);
	sample_add(&thief->tcps[state], (double)wake_by_tcp(&thief->wake));
}

static bool
enough(const struct thief *thief, int state)
{
	return thief->steals[state].count >= (size_t)thief->options->rounds;
}

/*
 * Measures how soon the victim, which has no records, refuses. Stops at
 * @until_ns or when there are enough samples.
 */
static void
measure_refusals(struct thief *thief, int state, uint64_t until_ns)
{
	while (!enough(thief, state) && ticks_clock_ns() < until_ns) {
		uint64_t took;

		pause_a_while(thief);
		took = ask(thief);
		if (thief->over)
			return;
		sample_add(&thief->steals[state], (double)took);
		if (state != AWAKE)
			measure_wakes(thief, state);
	}
}

/* Keeps the call that the victim waits for; it polls first and then sleeps. */
static void
keep_waiting(struct thief *thief)
{
	struct stn_wire_result home = thief->home;
	uint64_t begin = ticks_clock_ns();
	uint64_t spin_ns = thief->joined->config->spin_ns;

	measure_refusals(thief, AWAKE, begin + spin_ns / 2);
	steal_compute(begin + spin_ns * 5 / 4 - ticks_clock_ns());
	measure_refusals(thief, ASLEEP, STN_FOREVER);
	thief->home = home;
	give_back(thief, 1);
}

static void
steal(struct thief *thief)
{
	while (!thief->over) {
		uint64_t took;

		pause_a_while(thief);
		took = ask(thief);
		if (!thief->granted)
			continue;
		if (thief->mode == VICTIM_WAITS) {
			keep_waiting(thief);
			continue;
		}
		if (!enough(thief, COMPUTES))
			sample_add(&thief->steals[COMPUTES], (double)took);
		give_back(thief, enough(thief, COMPUTES));
		if (!enough(thief, COMPUTES))
			measure_wakes(thief, COMPUTES);
	}
}

static bool
print(struct thief *thief, struct report *report, struct app_why *why)
{
	report_headline(report, "From a steal request to its answer");
	for (int i = 0; i < STATES; i++) {
		struct sample *steals = &thief->steals[i];

		if (!steals->count)
			continue; /* with --spin 0s no thief is awake */
		steal_row(report, state_names[i], "sateen", steals);
		report_note(report, "%s: %.0f us at worst, of %zu",
			    state_names[i], sample_at(steals, 100) / 1e3,
			    steals->count);
		if (!thief->bells[i].count)
			continue;
		steal_row(report, state_names[i], "eventfd, epoll",
			  &thief->bells[i]);
		steal_row(report, state_names[i], "tcp, epoll",
			  &thief->tcps[i]);
	}
	return report_close(report, why);
}

static enum stn_err
meet(struct thief *thief, struct stn_why *why)
{
	const struct stn_joined *joined = thief->joined;
	struct stn_opening opening;
	enum stn_err err;

	thief->config = *joined->config;
	err = stn_plan_make(joined->wireup, joined->topology, joined->rank,
			    &thief->config, &thief->plan, why);
	if (err)
		return err;
	opening = stn_meet_opening(&thief->config, joined->topology,
				   joined->rank);
	opening.handler = handle;
	opening.arg = thief;
	err = stn_meet_open(&thief->config, thief->plan.local_rank, NULL,
			    &opening, &thief->transport, why);
	if (err)
		return err;
	return stn_meet(joined->wireup, joined->rank,
			&thief->table, thief->transport, why);
}

/* Ends as a node does, after answering node 0's request. */
static enum stn_err
leave(struct thief *thief, struct stn_why *why)
{
	struct stn_wire_refusal refusal = { thief->asked };
	struct stn_tally_word nothing = { 0 };
	enum stn_err err;

	if (thief->asked)
		stn_transport_send(thief->transport, 0, STN_REFUSE, &refusal,
				   sizeof(refusal), NULL, 0, NULL, NULL);
	send_payload(thief, STN_STATS, NULL, 0, &nothing, sizeof(nothing));
	err = stn_wireup_barrier(thief->joined->wireup, why);
	stn_transport_close(thief->transport, STN_SECOND_NS);
	stn_plan_fini(&thief->plan);
	return err;
}

/* If the command line was wrong, rounds is 0, and nothing is measured. */
static enum stn_err
prepare(struct thief *thief, struct report **report_p, struct stn_why *why)
{
	struct app_why reason;

	*report_p = NULL;
	if (thief->options->rounds) {
		*report_p = report_open(&thief->options->files, &reason);
		if (!*report_p)
			return stn_because(why, STN_IO, "%s", reason.text);
	}
	return meet(thief, why);
}

static enum stn_err
play(void *arg, const struct stn_joined *joined, int *status_p)
{
	struct thief *thief = arg;
	struct report *report;
	struct app_why reason;
	struct stn_why why;
	enum stn_err err;

	thief->joined = joined;
	err = prepare(thief, &report, &why);
	if (err) {
		stn_wireup_abort(joined->wireup, why.text);
		return err;
	}
	wake_connect(&thief->wake);
	steal(thief);
	wake_disconnect(&thief->wake);
	if (report && !print(thief, report, &reason)) {
		stn_wireup_abort(joined->wireup, reason.text);
		return STN_IO;
	}
	*status_p = EXIT_SUCCESS;
	return leave(thief, &why);
}

int
thief_main(const struct steal_options *options)
{
	static struct thief thief; /* too large for a stack */
	struct stn_why why;
	int status;

	thief.options = options;
	if (stn_table_init(&thief.table, &why)) {
		stn_join_complain(why.text);
		return EXIT_FAILURE;
	}
	status = stn_join(play, &thief);
	stn_table_fini(&thief.table);
	return status;
}
