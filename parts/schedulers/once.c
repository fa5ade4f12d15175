/*
 * once: after some sweeps all nodes get runs of parts in proportion to the
 * speeds that they have had until then, and keep them: the "static load
 * balancing" (SLB) of Dobber, Koole and van der Mei, CCGrid 2005.
 */
#include "node/setting.h"
#include "parts/moves/recut.h"
#include "parts/scheduler.h"

struct once_settings {
	uint64_t after;
};

static const struct stn_setting once_rows[] = {
	{ "once-after", 0, COUNT, offsetof(struct once_settings, after), "250",
	  1, 1ull << 40, "sweeps", "sweeps before the parts are divided anew" },
};

static const struct stn_setting_table once_table = {
	.rows = once_rows,
	.count = sizeof(once_rows) / sizeof(once_rows[0]),
	.bytes = sizeof(struct once_settings),
};

static void
once_created(struct stn_parts *array)
{
	const struct once_settings *settings =
		stn_config_own(array->service->node->config, &once_table);

	stn_recut_create(array, settings->after, NULL);
}

const struct stn_scheduler stn_scheduler_once = {
	.name = "once",
	.help = "nodes get parts by their speeds, once, after some sweeps",
	.settings = &once_table,
	.created = once_created,
	STN_RECUT_MEMBERS,
};
