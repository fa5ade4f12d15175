/*
 * config.h: how a run is configured. One table (config_table.c) names every
 * setting; it is read from STN_* variables (STN_WAN for "wan") and from options
 * (--wan).
 */
#ifndef STN_STEAL_CONFIG_H
#define STN_STEAL_CONFIG_H

#include <stdio.h>

#include "transport/error.h"
#include "transport/topology.h"

#define STN_TEXT_BYTES 64
#define STN_PATH_BYTES 1024
#define STN_LOCALHOST "127.0.0.1"

/* What becomes of a run's statistics. */
struct stn_stats_to {
	bool wanted;
	char json[STN_PATH_BYTES]; /* a file; "": a table, on stderr */
};

struct stn_config {
	uint64_t nodes, clusters, workers;
	uint64_t asked_nodes; /* by -n, or 0 */
	struct stn_link wan;
	char balancer[STN_TEXT_BYTES];
	char transport[STN_TEXT_BYTES];
	char provider[STN_TEXT_BYTES];
	char device[STN_TEXT_BYTES];
	char near[STN_TEXT_BYTES];
	char interface[STN_TEXT_BYTES];
	char address[STN_TEXT_BYTES]; /* "auto", or see stn_config_address */
	char ports[STN_TEXT_BYTES];   /* see stn_config_ports */
	uint64_t slots;
	uint64_t stack_bytes;
	char pin[STN_TEXT_BYTES];
	uint64_t spin_ns, backoff_ns, silence_ns;
	uint64_t rp_threshold, rp_limit;
	uint64_t chs_fanout;
	uint64_t cls_threshold, cls_interval_ns;
	struct stn_link lan;
	uint64_t overhead_ns;
	char cost[STN_TEXT_BYTES]; /* "measured" or "counted" */
	uint64_t task_cost_ns, unit_cost_ns;
	char speed[STN_TEXT_BYTES]; /* see stn_config_speed */
	uint64_t seed;
	char trace[STN_TEXT_BYTES]; /* a file's name, or "none" */
	char sizes[STN_PATH_BYTES]; /* of clusters; see clusters.h */
	char links[STN_PATH_BYTES]; /* a file's name, or "none" */
	char hosts[STN_PATH_BYTES]; /* a file's name, or "none" */
	char per[STN_TEXT_BYTES]; /* see place.h; "auto": as -n says, or host */
	char ssh[STN_PATH_BYTES];
	char remote[STN_PATH_BYTES]; /* sateen on hosts; "same": as here */
	struct stn_stats_to stats;
};

/*
 * stn_config_defaults: every setting at its default.
 */
void stn_config_defaults(struct stn_config *config);

/* stn_config_environment: what STN_* variables say, over what @config has. */
STN_CHECKED enum stn_err stn_config_environment(struct stn_config *config,
						struct stn_why *why);

/*
 * stn_config_options: what the options at the front of @argv say.
 * @next_p  index of the first argument that is none; "--" ends them, and is
 *     skipped
 */
STN_CHECKED enum stn_err stn_config_options(struct stn_config *config, int argc,
					    char **argv, int *next_p,
					    struct stn_why *why);

/*
 * stn_config_stray: STN_INVALID, with a line, if a variable is nearly called as
 * a setting's is, and none is called so: who wrote it would wait in vain for
 * what it does.
 */
STN_CHECKED enum stn_err stn_config_stray(struct stn_why *why);

/*
 * stn_config_sift: puts the settings among @argv, with their values, to its
 * front, in order, and all else behind them, in order. "--" ends the settings.
 * Returns how many arguments are at the front.
 */
int stn_config_sift(int argc, char **argv);

/*
 * stn_config_check: settings that contradict each other, or name what is not
 * there, get a line in @why.
 */
STN_CHECKED enum stn_err stn_config_check(const struct stn_config *config,
					  struct stn_why *why);

/*
 * stn_config_launched: a launcher, which is none of ours, has started @nodes
 * nodes; STN_INVALID, with a line, if the settings say otherwise.
 */
STN_CHECKED enum stn_err stn_config_launched(struct stn_config *config,
					     uint32_t nodes,
					     struct stn_why *why);

/* stn_config_export: sets STN_* so that a program started now agrees. */
STN_CHECKED enum stn_err stn_config_export(const struct stn_config *config);

/* stn_config_list: every setting: name, value, unit, help. */
void stn_config_list(const struct stn_config *config, FILE *out);

/*
 * stn_config_topology: the nodes, clusters and links that are set; a file of
 * links is read. stn_topology_fini frees what it has, also on failure.
 */
STN_CHECKED enum stn_err stn_config_topology(const struct stn_config *config,
					     struct stn_topology *topology,
					     struct stn_why *why);

/*
 * stn_config_transport: the transport that "auto" stands for if all nodes are
 * on this host: shm; but a provider, an interface, an address or ports are
 * ofi's.
 */
const char *stn_config_transport(const struct stn_config *config);

/* stn_config_address: what to listen on, on one host. */
const char *stn_config_address(const struct stn_config *config);

/*
 * stn_config_ports: the first and the last port that may be listened on; both
 * 0: any. False: the setting is malformed.
 */
bool stn_config_ports(const struct stn_config *config, uint16_t *first_p,
		      uint16_t *last_p);

/*
 * stn_config_speed: how fast the nodes of a cluster compute in a simulation:
 * of a list the cluster's, a single number is everybody's. 0 if the list is
 * malformed or lacks it.
 */
double stn_config_speed(const struct stn_config *config, uint32_t cluster);

#endif
