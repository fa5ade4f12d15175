/*
 * smooth: every N sweeps all nodes send the prediction of their speeds to node
 * 0, which divides the parts in proportion: the "dynamic load balancing" (DLB)
 * of Dobber, Koole and van der Mei, CCGrid 2005, with --smooth-every 10 and
 * --forecast es. It smooths speeds, their formula times (parts/forecasts/es.c).
 */
#include "node/setting.h"
#include "parts/moves/recut.h"
#include "parts/scheduler.h"

struct smooth_settings {
	uint64_t every, pays;
};

static const struct stn_setting smooth_rows[] = {
	{ "smooth-every", 0, COUNT, offsetof(struct smooth_settings, every),
	  "10", 1, 1ull << 40, "sweeps",
	  "sweeps between two divisions of the parts" },
	{ "smooth-pays", 0, COUNT, offsetof(struct smooth_settings, pays), "0",
	  0, 1000000, "percent",
	  "of the time of a sweep that a division must gain until the next" },
};

static const struct stn_setting_table smooth_table = {
	.rows = smooth_rows,
	.count = sizeof(smooth_rows) / sizeof(smooth_rows[0]),
	.bytes = sizeof(struct smooth_settings),
};

static void
smooth_created(struct stn_parts *array)
{
	const struct stn_config *config = array->service->node->config;
	const struct smooth_settings *settings =
		stn_config_own(config, &smooth_table);

	stn_recut_create(array, settings->every,
			 stn_forecast_find(config->forecast));
	((struct stn_recut *)array->scheduling)->pays = (double)settings->pays;
}

const struct stn_scheduler stn_scheduler_smooth = {
	.name = "smooth",
	.help = "nodes get parts by the forecasts of their speeds, again and "
		"again",
	.settings = &smooth_table,
	.created = smooth_created,
	STN_RECUT_MEMBERS,
};
