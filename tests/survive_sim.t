#!/bin/sh
# survive_sim.t: simulated runs survive the deaths of their nodes: results are
# right, finished work is not repeated, and equal seeds give equal runs.
. "$(dirname "$0")/tap.sh"

. "$(dirname "$0")/matrix.sh"
leaves='tree(4^6) = 4096 leaves'

# dies EVENTS OPTIONS...: simulates a tree of 13 s on 2 x 3 nodes, to which the
# events happen. The shell expands \n in EVENTS. True if the result is right, and the
# statistics of the survivors add up.
dies() {
	printf '%b\n' "$1" >"$scratch/events"
	shift
	rm -f "$scratch/json"
	prints "^$leaves" ./sateen sim --clusters 2x3 --wan 2ms,1MB/s \
		--cost counted --silence 50ms --survive yes \
		--events "$scratch/events" --stats=json:"$scratch/json" \
		"$@" ./tree -b 4 -d 6 -l 20ms --spread 50 &&
		adds_up
}

# adds_up: whether the sums hold that hold on each node by itself, those of tasks
# included.
adds_up() {
	grep -q '"loans": {' "$scratch/json" &&
		grep -q '"hold": true' "$scratch/json" && return
	sed -n '/"sums": {/,/^  }/s/^/# /p' "$scratch/json"
	return 1
}

# counted NAME: prints a sum of the last run's statistics.
counted() {
	perl "$source_directory/tests/stats.pl" get "$scratch/json" "total.$1"
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

dies ''
whole=$(took)
half=$(echo "$whole" | awk '{ print $1 / 2 }')

for balancer in $balancers; do
	dies "${half}s kill cluster 1" -b "$balancer" &&
		[ "$(counted reused)" -gt 0 ] && [ "$(counted redone)" -gt 0 ]
	ok $? "$balancer: the death of a cluster: the result is right, and results are reused"
	dies "${half}s kill cluster 0" -b "$balancer" &&
		[ "$(counted reused)" -gt 0 ]
	ok $? "$balancer: the death of node 0's cluster: the same"
	dies "3s vanish node 4\n3.0501s kill node 1\n3.0502s kill node 5" \
		-b "$balancer"
	ok $? "$balancer: two nodes die while the death of a third is repaired"
	dies "3s suspect node 2\n3.5s suspect node 0" -b "$balancer"
	ok $? "$balancer: nodes that are falsely suspected are fenced, node 0 too"
done

# The time of a run without losses is 3/2 of the whole; if all is lost, 2.
dies "${half}s kill cluster 1"
with=$(took)
dies "${half}s kill cluster 1" --deposit 0s
without=$(took)
less "$with" "$(echo "$whole" | awk '{ print 1.7 * $1 }')" &&
	less "$with" "$(echo "$without" | awk '{ print 0.95 * $1 }')"
ok $? "deposits save time: $with s, not $without s; without deaths $whole s"
[ "$(counted deposited)" = 0 ]
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

for run in 1 2 3; do
	rm -f "$scratch"/trace.*
	[ $run = 3 ] && seed=2 || seed=1
	dies "3s kill node 4\n5s kill cluster 0" --seed $seed \
		--trace "$scratch/trace"
	cat "$scratch"/trace.* | cksum >"$scratch/sum.$run"
done
cmp -s "$scratch/sum.1" "$scratch/sum.2" &&
	! cmp -s "$scratch/sum.1" "$scratch/sum.3"
ok $? "equal seeds give equal runs to the last message, other seeds others"

# buffers PROGRAM EVENTS OPTIONS...: tests that a program whose results lie in
# buffers has the checksum that it has on one node, although nodes die.
buffers() {
	program=$1
	printf '%b\n' "$2" >"$scratch/events"
	shift 2
	rm -f "$scratch/json"
	# shellcheck disable=SC2086 # words
	./sateen sim -n 1 --cost counted $program 2>/dev/null |
		sed -n 's/.*\(checksum [0-9a-f]*\).*/\1/p' >"$scratch/checksum"
	# shellcheck disable=SC2086 # words
	prints "$(cat "$scratch/checksum")" ./sateen sim --clusters 2x2 \
		--wan 100us,50MB/s --cost counted --survive yes "$@" \
		--events "$scratch/events" --stats=json:"$scratch/json" \
		$program &&
		adds_up && [ "$(counted redone)" -gt 0 ] && [ "$(counted reused)" -gt 0 ]
	ok $? "${program%% *}: results in buffers are reused, and right"
}

buffers "./raytracer -s 64 -t 16 $source_directory/apps/raytracer/balls2.nff" \
	'40ms kill node 1\n70ms kill node 3' --unit-cost 3us --deposit 1ms
# It overwrites inputs.
buffers './matmul -l 16 128' '2s kill node 1\n4s kill node 3' \
	--unit-cost 10ms --deposit 100ms
plan
