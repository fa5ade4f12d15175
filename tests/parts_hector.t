#!/bin/sh
# parts_hector.t: resident sets leave nodes that others use, and lose, duplicate and
# reorder nothing; fractiling, Hector, and both.
. "$(dirname "$0")/tap.sh"

# moving OPTIONS...: simulates all shapes of tests/toy/grids.c on 4 nodes and 2 spare
# ones, whose cores others use again and again. True if all shapes are right.
awk 'BEGIN {
	srand(20)
	for (t = 0; t < 400; t += 1 + int(rand() * 4)) {
		if (t) print "@ " t "ms"
		for (n = 0; n < 6; n++) print n, (rand() < 0.4 ? 0.2 : 1)
	}
	print "@ 500ms\n* 1"
}' >"$scratch/returns"
moving() {
	rm -f "$scratch/json"
	prints ': right$' timeout 50 ./sateen sim -n 6 --spare 2 --cost counted \
		--unit-cost 1us --speeds "$scratch/returns" --hector yes \
		--hector-period 1ms --stats=json:"$scratch/json" "$@" ./grids &&
		! grep -q WRONG "$scratch/out" &&
		[ "$(sort -u "$scratch/out" | grep -c right)" = 25 ]
}

for options in '--scheduler equal' '--scheduler settle' '--scheduler restless' \
	'--scheduler fractiling' \
	'--scheduler fractiling --fractiling-service 30us --fractiling-chunk 2' \
	'--scheduler fractiling --hectiling yes' \
	'--scheduler fractiling --hectiling channel --hector-service 20us' \
	'--scheduler fractiling --hectiling inside'; do
	# shellcheck disable=SC2086 # words
	moving $options && [ "$(counted total.sets_left)" -gt 20 ] &&
		[ "$(counted total.sets_come)" = "$(counted total.sets_left)" ]
	ok $? "$options: $(counted total.sets_left) sets have moved"
done
moving --scheduler fractiling --hectiling yes &&
	[ "$(counted total.requests_held)" -gt 0 ]
ok $? "requests wait while the fractiling master moves: $(counted \
	total.requests_held)"

# Arrays of cells, which are cut anew while sets move.
prints '^hash' ./cells 1000 50
grep '^hash' "$scratch/out" >"$scratch/hash"
for options in '--scheduler equal' '--scheduler settle' '--scheduler fractiling' \
	'--scheduler fractiling --hectiling yes' \
	'--scheduler fractiling --hectiling inside --hector-service 20us'; do
	# shellcheck disable=SC2086 # words
	prints "^$(cat "$scratch/hash")\$" timeout 50 ./sateen sim -n 6 --spare 2 \
		--cost counted --unit-cost 1us --speeds "$scratch/returns" \
		--hector yes --hector-period 1ms \
		--stats=json:"$scratch/json" $options ./cells 1000 50 &&
		[ "$(counted total.sets_left)" -gt 20 ]
	ok $? "cells, $options: $(counted total.sets_left) sets have moved"
done

# right_cells OPTION...: such a run of cells has the right bits. The nodes die, leave
# and join that $scratch/events has. moving_cells OPTION...: and sets have moved.
right_cells() {
	prints "^$(cat "$scratch/hash")\$" timeout 50 ./sateen sim -n 6 --spare 2 \
		--cost counted --unit-cost 1us --speeds "$scratch/returns" \
		--hector yes --hector-period 1ms --survive yes --silence 5ms \
		--grace 100ms --events "$scratch/events" \
		--stats=json:"$scratch/json" "$@" ./cells 1000 50 &&
		! grep -q WRONG "$scratch/out"
}
moving_cells() {
	right_cells "$@" && [ "$(counted total.sets_left)" -gt 0 ]
}
for options in '--scheduler equal' '--scheduler settle' '--scheduler fractiling' \
	'--scheduler fractiling --hectiling yes' \
	'--scheduler fractiling --hectiling inside'; do
	for events in '40ms kill node 2\n90ms kill node 0' \
		'10ms leave node 3\n70ms kill node 5' \
		'15ms kill node 3\n30ms leave node 0'; do
		printf '%b\n' "$events" >"$scratch/events"
		# shellcheck disable=SC2086 # words
		moving_cells $options
		ok $? "cells, $options: sets move, and $(printf %s "$events" |
			sed 's/\\n/, /g')"
	done
done
for options in '--scheduler settle' '--scheduler fractiling' \
	'--scheduler fractiling --hectiling yes'; do
	printf '%s\n' '3ms join node 6' '40ms leave node 4' '50ms kill node 2' \
		>"$scratch/events"
	# shellcheck disable=SC2086 # words
	moving_cells $options --max-nodes 7 --hector-period 3ms
	ok $? "cells, $options: sets move to a node that has joined"
done
# An order to move a set is on its way when a node joins.
echo '11.629ms join node 6' >"$scratch/events"
moving_cells --scheduler fractiling --max-nodes 7 -c 2 --wan 1ms,20MB/s --silence 20ms
ok $? "no two sets are told to move to one node"
# Node 6 leaves before the nodes of the other cluster know that it has joined.
printf '%s\n' '40.645ms kill node 3' '84.171ms join node 6' \
	'85.201ms leave node 6' >"$scratch/events"
right_cells --scheduler fractiling --max-nodes 8 -c 2 --wan 1ms,20MB/s \
	--silence 20ms
ok $? "a node that has just joined leaves without a set"

for scheduler in equal settle fractiling; do
	for events in '40ms kill node 2\n90ms kill node 0' \
		'30ms leave node 3\n70ms kill node 5' \
		'20.02ms kill node 1\n21ms kill node 4'; do
		printf '%b\n' "$events" >"$scratch/events"
		moving --scheduler $scheduler --survive yes --silence 5ms \
			--grace 100ms --events "$scratch/events"
		ok $? "$scheduler: sets move, and $(printf %s "$events" |
			sed 's/\\n/, /g')"
	done
done

# sweep OPTIONS...: 4 nodes with 2 spare ones sweep a grid; prints the sum. A sweep
# takes 25 ms if all nodes have their cores for themselves.
sweep() {
	rm -f "$scratch/json"
	timeout 50 ./sateen sim -n 6 --spare 2 --cost counted --unit-cost 1us \
		--hector-period 50ms --stats=json:"$scratch/json" "$@" \
		./jacobi -r 400 -c 250 -n 40 --block 1 --part-rows 10 \
		--part-columns 250 2>"$scratch/err" | sed -n 's/^sum = //p'
}

# took: prints the virtual time of the last run, in ms.
took() {
	sed -n 's/^sateen: simulated .* nodes for \(.*\) s in .*/\1/p' \
		"$scratch/err" | awk '{ print int($1 * 1000) }'
}

alone=$(sweep)
whole=$(took)
[ -n "$alone" ] && [ "$(sweep --hector yes)" = "$alone" ] &&
	[ "$(took)" -le $((whole * 1005 / 1000)) ] &&
	[ "$(counted total.sets_left)" = 0 ]
ok $? "without load nothing moves, and Hector costs little: $(took), $whole ms"

printf '%s\n' '@ 100ms' '1 0.1' >"$scratch/load"
for scheduler in equal settle fractiling; do
	sweep --speeds "$scratch/load" --scheduler $scheduler >"$scratch/sum"
	slow=$(took)
	[ "$(sweep --speeds "$scratch/load" --scheduler $scheduler \
		--hector yes)" = "$alone" ] && [ "$(took)" -lt "$slow" ] &&
		[ "$(took)" -lt $((whole * 12 / 10)) ]
	ok $? "$scheduler: a set leaves a loaded node: $(took), not $slow ms"
done
sweep --speeds "$scratch/load" --scheduler equal --hector yes \
	--hector-keeps 5 >"$scratch/sum"
[ "$(counted total.sets_left)" = 0 ]
ok $? "it stays if it keeps more of its cores than --hector-keeps"

# The link is so slow that moving the set costs 2 s, and the load 1 s.
printf '%s\n' '@ 100ms' '1 0.5' >"$scratch/half"
sweep --speeds "$scratch/half" --scheduler equal --hector yes \
	--lan 10us,80KB/s >"$scratch/sum"
[ "$(counted total.sets_left)" = 0 ]
ok $? "it stays if moving costs more than it has lost"
sweep --speeds "$scratch/half" --scheduler equal --hector yes \
	--hector-links no --lan 10us,80KB/s >"$scratch/sum"
[ "$(counted total.sets_left)" = 1 ]
ok $? "unless links are not to count"

# Whoever has the set, the owner returns: each move is to a node that is free.
printf '%s\n' '1 0.1' '@ 200ms' '1 1' '4 0.1' '@ 400ms' '5 0.1' '4 1' '1 0.1' \
	'@ 600ms' '5 1' '4 0.1' >"$scratch/chase"
[ "$(sweep --speeds "$scratch/chase" --scheduler equal --hector yes)" = "$alone" ] &&
	[ "$(counted total.sets_left)" -ge 3 ]
ok $? "a set moves again and again: $(counted total.sets_left) times, $(took) ms"

printf '%s\n' '@ 100ms' '0 0.1' >"$scratch/load"
for hectiling in no yes channel inside; do
	[ "$(sweep --speeds "$scratch/load" --scheduler fractiling \
		--hectiling $hectiling --hector yes)" = "$alone" ] &&
		[ "$(counted total.sets_left)" = 1 ] &&
		[ "$(took)" -lt $((whole * 12 / 10)) ]
	ok $? "hectiling $hectiling: the fractiling master's set moves: $(took) ms"
done

sweep --scheduler fractiling --hectiling yes --hector-service 500us \
	>"$scratch/sum"
slow=$(took)
sweep --scheduler fractiling --hectiling channel --hector-service 500us \
	--hector-period 2ms >"$scratch/sum"
channel=$(took)
sweep --scheduler fractiling --hectiling yes --hector-service 500us \
	--hector-period 2ms >"$scratch/sum"
[ "$slow" -lt "$(took)" ] && [ "$channel" -lt "$(took)" ]
ok $? "reports delay requests, less so with a channel of their own: $slow; $(took), $channel ms"

# Real processes, on cores that others may use or not: whatever moves, the sum is that
# of one node.
prints '^sum = ' ./sateen run -n 1 -w 1 ./fmm_cost -d 2 -p 1000 -n 5
grep '^sum = ' "$scratch/out" >"$scratch/sum"
for options in '--scheduler equal' '--scheduler fractiling' \
	'--scheduler fractiling --hectiling yes'; do
	# shellcheck disable=SC2086 # words
	prints "^$(cat "$scratch/sum")$" ./sateen run -n 3 -w 1 --spare 1 \
		--hector yes --hector-period 10ms --hector-keeps 100 \
		--hector-links no $options ./fmm_cost -d 2 -p 1000 -n 5 --spin 20
	ok $? "real processes: $options"
done

complains 2 'resident sets can.t move with the scheduler smooth' \
	./sateen sim -n 2 --cost counted --scheduler smooth --hector yes ./grids
ok $? "a scheduler whose parts can't move as a whole is refused"
complains 2 'hectiling is for --scheduler fractiling' \
	./sateen sim -n 2 --cost counted --hectiling yes ./grids
ok $? "so is hectiling with another scheduler"
complains 2 'all nodes are spare' ./sateen sim -n 2 --spare 2 ./grids
ok $? "one node must have parts"
complains 2 '^sateen: all nodes are spare' ./sateen run -n 2 --spare 2 ./grids
ok $? "also in a real run, of which nothing is started"
complains 2 '^sateen: hectiling is "maybe"; it can be no, yes, ch' \
	./sateen run -n 2 --hectiling maybe ./grids
ok $? "a word that is no way of hectiling is refused"

plan
