#include "launch/run/launch_hosts.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "emul/schedule.h"
#include "emul/sim_transport.h"
#include "emul/speeds.h"
#include "launch/config_check.h"
#include "launch/join_far.h"
#include "launch/launcher_env.h"
#include "launch/plan/placement.h"
#include "launch/run/exported.h"
#include "launch/run/launch_wait.h"
#include "launch/settings.h"
#include "parts/hector/check.h"

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
		err = stn_hector_check(config, UINT32_MAX, why);
	if (!err)
		err = stn_exported_check(config->exported, why);
	if (!err)
		err = launch_read_hosts(launch, why);
	strcpy(config->hosts, "none");
	return err;
}

/* In `sateen join` other clusters have nodes, too. */
static enum stn_err
check_spares(const struct launch *launch, struct stn_why *why)
{
	uint32_t nodes =
		stn_join_far_offered() ? UINT32_MAX : launch->topology.nodes;

	return stn_hector_check(&launch->config, nodes, why);
}

/* A pipe can be read only once, by the simulation. */
static bool
is_plain_file(const char *path)
{
	struct stat about;

	return !stat(path, &about) && S_ISREG(about.st_mode);
}

/* Reads the files of events and speeds, so that a wrong one starts nothing. */
static enum stn_err
check_sim_files(const struct launch *launch, struct stn_why *why)
{
	const char *events = stn_config_events(&launch->config);
	const char *speeds = launch->config.speeds;
	struct stn_schedule schedule;
	struct stn_speeds all;
	enum stn_err err = STN_OK;

	if (strcmp(stn_config_transport(&launch->config), STN_SIM_TRANSPORT))
		return STN_OK;
	if (is_plain_file(events)) {
		err = stn_schedule_read(events, &launch->topology, &schedule,
					why);
		stn_schedule_fini(&schedule);
	}
	if (err || !is_plain_file(speeds))
		return err;
	if (stn_speeds_init(&all, launch->topology.nodes))
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	err = stn_speeds_read(speeds, &all, why);
	stn_speeds_fini(&all);
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
	if (!err)
		err = stn_config_topology(config, &launch->topology, why);
	if (!err)
		err = check_spares(launch, why);
	return err ? err : check_sim_files(launch, why);
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
