#include "launch/join_far.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "transport/far/uplink.h"
#include "launch/wireup/wireup_far.h"

bool
stn_join_far_offered(void)
{
	const char *text = getenv(STN_GATEWAY);

	return text && *text;
}

/* Sets the clusters' sizes in the form of --clusters: "8,2,4". */
static enum stn_err
set_sizes(struct stn_config *config, const struct stn_layout *layout,
	  struct stn_why *why)
{
	size_t room = sizeof(config->sizes), used = 0;

	for (uint32_t i = 0; i < layout->clusters; i++) {
		int more = snprintf(config->sizes + used, room - used,
				    "%s%" PRIu32, i ? "," : "",
				    layout->first[i + 1] - layout->first[i]);

		if (more < 0 || (size_t)more >= room - used)
			return stn_because(why, STN_INVALID,
					   "the sizes of so many clusters "
					   "don't fit in %zu characters",
					   room - 1);
		used += (size_t)more;
	}
	config->nodes = layout->first[layout->clusters];
	config->clusters = layout->clusters;
	config->asked_nodes = 0; /* was the number of this cluster's nodes */
	return STN_OK;
}

static enum stn_err
check(const struct stn_config *config, struct stn_why *why)
{
	if (!stn_link_none(&config->wan) || strcmp(config->links, "none"))
		return stn_because(
			why, STN_INVALID,
			"--wan and --links emulate links, but `sateen join` "
			"joins clusters by real ones; leave them out");
	if (config->clusters != 1)
		return stn_because(why, STN_INVALID,
				   "`sateen join` says which clusters there "
				   "are; leave --clusters out where its "
				   "command starts nodes");
	if (config->nodes > 1 && !strcmp(config->transport, "loop"))
		return stn_because(why, STN_INVALID,
				   "the transport loop is for nodes of one "
				   "process, but the nodes of several clusters "
				   "are processes; leave --transport out");
	return STN_OK;
}

enum stn_err
stn_join_far(struct stn_wireup **wireup_p, uint32_t *rank_p, uint32_t nodes,
	     struct stn_config *config, struct stn_layout *layout,
	     struct stn_why *why)
{
	enum stn_err err = check(config, why);

	if (!err)
		err = stn_wireup_far(*wireup_p, *rank_p, nodes,
				     config->silence_ns, layout, wireup_p,
				     why);
	if (!err)
		err = set_sizes(config, layout, why);
	if (!err)
		*rank_p += layout->first[layout->mine];
	return err;
}
