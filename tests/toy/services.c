/*
 * services.c: the services of the test's program, instead of those in
 * launch/services.c.
 */
#include "launch/services.h"

#include "constants/service.h"
#include "node/stats/report.h"
#include "search/service.h"
#include "steal/steal.h"
#include "tests/toy/toy.h"

const struct stn_service *const stn_services[] = {
	&stn_search_service,
	&stn_constants_service,
	&stn_steal_service,
	&toy_service,
	&stn_report_service,
	NULL,
};
