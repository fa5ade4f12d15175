#!/bin/sh
# join_sim.t: in simulated runs nodes join: results are right, the statistics
# add up, and equal seeds give equal runs.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/simulated.sh"

# node RANK NAME: prints a number of a node in the last run's statistics.
node() {
	counted "nodes.$1.counts.$2"
}

for balancer in $balancers; do
	simulate "3s join cluster 1\n4s join node 2" -b "$balancer" &&
		! grep -q "add up\|died" "$scratch/err" &&
		[ "$(node 2 executed_elsewhere)" -gt 0 ] &&
		[ "$(node 4 executed_elsewhere)" -gt 0 ]
	ok $? "$balancer: a cluster and a node join, and get work; the sums hold"
	simulate "3s join cluster 1\n3.00001s kill node 4\n3.5s kill node 0\n7s join node 2\n7s kill node 5" \
		-b "$balancer"
	ok $? "$balancer: nodes die while they join, and node 0 after that"
done

# The work takes 82 s, of which 2 nodes do 6 s before the others join.
simulate "3s join nodes 2-5"
less "$(took)" 16
ok $? "the nodes that have joined work at once: $(took) s"
[ "$(node 5 idle_ns)" -lt 13000000000 ]
ok $? "the statistics of a node that joined begin then"

simulate "3s join nodes 2-5\n4s leave node 3\n5s leave node 0\n6s kill node 1" &&
	[ "$(node 4 executed)" -gt 0 ]
ok $? "nodes that have joined leave, and others go on"

simulate "3000s join nodes 2-5" && [ "$(node 5 working_ns)" = 0 ]
ok $? "nodes whose time does not come while the run lasts do not join"
simulate "3s join nodes 2-5\n4s join node 3\n4s suspect node 3"
ok $? "a node that joins again is no other node, and can be fenced"

# With --max-nodes, clusters have late ranks behind those of all clusters: 6 and 7
# are of cluster 0, 8 is of cluster 1, and 9 of cluster 2.
late='--max-nodes 10 --clusters 3'
for balancer in $balancers; do
	# shellcheck disable=SC2086 # words
	simulate "3s join nodes 6-8\n4s join node 9\n6s kill node 0\n7s kill cluster 1" \
		-b "$balancer" -n 6 $late &&
		[ "$(node 6 executed)" -gt 0 ] && [ "$(node 9 executed)" -gt 0 ]
	ok $? "$balancer: nodes join clusters that are not the last one"
done

# The root is in cluster 1 then, and spreads views to nodes of the cluster before.
simulate "3s kill cluster 0\n4s join nodes 6-7\n5s join node 9" -n 6 $late &&
	[ "$(node 6 executed)" -gt 0 ] && [ "$(node 9 executed)" -gt 0 ]
ok $? "nodes join the first cluster, all of whose first nodes have died"
simulate "3s join node 6\n4s kill nodes 0-1\n5s kill nodes 2-3\n6s join node 8" \
	-n 6 $late && [ "$(node 8 executed)" -gt 0 ]
ok $? "the only node of the first cluster is not the root"

# The number of the run is part of the names of logs.
simulate "2s kill node 0\n3s join node 5" --keep "$scratch/logs" --keep-all yes
[ -n "$(find "$scratch/logs" -name 'sateen-*-5.log')" ] &&
	[ "$(find "$scratch/logs" -name '*.log' | sed 's/-[0-9]*\.log$//' |
		sort -u | wc -l)" = 1 ]
ok $? "a node that joins after the root has died learns the number of the run"

echo '1s join node 0' >"$scratch/events"
complains 1 "node 0 can't join later" ./sateen sim -n 2 --survive yes \
	--events "$scratch/events" ./fib 10
ok $? "node 0 does not join later"

repeats "3s join nodes 3-4\n4s kill node 0\n5s join node 5"
plan
