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

# bound SEED EVENT: simulates a tree of 122 s on 2 x 16 nodes, which loses a
# cluster after half of the time. True if it ends 2.6 % above the ideal time at
# most: workers without work must not wait for long.
bound() {
	printf '%s\n' "$2" >"$scratch/events"
	prints '^tree(4^8) = 65536 leaves' ./sateen sim --clusters 2x16 \
		--wan 100ms,1MB/s --lan 16500ns,51.7MB/s --cost counted \
		--survive yes --seed "$1" --grace 800ms \
		--events "$scratch/events" ./tree -b 4 -d 8 -l 60ms \
		--spread 50 && less "$(took)" 190
	ok $? "seed $1: $2: at most 2.6 % above the ideal 185.1 s: $(took) s"
}
bound 1 '61.8s kill cluster 0'
bound 2 '61.8s leave cluster 1'

# ending EVENTS: simulates three nodes, to which the events happen. When node 0 has
# got all counts, it takes 20 us to show them; the others are at the barrier then.
ending() {
	printf '%b' "$1" >"$scratch/events"
	./sateen sim -n 3 -b rs --seed 133 --overhead 20us --cost counted \
		--task-cost 1us --survive yes --silence 100ms \
		--events "$scratch/events" --stats ./tree -b 3 -d 4 -l 10ms \
		>"$scratch/out" 2>"$scratch/err" &&
		grep -qx 'tree(3^4) = 81 leaves' "$scratch/out" &&
		[ "$(grep -c '^statistics: ' "$scratch/err")" = 1 ]
}
ending ''
last=$(sed -n 's/.*simulated 3 nodes for 0.\([0-9]*\) s.*/\1/p' "$scratch/err")
last=${last#"${last%%[!0]*}"} # us, without zeros at the front
failures=
for before in 1 4 10 16 22 50; do
	at=$((last - before))
	ending "${at}us vanish node 0\n" || failures="$failures $at"
	ending "${at}us vanish node 0\n$((at + 1))us kill node 1\n" ||
		failures="$failures $at"
done
[ "$last" -gt 100 ] && [ -z "$failures" ]
ok $? "one or two roots die at the very end: the next shows the statistics $failures"

printf '700us kill node 0\n' >"$scratch/events"
./sateen sim -n 2 -c 2 --wan 10ms --cost counted --events "$scratch/events" ./nqueens 8 \
	>"$scratch/out" 2>"$scratch/err"
[ $? = 0 ] && [ "$(cat "$scratch/out")" = 'nqueens(8) = 92
time: 0.000 s' ] && grep -q '^sateen: nodes died: 1; ' "$scratch/err"
ok $? "if the root dies after it has printed, the next one does not print again"

repeats "3s kill node 4\n5s kill cluster 0"

buffers '40ms kill node 1\n70ms kill node 3' \
	"./raytracer -s 64 -t 16 $source_directory/apps/raytracer/balls2.nff" \
	--unit-cost 3us --deposit 1ms && [ "$(total redone)" -gt 0 ]
ok $? "raytracer: results in buffers are reused, and right"
buffers '2s kill node 1\n4s kill node 3' './matmul -l 16 128' \
	--unit-cost 10ms --deposit 100ms && [ "$(total redone)" -gt 0 ]
ok $? "matmul, which overwrites inputs: the same"
plan
