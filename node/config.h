/*
 * config.h: the configuration of a run. Tables name every setting; the core's
 * is in config_table.c. Settings are read from STN_* variables (STN_WAN for
 * "wan") and from options (--wan).
 */
#ifndef STN_NODE_CONFIG_H
#define STN_NODE_CONFIG_H

#include <stdio.h>

#include "transport/error.h"
#include "transport/topology.h"

#define STN_TEXT_BYTES 64
#define STN_PATH_BYTES 1024
#define STN_LOCALHOST "127.0.0.1"

/* What to do with the statistics of a run. */
struct stn_stats_to {
	bool wanted;
	char json[STN_PATH_BYTES]; /* a file; "": a table on stderr */
};

#define STN_CONFIG_TABLES 24
#define STN_CONFIG_OWN 64   /* values of services' settings */
#define STN_CONFIG_MOST 256 /* settings of all tables */

struct stn_setting_table;

struct stn_config {
	/* The tables of all settings; the core's comes first. */
	const struct stn_setting_table *tables[STN_CONFIG_TABLES];
	size_t table_count;
	uint64_t own[STN_CONFIG_OWN]; /* read by stn_config_own */
	bool given[STN_CONFIG_MOST];  /* see stn_config_given */

	uint64_t nodes, clusters, workers;
	uint64_t asked_nodes; /* as -n or STN_NODES says; 0: not set */
	uint64_t max_nodes;   /* with nodes that join; 0: none join */
	struct stn_link wan;
	char balancer[STN_TEXT_BYTES];
	char scheduler[STN_TEXT_BYTES]; /* see parts/scheduler.h */
	char forecast[STN_TEXT_BYTES];	/* see parts/forecast.h */
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
	uint64_t spin_ns, backoff_ns, silence_ns, grace_ns;
	char survive[STN_TEXT_BYTES]; /* "auto", "yes" or "no" */
	uint64_t deposit_ns;	      /* see steal/deposit.h */
	struct stn_link lan;
	uint64_t overhead_ns, threads;
	char keep[STN_PATH_BYTES];   /* see steal/keep.h; a directory's name, */
	char resume[STN_PATH_BYTES]; /* or "none" */
	char keep_all[STN_TEXT_BYTES];	 /* "yes" or "no" */
	char check_pure[STN_TEXT_BYTES]; /* the same; see steal/pure.h */
	char fuse[STN_TEXT_BYTES]; /* "auto" or "no"; see node/processor.h */
	char cost[STN_TEXT_BYTES]; /* "measured", "counted" or "hollow" */
	uint64_t task_cost_ns, unit_cost_ns;
	char speed[STN_PATH_BYTES];  /* see stn_config_speed */
	char speeds[STN_PATH_BYTES]; /* a file's name, or "none" */
	uint64_t seed;
	char message_log[STN_PATH_BYTES]; /* a file's name, or "none" */
	char trace[STN_PATH_BYTES];	  /* the same */
	char metrics[STN_TEXT_BYTES];	  /* see launch/live/metrics_at.h */
	uint64_t trace_bytes;
	char sizes[STN_PATH_BYTES]; /* sizes of clusters; see clusters.h */
	char links[STN_PATH_BYTES]; /* see stn_links_find; or "none" */
	char hosts[STN_PATH_BYTES]; /* a file's name, or "none" */
	char per[STN_TEXT_BYTES];   /* see node/cores.h; "auto": as -n says, or
				     * host */
	char ssh[STN_PATH_BYTES];
	char remote[STN_PATH_BYTES]; /* path of sateen on the hosts; "same": as
				      * here */
	char exported[STN_PATH_BYTES]; /* variables for nodes on other hosts, by
					* commas; "none" */
	struct stn_stats_to stats;
};

/* stn_config_init: sets the core's settings to their defaults. */
void stn_config_init(struct stn_config *config);

/*
 * stn_config_add: adds the settings of a service or balancer, at their
 * defaults.
 * @table  must outlive @config
 */
void stn_config_add(struct stn_config *config,
		    const struct stn_setting_table *table);

/*
 * stn_config_environment: takes the values of STN_* variables; other settings
 * keep the values that @config has.
 */
STN_CHECKED enum stn_err stn_config_environment(struct stn_config *config,
						struct stn_why *why);

/*
 * stn_config_options: takes the values of the options at the front of @argv.
 * @next_p  the index of the first argument that is no option. "--" ends the
 *     options and is skipped.
 */
STN_CHECKED enum stn_err stn_config_options(struct stn_config *config, int argc,
					    char **argv, int *next_p,
					    struct stn_why *why);

/*
 * stn_config_given: has stn_config_options taken a value of the setting @name?
 */
bool stn_config_given(const struct stn_config *config, const char *name);

/*
 * stn_config_length: how many arguments the setting at @at takes, itself
 * included; 0 if there is no setting, or if its value is missing.
 * @at  ends with NULL
 */
int stn_config_length(const struct stn_config *config, char **at);

/*
 * stn_config_sift: reorders @argv: first the settings with their values, then
 * all other arguments, both in their old order. "--" ends the settings. Returns
 * the number of arguments at the front.
 */
int stn_config_sift(const struct stn_config *config, int argc, char **argv);

/*
 * stn_config_export: sets the STN_* variables, so that programs started from
 * now on have the same settings.
 */
STN_CHECKED enum stn_err stn_config_export(const struct stn_config *config);

/*
 * stn_config_list: prints every setting: name, default, unit, help, and the
 * value if it differs.
 */
void stn_config_list(const struct stn_config *config, FILE *out);

/*
 * stn_config_traces: whether the run is traced.
 * stn_config_traces_tasks: whether it measures work and span for that.
 * stn_config_trace_file: the file of the trace; "" if none was named.
 */
bool stn_config_traces(const struct stn_config *config);
bool stn_config_traces_tasks(const struct stn_config *config);
const char *stn_config_trace_file(const struct stn_config *config);

/*
 * stn_config_transport: the transport to use if all nodes are on this host.
 * "auto" stands for loop with one node, else for shm; but for ofi if a
 * provider, a device, an interface, an address or ports are set, or if shm was
 * not built.
 */
const char *stn_config_transport(const struct stn_config *config);

#endif
