#include "launch/run/launch_hosts.h"

#include <inttypes.h>
#include <string.h>

#include "launch/config_check.h"
#include "launch/launcher_env.h"
#include "launch/plan/placement.h"
#include "launch/settings.h"
#include "launch/run/launch_wait.h"

/*
 * The number of nodes is known only when the agents have answered. The other
 * settings are checked now. The setting "hosts" is removed, because nodes that
 * inherit it would start runs on these hosts.
 */
static enum stn_err
settle_hosts(struct launch *launch, struct stn_why *why)
{
	struct stn_config *config = &launch->config, probe = *config;
	enum stn_err err;

	if (probe.nodes < probe.clusters)
		probe.nodes = probe.clusters;
	err = stn_config_check(&probe, why);
	if (!err)
		err = launch_read_hosts(launch, why);
	strcpy(config->hosts, "none");
	return err;
}

static enum stn_err
read_settings(struct launch *launch, int argc, char **argv, int *next_p,
	      struct stn_why *why)
{
	struct stn_config *config = &launch->config;
	enum stn_err err;

	stn_config_defaults(config);
	err = stn_config_environment(config, why);
	if (!err)
		err = stn_config_options(config, argc - 1, argv + 1, next_p,
					 why);
	if (!err && strcmp(config->hosts, "none"))
		return settle_hosts(launch, why);
	/* With --per but without -n, the run has the nodes of one host. */
	if (strcmp(config->per, "auto") && !config->asked_nodes &&
	    config->nodes == 1)
		config->nodes = stn_placement_nodes(config->per);
	if (!err)
		err = stn_config_check(config, why);
	return err ? err : stn_config_topology(config, &launch->topology, why);
}

/* Several launchers, started by mpirun or srun, would each do the whole run. */
static enum stn_err
check_launcher(const struct stn_config *config, struct stn_why *why)
{
	const char *name;
	uint64_t size = stn_launcher_size(&name);

	if (size <= 1 || !strcmp(stn_config_transport(config), "sim"))
		return STN_OK;
	if (stn_launcher_rank())
		return stn_because(why, STN_INVALID, "%s",
				   ""); /* rank 0 prints it */
	return stn_because(
		why, STN_INVALID,
		"%s has started this `sateen run` %" PRIu64 " times, "
		"and each would do the whole run; %s starts nodes by "
		"itself: leave `sateen run` out",
		name, size, name);
}

bool
launch_settings(struct launch *launch, int argc, char **argv)
{
	struct stn_why why;
	int next;
	enum stn_err err = read_settings(launch, argc, argv, &next, &why);

	if (!err)
		err = check_launcher(&launch->config, &why);
	if (!err) {
		launch->program = argv + 1 + next;
		if (!launch->program[0])
			err = stn_because(&why, STN_INVALID,
					  "no program to run; see sateen "
					  "--help");
	}
	if (!err)
		return true;
	if (*why.text)
		launch_complain(launch, "%s", why.text);
	if (err == STN_INVALID)
		launch->status = LAUNCH_USAGE;
	stn_hosts_fini(&launch->hosts);
	stn_topology_fini(&launch->topology);
	return false;
}
