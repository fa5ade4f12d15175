/*
 * services.c: the services of jacobi_news, instead of those in
 * launch/services.c: one more.
 */
#include "launch/services.h"

#include "bench/news/beside.h"
#include "constants/service.h"
#include "node/leaving.h"
#include "node/membership.h"
#include "node/stats/report.h"
#include "parts/parts.h"
#include "search/service.h"
#include "steal/steal.h"

const struct stn_service *const stn_services[] = {
	&stn_membership_service,
	&stn_leaving_service,
	&stn_search_service,
	&stn_constants_service,
	&stn_steal_service,
	&stn_parts_service,
	&beside_service,
	&stn_report_service,
	NULL,
};
