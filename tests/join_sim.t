#!/bin/sh
# join_sim.t: in simulated runs nodes join: results are right, the statistics
# add up, and equal seeds give equal runs.
. "$(dirname "$0")/tap.sh"

. "$(dirname "$0")/matrix.sh"
leaves='tree(4^6) = 4096 leaves'

# joins EVENTS OPTIONS...: simulates a tree on 2 x 3 nodes, to which the events
# happen. The shell expands \n in EVENTS. True if the result is right.
joins() {
	printf '%b\n' "$1" >"$scratch/events"
	shift
	rm -f "$scratch/json"
	prints "^$leaves" ./sateen sim --clusters 2x3 --wan 2ms,1MB/s \
		--cost counted --silence 50ms --survive yes \
		--events "$scratch/events" --stats=json:"$scratch/json" \
		"$@" ./tree -b 4 -d 6 -l 20ms --spread 50
}

# node RANK NAME: prints a number of a node in the last run's statistics.
node() {
	perl "$source_directory/tests/stats.pl" get "$scratch/json" \
		"nodes.$1.counts.$2"
}

# took: prints the virtual time of the last run, in s.
took() {
	sed -n 's/^sateen: simulated .* nodes for \(.*\) s in .*/\1/p' \
		"$scratch/err"
}

# less A B: whether A is less than B.
less() {
	echo "$1" "$2" | awk '{ exit !($1 < $2) }'
}

for balancer in $balancers; do
	joins "3s join cluster 1\n4s join node 2" -b "$balancer" &&
		! grep -q "add up\|died" "$scratch/err" &&
		[ "$(node 2 executed_elsewhere)" -gt 0 ] &&
		[ "$(node 4 executed_elsewhere)" -gt 0 ]
	ok $? "$balancer: a cluster and a node join, and get work; the sums hold"
	joins "3s join cluster 1\n3.00001s kill node 4\n3.5s kill node 0\n7s join node 2\n7s kill node 5" \
		-b "$balancer"
	ok $? "$balancer: nodes die while they join, and node 0 after that"
done

# The work takes 82 s, of which 2 nodes do 6 s before the others join.
joins "3s join nodes 2-5"
less "$(took)" 16
ok $? "the nodes that have joined work at once: $(took) s"
[ "$(node 5 idle_ns)" -lt 13000000000 ]
ok $? "the statistics of a node that joined begin then"

joins "3s join nodes 2-5\n4s leave node 3\n5s leave node 0\n6s kill node 1" &&
	[ "$(node 4 executed)" -gt 0 ]
ok $? "nodes that have joined leave, and others go on"

joins "3000s join nodes 2-5" && [ "$(node 5 working_ns)" = 0 ]
ok $? "nodes whose time does not come while the run lasts do not join"
joins "3s join nodes 2-5\n4s join node 3\n4s suspect node 3"
ok $? "a node that joins again is no other node, and can be fenced"

echo '1s join node 0' >"$scratch/events"
complains 1 "node 0 can't join later" ./sateen sim -n 2 --survive yes \
	--events "$scratch/events" ./fib 10
ok $? "node 0 does not join later"

for run in 1 2 3; do
	rm -f "$scratch"/trace.*
	[ $run = 3 ] && seed=2 || seed=1
	joins "3s join nodes 3-4\n4s kill node 0\n5s join node 5" \
		--seed $seed --trace "$scratch/trace"
	cat "$scratch"/trace.* | cksum >"$scratch/sum.$run"
done
cmp -s "$scratch/sum.1" "$scratch/sum.2" &&
	! cmp -s "$scratch/sum.1" "$scratch/sum.3"
ok $? "equal seeds give equal runs to the last message, other seeds others"
plan
