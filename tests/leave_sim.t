#!/bin/sh
# leave_sim.t: simulated nodes and clusters leave their run when told to: results
# are right, and what the nodes have computed is not lost.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/simulated.sh"

for balancer in $balancers; do
	simulate '' -b "$balancer"
	whole=$(took)
	half=$(product "$whole" 0.5)
	simulate "${half}s leave cluster 1" -b "$balancer" --grace 1s &&
		grep -q '^sateen: nodes left: 3; ' "$scratch/err"
	ok $? "$balancer: a cluster leaves: the result is right"
	# Without losses 3/2 of the time, if one can divide the work so well.
	[ "$balancer" = rp ] || less "$(took)" "$(product "$whole" 1.6)"
	ok $? "$balancer: little is lost: $(took) s, without leaving $whole s"
	simulate "${half}s leave cluster 0" -b "$balancer" --grace 1s &&
		grep -q '^sateen: nodes left: 3; ' "$scratch/err" &&
		[ "$(total reused)" -gt 0 ]
	ok $? "$balancer: node 0's cluster leaves: the next root reuses results"
	simulate "3s leave nodes 1-2\n3.01s kill node 2\n3.2s kill node 4\n4s leave node 0" \
		-b "$balancer" --grace 500ms &&
		grep -q '^sateen: nodes died: 2, left: 2; ' "$scratch/err"
	ok $? "$balancer: nodes die while others leave"
	simulate "3s leave node 0\n3.4s leave nodes 1-4" -b "$balancer" \
		--grace 500ms && grep -q '^sateen: nodes left: 5; ' "$scratch/err"
	ok $? "$balancer: all but one leave; the last runs main again"
done

simulate '3s leave node 4' --grace 30s && [ "$(total redone)" = 0 ]
ok $? "a node that has time enough finishes what it has begun"
simulate '3s leave node 4' --grace 0s
ok $? "and one without any time leaves as well"

echo '3s leave nodes 0-5' >"$scratch/events"
complains 1 'at 3.000 s all nodes that live have been told to leave' \
	./sateen sim --clusters 2x3 --cost counted --survive yes \
	--events "$scratch/events" ./tree -b 4 -d 6 -l 20ms
ok $? "if all are to leave, the run ends"

# The logs are written each second.
simulate '300ms leave node 4' --grace 500ms --keep "$scratch/logs" \
	--keep-all yes &&
	[ -n "$(find "$scratch/logs" -name 'sateen-*-4.log')" ]
ok $? "what a node has kept for the disk is written before it leaves"

repeats "3s leave cluster 1\n3.1s kill node 4" --grace 1s

buffers '40ms leave node 1\n70ms leave node 0' \
	"./raytracer -s 64 -t 16 $source_directory/apps/raytracer/balls2.nff" \
	--unit-cost 3us --deposit 100ms --grace 20ms
ok $? "results in buffers are handed over, and right"

# Nodes 0 and 3 keep results of each other. Without those that node 3 hands over, this
# would take 19.1 s.
simulate '12s leave node 3\n12.6s kill node 0' --grace 500ms --seed 2 &&
	less "$(took)" 17
ok $? "results that a leaving node keeps survive a later death: $(took) s"

# A bound worker that has had work after it took its record back still takes any
# job in the end, for otherwise the jobs in the inbox may wait for ever.
printf '%s\n' '24819us leave node 0' '25607us kill node 0' '27564us leave node 1' \
	'27785us kill node 1' >"$scratch/events"
prints '^knapsack(18 items, 1 constraints) = 6340' timeout 60 ./sateen sim -n 5 -c 2 \
	--wan 5ms,1MB/s -b rp --cost counted --survive yes --silence 50ms \
	--grace 50ms --events "$scratch/events" --seed 1333 \
	./knapsack --fixed --generate 18
ok $? "two nodes in turn are told to leave, and die: no job waits for ever"

# The next root's main takes the time from when its sweeps began on node 0.
echo '5ms leave node 0' >"$scratch/events"
prints '^time: 0\.01[0-9] s, [0-9]* Mpoints/s$' ./sateen sim -n 3 --cost counted \
	--survive yes --grace 2ms --events "$scratch/events" \
	./heat3d --size 32 --sweeps 400 &&
	grep -q '^sateen: nodes left: 1; ' "$scratch/err"
ok $? "when node 0 leaves during sweeps, their time is that of all sweeps"

# 64 of 128 nodes leave; the time from the order to the last view.
echo '1s leave nodes 64-127' >"$scratch/events"
mkdir "$scratch/traces"
prints '^tree' ./sateen sim -n 128 --lan 18us,51.7MB/s --cost counted \
	--survive yes --grace 200ms --events "$scratch/events" \
	--message-log "$scratch/traces/t" ./tree -b 4 -d 6 -l 100ms
ended=$?
gone=$(cat "$scratch"/traces/t.* | awk '$3 == "take" && $4 == "view" && $1 > last {
	last = $1 } END { print last ? last * 1e-9 - 1 : 99 }')
[ $ended = 0 ] && less "$gone" 0.5
ok $? "64 nodes leave, with 0.2 s of grace, in $gone s"
plan
