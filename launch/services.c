#include "launch/services.h"

#include "constants/service.h"
#include "node/leaving.h"
#include "node/live/live.h"
#include "node/membership.h"
#include "node/stats/report.h"
#include "node/trace/trace.h"
#include "parts/hector/hector.h"
#include "parts/parts.h"
#include "search/service.h"
#include "steal/steal.h"

const struct stn_service *const stn_services[] = {
	&stn_membership_service, /* first: it tells the others of deaths */
	&stn_leaving_service,
	&stn_search_service, /* before stealing, which uses it */
	&stn_constants_service, /* likewise */
	&stn_steal_service,
	&stn_parts_service,
	&stn_hector_service,
	&stn_trace_service,
	&stn_live_service,
	&stn_report_service, /* last: it counts what the other services did */
	NULL,
};
_Static_assert(sizeof(stn_services) / sizeof(stn_services[0]) <=
		       STN_SERVICES_MOST,
	       "a node has no room for a service that a test adds");
