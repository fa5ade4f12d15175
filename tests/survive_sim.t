#!/bin/sh
# survive_sim.t: simulated runs survive the deaths of their nodes: results are
# right, finished work is not repeated, and equal seeds give equal runs.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/simulated.sh"

simulate ''
whole=$(took)
half=$(product "$whole" 0.5)

for balancer in $balancers; do
	simulate "${half}s kill cluster 1" -b "$balancer" &&
		[ "$(total reused)" -gt 0 ] && [ "$(total redone)" -gt 0 ]
	ok $? "$balancer: the death of a cluster: the result is right, and results are reused"
	simulate "${half}s kill cluster 0" -b "$balancer" &&
		[ "$(total reused)" -gt 0 ]
	ok $? "$balancer: the death of node 0's cluster: the same"
	simulate "3s vanish node 4\n3.0501s kill node 1\n3.0502s kill node 5" \
		-b "$balancer"
	ok $? "$balancer: two nodes die while the death of a third is repaired"
	simulate "3s suspect node 2\n3.5s suspect node 0" -b "$balancer"
	ok $? "$balancer: nodes that are falsely suspected are fenced, node 0 too"
done

# The time of a run without losses is 3/2 of the whole; if all is lost, 2.
simulate "${half}s kill cluster 1"
with=$(took)
simulate "${half}s kill cluster 1" --deposit 0s
without=$(took)
less "$with" "$(product "$whole" 1.7)" &&
	less "$with" "$(product "$without" 0.95)"
ok $? "deposits save time: $with s, not $without s; without deaths $whole s"
[ "$(total deposited)" = 0 ]
ok $? "no results are deposited if the time between deposits is 0"

repeats "3s kill node 4\n5s kill cluster 0"

buffers '40ms kill node 1\n70ms kill node 3' \
	"./raytracer -s 64 -t 16 $source_directory/apps/raytracer/balls2.nff" \
	--unit-cost 3us --deposit 1ms && [ "$(total redone)" -gt 0 ]
ok $? "raytracer: results in buffers are reused, and right"
buffers '2s kill node 1\n4s kill node 3' './matmul -l 16 128' \
	--unit-cost 10ms --deposit 100ms && [ "$(total redone)" -gt 0 ]
ok $? "matmul, which overwrites inputs: the same"
plan
