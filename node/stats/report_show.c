#include "node/stats/report_show.h"

#include <errno.h>
#include <string.h>

#include "node/stats/summary_show.h"

void
stn_report_show_init(struct stn_report_show *show, const struct stn_node *node)
{
	*show = (struct stn_report_show){ .node = node };
}

void
stn_report_show_fini(struct stn_report_show *show)
{
	if (show->json)
		fclose(show->json);
}

enum stn_err
stn_report_show_open(struct stn_report_show *show, struct stn_why *why)
{
	const char *json = show->node->config->stats.json;

	if (!*json)
		return STN_OK;
	show->json = fopen(json, "we");
	if (show->json)
		return STN_OK;
	return stn_because(why, STN_IO, "can't write statistics to %.100s: %s",
			   json, strerror(errno));
}

static enum stn_err
close_json(struct stn_report_show *show)
{
	bool failed = ferror(show->json);

	failed |= fclose(show->json);
	show->json = NULL;
	if (!failed)
		return STN_OK;
	fprintf(stderr, "sateen: can't write statistics to %s: %s\n",
		show->node->config->stats.json, strerror(errno));
	return STN_IO;
}

static struct stn_summary
summary_of(const struct stn_report_show *show,
	   const struct stn_tally_layout *layout,
	   struct stn_tally_packed *const *tallies, bool interrupted)
{
	const struct stn_node *node = show->node;

	return (struct stn_summary){
		.config = node->config,
		.topology = node->topology,
		.layout = layout,
		.workers = node->worker_count,
		.argc = node->start.argc,
		.argv = node->start.argv,
		.run_ns = node->run_ns,
		.nodes = tallies,
		.begun = show->begun,
		.interrupted = interrupted,
		.complete = !show->died && !show->left,
	};
}

void
stn_report_show_members(struct stn_report_show *show)
{
	const struct stn_members *members = &show->node->members;

	show->begun = members->begun;
	show->left = members->left;
	show->died = members->begun - members->living - members->left;
}

enum stn_err
stn_report_show_counts(struct stn_report_show *show,
		       struct stn_tally_packed *const *tallies,
		       bool interrupted)
{
	const struct stn_tally_layout layout =
		stn_tally_layout(show->node->services);
	const struct stn_summary summary =
		summary_of(show, &layout, tallies, interrupted);
	struct stn_why why;

	show->shown = true;
	if (show->node->rank && stn_report_show_open(show, &why)) {
		fprintf(stderr, "sateen: %s\n", why.text);
		return STN_IO;
	}
	if (show->json)
		stn_summary_json(&summary, show->json);
	else
		stn_summary_table(&summary, stderr);
	if (!interrupted)
		stn_summary_complain(&summary, stderr);
	return show->json ? close_json(show) : STN_OK;
}

void
stn_report_show_deaths(const struct stn_report_show *show,
		       struct stn_tally_packed *const *tallies,
		       char line[STN_SUMMARY_LINE])
{
	const struct stn_tally_layout layout =
		stn_tally_layout(show->node->services);
	const struct stn_summary summary =
		summary_of(show, &layout, tallies, false);

	*line = '\0';
	if (show->died || show->left)
		stn_summary_deaths(&summary, show->died, show->left, line);
}
