/*
 * config_check.h: checks settings against each other, and turns some of them
 * into other types.
 */
#ifndef STN_LAUNCH_CONFIG_CHECK_H
#define STN_LAUNCH_CONFIG_CHECK_H

#include "node/config.h"

/*
 * stn_config_check: checks that the settings don't contradict each other, and
 * that all names exist. On failure @why has a line about the setting.
 */
STN_CHECKED enum stn_err stn_config_check(const struct stn_config *config,
					  struct stn_why *why);

/*
 * stn_config_launched: another launcher (mpirun, srun) has started @nodes
 * nodes. Sets the number of nodes; STN_INVALID if the settings say another
 * number.
 */
STN_CHECKED enum stn_err stn_config_launched(struct stn_config *config,
					     uint32_t nodes,
					     struct stn_why *why);

/*
 * stn_config_topology: makes the topology of nodes, clusters and links that is
 * set, with the clusters' names; finds and reads the file of links, whose path
 * becomes the setting. The caller frees the topology by stn_topology_fini, also
 * on failure.
 */
STN_CHECKED enum stn_err stn_config_topology(struct stn_config *config,
					     struct stn_topology *topology,
					     struct stn_why *why);

/*
 * stn_config_joins: can nodes join the run while it runs? The topology then has
 * reserved ranks, behind those of the first nodes.
 */
bool stn_config_joins(const struct stn_config *config);

/*
 * stn_config_address: the address to listen on if all nodes are on this host.
 */
const char *stn_config_address(const struct stn_config *config);

/*
 * stn_config_ports: the range of ports that a node may listen on; both 0: any
 * port. Returns false if the setting is malformed.
 */
bool stn_config_ports(const struct stn_config *config, uint16_t *first_p,
		      uint16_t *last_p);

/* stn_parse_ports: reads "9000-9010" or "9000"; false if it is malformed. */
bool stn_parse_ports(const char *text, uint16_t *first_p, uint16_t *last_p);

/*
 * stn_config_speed: the speed of the nodes of a cluster in a simulation: the
 * cluster's item of a list, or a single number for all clusters. Returns 0 if
 * the list is malformed or too short.
 */
double stn_config_speed(const struct stn_config *config, uint32_t cluster);

#endif
