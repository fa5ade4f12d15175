#!/bin/sh
# parts_survive.t: grids have the same values as plain loops, whichever nodes die,
# leave and join meanwhile.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/processes.sh"

# simulated EVENTS OPTION...: simulates all shapes of tests/toy/grids.c on 5 nodes,
# to which the events happen: lines as of --events, where the shell expands \n. The
# run takes some 150 ms. True if all shapes are right.
simulated() {
	printf '%b\n' "$1" >"$scratch/events"
	shift
	prints ': right$' ./sateen sim -n 5 --cost counted --unit-cost 1us \
		--survive yes --silence 5ms --once-after 2 --smooth-every 2 \
		--events "$scratch/events" "$@" ./grids &&
		! grep -q WRONG "$scratch/out" &&
		[ "$(sort -u "$scratch/out" | grep -c right)" = 15 ]
}

for scheduler in settle equal once smooth restless; do
	simulated '40ms kill node 2\n90ms kill node 0' --scheduler $scheduler &&
		grep -q '^sateen: nodes died: 2;' "$scratch/err"
	ok $? "$scheduler: a node dies, and then node 0"
	simulated '40ms leave node 3\n80ms leave node 0' --grace 100ms \
		--scheduler $scheduler &&
		grep -q '^sateen: nodes left: 2;' "$scratch/err"
	ok $? "$scheduler: a node leaves, and then node 0"
	simulated '30ms join node 5\n60ms join node 6\n100ms kill node 1' \
		--max-nodes 7 --scheduler $scheduler
	ok $? "$scheduler: nodes join, and one dies after that"
done
simulated '40ms kill node 0\n45.05ms kill node 1\n45.3ms kill node 4'
ok $? "two nodes die while the death of a third is repaired"
simulated '40ms leave node 0\n40.2ms kill node 1\n41ms leave node 2' \
	--grace 100ms
ok $? "a node dies while others leave"
simulated '40ms leave nodes 0-1' --grace 0s
ok $? "nodes leave without any time for it"
simulated '0ms kill node 4\n0.02ms kill node 1'
ok $? "nodes die when the first grid is made"
simulated '20ms leave node 0\n30ms leave node 1\n40ms leave node 2\n50ms leave node 3' \
	--grace 20ms
ok $? "all nodes but the last leave"
simulated '20ms join node 5\n40ms leave nodes 0-4' --max-nodes 6 --grace 50ms
ok $? "all first nodes leave; one that has joined remains"

# In a real run.
node() {
	# shellcheck disable=SC2046 # a list
	node_among "$1" $(children "$launcher")
}

# begin OPTION...: starts a run of three nodes that has swept for a while: its error
# shows that parts have returned and all operations were repeated.
begin() {
	start ./sateen run -n 3 --workers 1 "$@" ./jacobi -r 400 -c 400 \
		-n 8000 --part-rows 50
	await_nodes 0 1 2
}

# right: the run ends well.
right() {
	finish
	[ $status = 0 ] && grep -q '^jacobi(400 x 400, 8000 sweeps): error' \
		"$scratch/run.out" || show_run
}

begin
strike KILL 1
right
ok $? "a node is killed"
begin
strike KILL 0
right
ok $? "node 0 is killed"
begin
strike TERM 2
right && grep -q 'left: 1' "$scratch/run.err"
ok $? "a node is told to leave"
plan
