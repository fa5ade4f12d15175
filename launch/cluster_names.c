#include "launch/cluster_names.h"

#include <stdio.h>
#include <stdlib.h>

#define VARIABLE "STN_CLUSTER_NAMES"

enum stn_err
stn_cluster_names_set(const char *const *names, uint32_t count)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	bool set;

	if (!out)
		return STN_NO_MEMORY;
	for (uint32_t i = 0; i < count; i++)
		fprintf(out, "%s%s", i ? " " : "", names[i]);
	set = !fclose(out) &&
	      !(count ? setenv(VARIABLE, text, 1) : unsetenv(VARIABLE));
	free(text);
	return set ? STN_OK : STN_NO_MEMORY;
}

enum stn_err
stn_cluster_names_get(struct stn_topology *topology)
{
	const char *text = getenv(VARIABLE);

	return text && *text ? stn_topology_set_names(topology, text) : STN_OK;
}

void
stn_cluster_names_hide(void)
{
	unsetenv(VARIABLE);
}
