/*
 * sim_end.c: ends sends whose sender waits for no answer any more, and keeps
 * dropped parcels until then (sim_net.c).
 */
#include "emul/sim_end.h"

void
sim_end_sending(struct stn_sim *sim, struct stn_parcel *parcel,
		enum stn_err err)
{
	stn_done *done = parcel->done;

	if (!done)
		return;
	parcel->done = NULL;
	sim->nodes[parcel->from].parcels--;
	done(parcel->arg, err);
}

void
sim_drop(struct stn_sim *sim, struct stn_parcel *parcel)
{
	struct sim_node *from = &sim->nodes[parcel->from];

	if (!parcel->done) {
		sim_parcel_free(sim, parcel);
		return;
	}
	parcel->next = from->dropped;
	from->dropped = parcel;
}

void
sim_free_dropped(struct sim_node *node)
{
	struct stn_parcel *parcel;

	while ((parcel = node->dropped)) {
		node->dropped = parcel->next;
		sim_parcel_free(node->sim, parcel);
	}
}

/* Does this parcel go from node @from to node @to? STN_NOBODY: to any node. */
static bool
is_between(const struct stn_parcel *parcel, uint32_t from, uint32_t to)
{
	return parcel->from == from && (to == STN_NOBODY || parcel->to == to);
}

static struct stn_parcel *
parcel_of(const struct stn_event *event)
{
	return event->what == SIM_ARRIVE || event->what == SIM_DELIVER ||
			       event->what == SIM_SENT
		       ? event->parcel
		       : NULL;
}

/* Parcels whose sends end. */
struct flying {
	struct stn_sim *sim;
	uint32_t from, to;
	enum stn_err err;
};

static void
end_if_flying(void *arg, struct stn_event *event)
{
	const struct flying *flying = arg;
	struct stn_parcel *parcel = parcel_of(event);

	if (parcel && is_between(parcel, flying->from, flying->to))
		sim_end_sending(flying->sim, parcel, flying->err);
}

/*
 * Ends the sends of parcels that are still under way from @from to @to. The
 * messages arrive nevertheless. A done function may send.
 */
static void
end_flying(struct stn_sim *sim, uint32_t from, uint32_t to, enum stn_err err)
{
	struct flying flying = { sim, from, to, err };

	stn_events_each(&sim->events, end_if_flying, &flying);
}

/* Ends the sends of dropped parcels, and frees these. */
static void
end_dropped(struct stn_sim *sim, uint32_t from, uint32_t to, enum stn_err err)
{
	struct stn_parcel **at = &sim->nodes[from].dropped, *parcel;

	while ((parcel = *at)) {
		if (!is_between(parcel, from, to)) {
			at = &parcel->next;
			continue;
		}
		*at = parcel->next;
		sim_end_sending(sim, parcel, err);
		sim_parcel_free(sim, parcel);
	}
}

void
sim_end_sends(struct stn_sim *sim, uint32_t from, uint32_t to, enum stn_err err)
{
	end_dropped(sim, from, to, err);
	end_flying(sim, from, to, err);
}
