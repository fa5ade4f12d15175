#!/bin/sh
# parts_cells_survive.t: arrays of cells have the same bits, whichever nodes die,
# leave and join meanwhile, and in whatever they are doing.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/processes.sh"

prints '^hash' ./cells 1000 50
alone=$(sed -n 's/^hash = //p' "$scratch/out")

# simulated EVENTS OPTION...: simulates tests/toy/cells.c on 5 nodes, to which the
# events happen: lines as of --events, where the shell expands \n. The run takes
# some 75 ms.
simulated() {
	printf '%b\n' "$1" >"$scratch/events"
	shift
	timeout 100 ./sateen sim -n 5 --cost counted --unit-cost 1us \
		--survive yes --silence 5ms --once-after 1 --smooth-every 1 \
		--events "$scratch/events" "$@" ./cells 1000 50 \
		>"$scratch/out" 2>"$scratch/err"
}

# same EVENTS OPTION...: such a run has the right bits.
same() {
	simulated "$@" && ! grep -q WRONG "$scratch/out" &&
		grep -q "^hash = $alone\$" "$scratch/out"
}

# The first kind of records takes some 18 ms. In these moments the nodes fill
# cells, cut them, sweep, summarise, fetch near cells, copy records out and in.
for at in 0.1 0.5 1 1.5 2 3 4 6 8 10 12; do
	same "${at}ms kill node 2"
	ok $? "a node dies after $at ms"
	same "${at}ms kill node 0"
	ok $? "node 0 dies after $at ms"
done
for scheduler in settle equal once smooth factoring restless; do
	same '21ms kill node 2\n60ms kill node 0' --scheduler $scheduler &&
		grep -q '^sateen: nodes died: 2;' "$scratch/err"
	ok $? "$scheduler: a node dies, and then node 0"
	same '5ms leave node 3\n9ms leave node 0\n11ms kill node 1' \
		--grace 100ms --scheduler $scheduler &&
		grep -q '^sateen: nodes died: 1, left: 2;' "$scratch/err"
	ok $? "$scheduler: a node leaves, then node 0, and one dies meanwhile"
	same '3ms join node 5\n20ms join node 6\n30ms kill node 1' \
		--max-nodes 7 --scheduler $scheduler
	ok $? "$scheduler: nodes join, and one dies after that"
done
# Records are copied in from 13 to 15 ms.
for at in 13.2 13.4 13.6 13.8 14 14.2 14.4 14.6; do
	same "${at}ms kill node 2"
	ok $? "node 0 gives records again after a death at $at ms"
done
same '13.6ms kill node 2\n13.9ms kill node 3' &&
	same '13.6ms kill node 4\n14.2ms leave node 3' --grace 0s
ok $? "and once more after another one"
same '14ms kill node 0'
ok $? "main gives them again if node 0 has died"
same '10ms kill node 0\n15.05ms kill node 1\n15.3ms kill node 4'
ok $? "two nodes die while the death of a third is repaired"
# The operation that node 0 sends last, while it repeats others, reaches node 3 only.
same '9432.7us leave node 0\n10169.4us kill node 4\n12296.8us leave node 5\n13597us leave node 2' \
	-n 6 --clusters 3 --wan 0.5ms,20MB/s --unit-cost 0.2us --grace 20ms \
	--max-nodes 8
ok $? "node 0 leaves while operations are repeated"
same '20ms leave nodes 0-1' --grace 0s
ok $? "nodes leave without any time for it"
same '10ms kill node 0' -c 2 --wan 1ms,10MB/s
ok $? "node 0 dies in the first of two clusters"
# Arrays that main has freed are not written any more.
echo '3ms kill node 0' >"$scratch/events"
timeout 100 ./sateen sim -n 5 --cost counted --unit-cost 1us --survive yes \
	--silence 5ms --events "$scratch/events" --keep "$scratch/logs" \
	./cells_freed >"$scratch/out" 2>"$scratch/err" &&
	grep -q '^sum = 2495000$' "$scratch/out" &&
	grep -q '^sateen: nodes died: 1;' "$scratch/err"
ok $? "with --keep, main gives their records again to arrays that it had freed"

# move EVENTS OPTION...: simulates nbody on 4 nodes; prints all but its time.
move() {
	printf '%b\n' "$1" >"$scratch/events"
	shift
	timeout 100 ./sateen sim -n 4 --cost counted --survive yes --silence 5ms \
		--events "$scratch/events" --stats=json:"$scratch/json" "$@" \
		./nbody -n 2000 --part 100 -t 12 >"$scratch/out" 2>"$scratch/err" &&
		grep -v '^time' "$scratch/out" | sort -u
}

# end_us: how long the last run took.
end_us() {
	sed -n 's/^sateen: simulated .* nodes for \(.*\) s in .*/\1/p' \
		"$scratch/err" | awk '{ print int($1 * 1000000) }'
}

move '' >"$scratch/whole"
whole=$(end_us)
[ "$(counted total.copied_versions)" -ge 1 ]
ok $? "parts are copied: $(counted total.copied_versions) versions"
move '' --survive no >"$scratch/sum"
cmp -s "$scratch/sum" "$scratch/whole" &&
	[ "$(counted total.copies)" = 0 ] &&
	[ "$whole" -le $(($(end_us) * 101 / 100)) ]
ok $? "copying costs 1 % at most: $whole us, without copies $(end_us) us"
late=$((whole * 9 / 10))
for node in 2 0; do
	move "${late}us kill node $node" >"$scratch/sum"
	cmp -s "$scratch/sum" "$scratch/whole" &&
		[ "$(counted total.returned)" -gt 0 ]
	ok $? "nbody: node $node dies near the end"
done
move "${late}us kill node 0" --survive yes >"$scratch/sum"
took=$(end_us)
[ "$took" -lt $((whole * 17 / 10)) ]
ok $? "not all is repeated then: $took us, not $((whole * 19 / 10))"

# In a real run.
node() {
	# shellcheck disable=SC2046 # a list
	node_among "$1" $(children "$launcher")
}

prints checksum ./nbody -n 20000 --part 500 -t 15
grep '^after' "$scratch/out" >"$scratch/alone"
for event in 'KILL 1' 'KILL 0' 'TERM 2'; do
	start ./sateen run -n 3 --workers 1 --survive yes ./nbody -n 20000 \
		--part 500 -t 15
	await_nodes 0 1 2
	await_asleep "$launcher"
	# shellcheck disable=SC2086 # two words
	strike $event
	finish
	[ "$status" = 0 ] && grep '^after' "$scratch/run.out" |
		cmp -s - "$scratch/alone" || show_run
	ok $? "nbody: a node gets $event"
done
plan
