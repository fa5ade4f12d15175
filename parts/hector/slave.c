#include "parts/hector/slave.h"

#include <unistd.h>

#include "parts/hector/master.h"
#include "parts/hector/resident.h"
#include "parts/hector/wire.h"
#include "parts/seats.h"

#define LEFT_OUT_MOST 7	  /* reports in a row that say nothing new */
#define SHARE_CLOSE 0.05  /* of a core: no difference */
#define MEMORY_CLOSE 0.25 /* of the unused memory: the same */

/*
 * The nodes that got most pieces of halos since the last report, most first.
 * Begins to count anew.
 */
static void
find_partners(struct stn_parts_service *parts, uint32_t nodes,
	      uint32_t partners[STN_PARTNERS])
{
	uint32_t *to = parts->pieces_to;

	for (int i = 0; i < STN_PARTNERS; i++) {
		uint32_t best = 0;

		partners[i] = STN_NOBODY;
		for (uint32_t j = 1; to && j < nodes; j++)
			if (to[j] > to[best])
				best = j;
		if (!to || !to[best])
			continue;
		partners[i] = best;
		to[best] = 0;
	}
	for (uint32_t j = 0; to && j < nodes; j++)
		to[j] = 0;
}

static uint64_t
unused_memory(const struct stn_node *node)
{
	long pages = node->sim ? 0 : sysconf(_SC_AVPHYS_PAGES);

	return pages > 0 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE)
			 : 0;
}

/* The report, without its number and the node's partners. */
static struct stn_hector_report
observe_node(struct stn_hector *hector)
{
	struct stn_parts_service *parts = hector->parts;
	const struct stn_node *node = hector->node;
	struct stn_hector_report report = {
		.set = parts->seat,
		.unused = unused_memory(node),
		.share = stn_share_take(&hector->share, node),
	};

	report.bytes = stn_resident_bytes(parts, &report.parts);
	return report;
}

static bool
is_close(double a, double b, double most)
{
	return a - b <= most && b - a <= most;
}

/*
 * Whether the master allocator would decide the same without the report. What a
 * node loses that keeps too little is counted report by report.
 */
static bool
says_the_same(const struct stn_hector *hector,
	      const struct stn_hector_report *report)
{
	const struct stn_hector_report *last = &hector->reported;
	double keeps = (double)hector->settings->keeps / 100;

	return report->set == last->set && !report->parts == !last->parts &&
	       report->share >= keeps && last->share >= keeps &&
	       is_close(report->share, last->share, SHARE_CLOSE) &&
	       is_close((double)report->unused, (double)last->unused,
			MEMORY_CLOSE * (double)last->unused);
}

static void
deliver_report(struct stn_hector *hector, struct stn_hector_report *report)
{
	struct stn_parts_service *parts = hector->parts;
	const struct stn_node *node = hector->node;

	report->number = hector->reports++;
	hector->reported = *report;
	/* All nodes send their first reports at the same time. */
	hector->left_out = report->number ? 0 : node->rank % LEFT_OUT_MOST;
	find_partners(parts, node->topology->nodes, report->partners);
	stn_master_tell(hector, STN_HECTOR_REPORT, report, sizeof(*report));
}

static void
make_report(struct stn_hector *hector)
{
	struct stn_hector_report report = observe_node(hector);

	if (hector->left_out < LEFT_OUT_MOST && says_the_same(hector, &report))
		hector->left_out++;
	else
		deliver_report(hector, &report);
}

/*
 * After a death a node may have parts, though its set has left it, or it was
 * spare.
 */
static void
claim_parts(struct stn_hector *hector)
{
	struct stn_parts_service *parts = hector->parts;
	uint32_t count;

	stn_resident_bytes(parts, &count);
	if (parts->seat == STN_NOBODY && parts->heir == STN_NOBODY && count)
		stn_seat_move(parts, hector->node->rank, hector->node->rank);
}

/* The reports of all nodes are spread over the period from the second one on. */
static uint64_t
time_to_next(const struct stn_hector *hector)
{
	const struct stn_node *node = hector->node;
	uint64_t period = hector->settings->period_ns;

	return hector->report_ns
		       ? period
		       : 1 + period / node->topology->nodes * node->rank;
}

uint64_t
stn_slave_look(struct stn_hector *hector, uint64_t now)
{
	/*
	 * A node that joins gets no set before it knows the arrays: if it had to
	 * leave at once, it would not know that it has parts to give away.
	 */
	if (hector->closed || hector->joins)
		return STN_FOREVER;
	if (now >= hector->report_ns) {
		claim_parts(hector);
		stn_resident_register(hector);
		hector->report_ns = now + time_to_next(hector);
		make_report(hector);
	}
	return hector->report_ns;
}
