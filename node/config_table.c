/*
 * config_table.c: the table of the core's settings.
 */
#include <stddef.h>

#include "node/setting.h"

#define AT(member) offsetof(struct stn_config, member)

static const struct stn_setting rows[] = {
	{ "nodes", 'n', NODES, AT(nodes), "1", 1, 100000, "nodes",
	  "number of processes of the run" },
	{ "max-nodes", 0, COUNT, AT(max_nodes), "0", 0, 100000, "nodes",
	  "most nodes of a run that others join (sateen add); 0: none join" },
	{ "clusters", 'c', CLUSTERS, AT(clusters), "1", 1, 100000,
	  "C, CxN, N,N...",
	  "C clusters that share the nodes by rank; N nodes in each; or "
	  "sizes" },
	{ "hosts", 0, TEXT, AT(hosts), "none", 0, STN_PATH_BYTES, "file",
	  "file of hosts to start nodes on by ssh: lines of HOST [slots=N]" },
	{ "per", 0, TEXT, AT(per), "auto", 0, 0, "what",
	  "a node for each host, NUMA node or core, or N nodes on each host" },
	{ "ssh", 0, TEXT, AT(ssh), "ssh", 0, STN_PATH_BYTES, "command",
	  "command that reaches a host, with its options" },
	{ "remote", 0, TEXT, AT(remote), "same", 0, STN_PATH_BYTES, "path",
	  "path of sateen on the hosts; same: as on this host" },
	{ "wan", 0, LINK, AT(wan), "none", 0, 0, "link",
	  "emulated link between clusters: LATENCY[,RATE[,JITTER]], one way" },
	{ "links", 0, TEXT, AT(links), "none", 0, STN_PATH_BYTES, "file",
	  "file of links that differ: lines of FROM TO "
	  "LATENCY[,RATE[,JITTER]]" },
	{ "balancer", 'b', TEXT, AT(balancer), "crs", 0, 0, "name",
	  "decides where an idle node looks for work" },
	{ "workers", 'w', COUNT, AT(workers), "0", 0, 4096, "threads",
	  "workers of each node; 0: one for each processor of its share" },
	{ "transport", 't', TEXT, AT(transport), "auto", 0, 0, "name",
	  "shm, ofi, ucx, verbs, loop; auto: shm in a host, the best between "
	  "hosts" },
	{ "near", 0, TEXT, AT(near), "auto", 0, 0, "yes, no",
	  "shm inside hosts, another transport between; auto: if several "
	  "hosts" },
	{ "provider", 'p', TEXT, AT(provider), "auto", 0, 0, "name",
	  "provider of ofi: tcp, net, shm, verbs; of ucx: tcp, posix" },
	{ "device", 0, TEXT, AT(device), "auto", 0, 0, "name",
	  "network card between hosts: mlx5_0, mlx5_0:1; auto: the nearest" },
	{ "interface", 0, TEXT, AT(interface), "auto", 0, 0, "name",
	  "interface to the network between hosts: eth0" },
	{ "address", 0, TEXT, AT(address), "auto", 0, 0, "host, NET/BITS",
	  "address to listen on, or its network; on one host " STN_LOCALHOST },
	{ "ports", 0, TEXT, AT(ports), "auto", 0, 0, "A-B",
	  "ports to listen on: each node takes a free one; auto: any port" },
	{ "slots", 0, COUNT, AT(slots), "65536", 1, 1 << 24, "records",
	  "slots of each worker's deque; when it is full, spawns become "
	  "calls" },
	{ "stack", 0, BYTES, AT(stack_bytes), "256MiB", 65536, 1ull << 40,
	  "bytes", "stack of each worker; only the used part takes memory" },
	{ "pin", 0, TEXT, AT(pin), "auto", 0, 0, "yes, no",
	  "bind workers to cores; auto: if the workers fill the host" },
	{ "spin", 0, DURATION, AT(spin_ns), "20us", 0, 0, "time",
	  "an idle worker polls for this time before it sleeps" },
	{ "survive", 0, TEXT, AT(survive), "auto", 0, 0, "yes, no",
	  "the run goes on when nodes die; auto: if the transport allows it" },
	{ "deposit", 0, DURATION, AT(deposit_ns), "1s", 0, 0, "time",
	  "survive: work of this time is lost with a node, at most; 0s: all" },
	{ "grace", 0, DURATION, AT(grace_ns), "10s", 0, 0, "time",
	  "a node that is told to leave the run is gone after this time" },
	{ "backoff", 0, DURATION, AT(backoff_ns), "1ms", 0, 0, "time",
	  "longest pause after refused synchronous steals; 0: none" },
	{ "silence", 0, DURATION, AT(silence_ns), "4s", 0, 0, "time",
	  "a node of another host, silent for this time, is dead; 0s: never" },
	{ "lan", 0, LINK, AT(lan), "10us,1GB/s", 1, 0, "link",
	  "sim: link between nodes of a cluster, one way" },
	{ "overhead", 0, DURATION, AT(overhead_ns), "1us", 0, 0, "time",
	  "sim: cost of a message for its sender and for its receiver" },
	{ "cost", 0, TEXT, AT(cost), "measured", 0, 0, "how",
	  "sim: the time of computing is measured, or counted" },
	{ "task-cost", 0, DURATION, AT(task_cost_ns), "100ns", 0, 0, "time",
	  "sim: time of a spawn, if counted" },
	{ "unit-cost", 0, DURATION, AT(unit_cost_ns), "1ns", 0, 0, "time",
	  "sim: time of a unit of work (STN_WORK), if counted" },
	{ "speed", 0, TEXT, AT(speed), "1", 0, 0, "S[,S...]",
	  "sim: speed of each cluster's nodes, or of all; 0.5: half as fast" },
	{ "seed", 0, COUNT, AT(seed), "1", 0, INT64_MAX, "number",
	  "seed of the random choice of victims, and of jitter" },
	{ "trace", 0, TEXT, AT(trace), "none", 0, 0, "file",
	  "file for a log of messages; node 3 writes FILE.3" },
	{ "stats", 's', STATS, AT(stats), "0", 0, 0, "0, 1, json:FILE",
	  "statistics of tasks, steals, messages and time: a table, or JSON" },
};

const struct stn_setting_table stn_config_table = {
	.rows = rows,
	.count = sizeof(rows) / sizeof(rows[0]),
};
