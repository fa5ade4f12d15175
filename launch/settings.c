#include "launch/settings.h"

#include "launch/services.h"
#include "node/setting.h"

void
stn_config_defaults(struct stn_config *config)
{
	stn_config_init(config);
	for (size_t i = 0; stn_services[i]; i++) {
		const struct stn_setting_table *table;

		if (!stn_services[i]->settings)
			continue;
		for (size_t j = 0; (table = stn_services[i]->settings(j)); j++)
			stn_config_add(config, table);
	}
}
