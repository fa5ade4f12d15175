/*
 * gateway_reports.h: what the gateways have reported about nodes: that they are
 * to leave, have left, or have died. A gateway keeps its own nodes' reports,
 * because the host of the sequencer may be lost before it has made a view of
 * them; the host keeps those of all nodes.
 */
#ifndef STN_LAUNCH_GATEWAY_GATEWAY_REPORTS_H
#define STN_LAUNCH_GATEWAY_GATEWAY_REPORTS_H

#include <stdbool.h>
#include <stdint.h>

#include "transport/error.h"
#include "launch/gateway/trunk.h"

struct gateway;

struct reports {
	unsigned char *of; /* by rank: a set of reports */
	bool news;	   /* there is one that the sequencer doesn't know */
};

STN_CHECKED enum stn_err gateway_reports_init(struct reports *reports,
					      uint32_t nodes);
void gateway_reports_fini(struct reports *reports);

/*
 * gateway_report_note: notes a report of @type: STN_TRUNK_LEAVING, LEFT or GONE.
 * gateway_report_tell: also tells the host of the sequencer, if that is another
 * gateway.
 * gateway_reports_tell: tells the host all about our own nodes.
 */
void gateway_report_note(struct gateway *gateway, enum stn_trunk_type type,
			 uint32_t rank);
void gateway_report_tell(struct gateway *gateway, enum stn_trunk_type type,
			 uint32_t rank);
void gateway_reports_tell(struct gateway *gateway);

/* gateway_reports_order: hands all reports to our sequencer. */
void gateway_reports_order(struct gateway *gateway);

/* gateway_tell_number: sends a segment whose data is a number. */
void gateway_tell_number(struct gateway *gateway, uint32_t cluster,
			 enum stn_trunk_type type, uint32_t number);

#endif
