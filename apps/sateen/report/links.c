#include "apps/sateen/report/links.h"

#include <inttypes.h>
#include <stdlib.h>

#include "apps/sateen/report/tables.h"
#include "apps/sateen/xml.h"

#define LINKS_SHORT 9	/* pairs that need no summary: those of 3 clusters */
#define LINKS_HEAVY 8	/* pairs of different clusters in the summary */
#define LINKS_MOST 1024 /* rows */

/* A pair of clusters with messages. */
struct pair {
	uint32_t from, to;
	struct link sent;
};

struct pairs {
	const struct run *run;
	struct pair *list;
	uint32_t count;
	double seconds; /* of the run */
};

/* The pairs with messages, by their clusters. False: no memory. */
static bool
find_pairs(const struct run *run, struct pairs *pairs)
{
	uint32_t clusters = run->cluster_count;
	size_t cells = (size_t)clusters * clusters;

	/* Messages are sent before main and after it, too. */
	*pairs = (struct pairs){ .run = run,
				 .seconds = (double)run->last_ns * 1e-9 };
	pairs->list = calloc(cells, sizeof(pairs->list[0]));
	for (size_t i = 0; pairs->list && i < cells; i++)
		if (run->links[i].messages)
			pairs->list[pairs->count++] =
				(struct pair){ (uint32_t)(i / clusters),
					       (uint32_t)(i % clusters),
					       run->links[i] };
	return pairs->list;
}

/* Several pairs together. */
struct sum {
	uint32_t pairs;
	struct link sent;
};

static void
add_pair(struct sum *sum, const struct pair *pair)
{
	sum->pairs++;
	sum->sent.messages += pair->sent.messages;
	sum->sent.bytes += pair->sent.bytes;
}

static void
write_sent(const struct pairs *pairs, const struct link *sent, FILE *out)
{
	fprintf(out,
		"<td>%" PRIu64 "</td><td>%" PRIu64 "</td><td>%.1f</td></tr>\n",
		sent->messages, sent->bytes,
		pairs->seconds > 0 ? (double)sent->bytes / pairs->seconds * 1e-3
				   : 0);
}

static void
write_pair(const struct pairs *pairs, const struct pair *pair, FILE *out)
{
	char room[RUN_CLUSTER_ROOM];

	fputs("<tr><td>", out);
	xml_text(run_cluster(pairs->run, pair->from, "", room), out);
	fputs("</td><td>", out);
	xml_text(run_cluster(pairs->run, pair->to, "", room), out);
	fputs("</td>", out);
	write_sent(pairs, &pair->sent, out);
}

static void
write_sum(const struct pairs *pairs, const char *which, const struct sum *sum,
	  FILE *out)
{
	if (!sum->pairs)
		return;
	fprintf(out,
		"<tr class=\"faint\"><td colspan=\"2\">%s (%" PRIu32 ")</td>",
		which, sum->pairs);
	write_sent(pairs, &sum->sent, out);
}

static void
open_table(const char *id, FILE *out)
{
	fprintf(out,
		"<div class=\"scroll\"><table id=\"%s\"><tr><th>from</th>"
		"<th>to</th><th>messages</th><th>bytes</th><th>KB/s</th>"
		"</tr>\n",
		id);
}

static void
write_all(const struct pairs *pairs, const char *id, FILE *out)
{
	open_table(id, out);
	for (uint32_t i = 0; i < pairs->count && i < LINKS_MOST; i++)
		write_pair(pairs, &pairs->list[i], out);
	fputs("</table></div>\n", out);
	tables_cut(LINKS_MOST, pairs->count, "pairs of clusters", out);
}

static int
number_order(const void *a, const void *b)
{
	const struct pair *one = a, *two = b;

	if (one->from != two->from)
		return one->from < two->from ? -1 : 1;
	return one->to < two->to ? -1 : one->to > two->to;
}

/* Pairs of different clusters first, and of these the one with most bytes. */
static int
heavy_order(const void *a, const void *b)
{
	const struct pair *one = a, *two = b;
	bool within = one->from == one->to;

	if (within != (two->from == two->to))
		return within ? 1 : -1;
	if (one->sent.bytes != two->sent.bytes)
		return one->sent.bytes > two->sent.bytes ? -1 : 1;
	return number_order(a, b);
}

/* Changes the order of the pairs. */
static void
write_heavy(const struct pairs *pairs, FILE *out)
{
	struct sum others = { 0 }, inside = { 0 };

	qsort(pairs->list, pairs->count, sizeof(pairs->list[0]), heavy_order);
	open_table("links", out);
	for (uint32_t i = 0; i < pairs->count; i++) {
		const struct pair *pair = &pairs->list[i];

		if (pair->from == pair->to)
			add_pair(&inside, pair);
		else if (i < LINKS_HEAVY)
			write_pair(pairs, pair, out);
		else
			add_pair(&others, pair);
	}
	write_sum(pairs, "other pairs", &others, out);
	write_sum(pairs, "inside clusters", &inside, out);
	fputs("</table></div>\n", out);
}

/* The heaviest pairs, and all pairs folded in. */
static void
write_short(const struct pairs *pairs, FILE *out)
{
	fputs("<p class=\"faint\">The pairs of clusters that sent most bytes. "
	      "Below them: the sums of the other pairs, and of the messages "
	      "inside clusters.</p>\n",
	      out);
	write_heavy(pairs, out);
	qsort(pairs->list, pairs->count, sizeof(pairs->list[0]), number_order);
	fprintf(out, "<details><summary>All %" PRIu32 " pairs</summary>\n",
		pairs->count);
	write_all(pairs, "all-links", out);
	fputs("</details>\n", out);
}

void
links_write(const struct run *run, FILE *out)
{
	struct pairs pairs;

	if (!run->links || !find_pairs(run, &pairs))
		return;
	fputs("<h2>Messages within and between clusters</h2>\n", out);
	if (pairs.count <= LINKS_SHORT)
		write_all(&pairs, "links", out);
	else
		write_short(&pairs, out);
	free(pairs.list);
}
