#include "launch/gateway/gateway_reports.h"

#include <stdlib.h>

#include "launch/gateway/gateway_private.h"

/* In the order in which they are told and handed to the sequencer. */
static const struct {
	enum stn_trunk_type type;
	enum stn_change_what what;
} kinds_of_report[] = {
	{ STN_TRUNK_LEAVING, STN_LEAVING },
	{ STN_TRUNK_LEFT, STN_LEFT },
	{ STN_TRUNK_GONE, STN_DIED },
};

#define KINDS (sizeof(kinds_of_report) / sizeof(kinds_of_report[0]))

enum stn_err
gateway_reports_init(struct reports *reports, uint32_t nodes)
{
	reports->of = calloc(nodes, sizeof(reports->of[0]));
	return reports->of ? STN_OK : STN_NO_MEMORY;
}

void
gateway_reports_fini(struct reports *reports)
{
	free(reports->of);
}

static bool
has_report(const struct reports *reports, uint32_t rank, size_t kind)
{
	return reports->of[rank] >> kind & 1;
}

void
gateway_tell_number(struct gateway *gateway, uint32_t cluster,
		    enum stn_trunk_type type, uint32_t number)
{
	unsigned char bytes[4];

	stn_trunk_number_write(bytes, number);
	gateway_tell_gateway(gateway, cluster, type, bytes, sizeof(bytes));
}

void
gateway_report_note(struct gateway *gateway, enum stn_trunk_type type,
		    uint32_t rank)
{
	struct reports *reports = &gateway->membership.reports;

	for (size_t i = 0; i < KINDS; i++)
		if (kinds_of_report[i].type == type)
			reports->of[rank] |= (unsigned char)(1u << i);
	reports->news = true;
}

void
gateway_report_tell(struct gateway *gateway, enum stn_trunk_type type,
		    uint32_t rank)
{
	gateway_report_note(gateway, type, rank);
	if (gateway->membership.host != gateway->mine)
		gateway_tell_number(gateway, gateway->membership.host, type,
				    rank);
}

void
gateway_reports_tell(struct gateway *gateway)
{
	const uint32_t *first = &gateway->hub.first[gateway->mine];
	const struct membership *membership = &gateway->membership;

	for (uint32_t rank = first[0]; rank < first[1]; rank++)
		for (size_t i = 0; i < KINDS; i++)
			if (has_report(&membership->reports, rank, i))
				gateway_tell_number(gateway, membership->host,
						    kinds_of_report[i].type,
						    rank);
}

static void
order_report(struct stn_sequencer *sequencer, uint32_t rank,
	     enum stn_change_what what)
{
	if (what == STN_LEAVING)
		stn_sequencer_leave(sequencer, rank);
	else
		stn_sequencer_gone(sequencer, rank, what);
}

void
gateway_reports_order(struct gateway *gateway)
{
	struct membership *membership = &gateway->membership;
	const struct stn_members *members = &membership->sequencer.members;

	for (uint32_t rank = 0; rank < membership->topology.nodes; rank++)
		for (size_t i = 0; i < KINDS; i++)
			if (has_report(&membership->reports, rank, i))
				order_report(&membership->sequencer, rank,
					     kinds_of_report[i].what);
	membership->reports.news = false;
	if (members->leavers && members->leavers == members->living)
		gateway_fail(gateway,
			     "all nodes that live have been told to leave");
}
