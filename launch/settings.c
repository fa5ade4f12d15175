#include "launch/settings.h"

#include <stddef.h>

#include "launch/services.h"
#include "node/setting.h"

/* The values of the settings of this folder. */
struct launch_settings {
	char events[STN_EVENTS_BYTES];
};

_Static_assert(sizeof(struct launch_settings) % sizeof(uint64_t) == 0,
	       "the values of the next table are aligned");

static const struct stn_setting rows[] = {
	{ "events", 0, TEXT, offsetof(struct launch_settings, events), "none",
	  0, STN_EVENTS_BYTES, "file",
	  "sim: file of deaths, leaves and joins: lines of TIME WHAT WHOM" },
};

static const struct stn_setting_table launch_table = {
	.rows = rows,
	.count = sizeof(rows) / sizeof(rows[0]),
	.bytes = sizeof(struct launch_settings),
};

void
stn_config_defaults(struct stn_config *config)
{
	stn_config_init(config);
	stn_config_add(config, &launch_table);
	for (size_t i = 0; stn_services[i]; i++) {
		const struct stn_setting_table *table;

		if (!stn_services[i]->settings)
			continue;
		for (size_t j = 0; (table = stn_services[i]->settings(j)); j++)
			stn_config_add(config, table);
	}
}

const char *
stn_config_events(const struct stn_config *config)
{
	const struct launch_settings *settings =
		stn_config_own(config, &launch_table);

	return settings->events;
}
