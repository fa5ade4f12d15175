#!/bin/sh
# stats.t: the statistics of a run add up.
. "$(dirname "$0")/tap.sh"

# counted NAME: the sum over all nodes in the last run's table.
counted() {
	awk -v name="$1" '{
		line = $0
		sub(/^ +/, "", line)
		if (index(line, name "  ") == 1) {
			sub(/^[^0-9]*/, "", line)
			split(line, words, " ")
			print words[1]
			exit
		}
	}' "$scratch/err"
}

run() {
	timeout 100 ./sateen run --stats "$@" >"$scratch/out" \
		2>"$scratch/err" </dev/null
	ok $? "$*"
}

equal() {
	[ "$1" = "$2" ]
	ok $? "  $3 ($1, $2)"
}

some() {
	[ "$1" -gt 0 ]
	ok $? "  $2 ($1)"
}

# fib spawns once in each call above 1: F(n + 1) - 1 times.
run -n 1 --workers 1 ./fib 20
equal "$(counted 'tasks spawned')" 10945 "fib(20) spawns 10945 tasks"
equal "$(counted 'tasks executed')" 10945 "and all are executed"
equal "$(counted 'stolen inside the node')" 0 "one worker steals nothing"
equal "$(counted 'messages, LAN')" 0 "one node sends nothing"

run -n 1 --workers 3 ./tree -b 4 -d 3 -l 1ms
equal "$(counted 'tasks executed')" 84 "a tree of 4^3 leaves has 84 calls"
some "$(counted 'stolen inside the node')" "workers steal from each other"

run -n 4 --clusters 2 --wan 1ms --transport loop --balancer crs --workers 1 \
	./tree -b 4 -d 4 -l 1ms
equal "$(counted 'tasks executed')" 340 "over clusters each call is executed"
equal "$(counted 'tasks spawned')" 340 "and counted once"
some "$(counted 'stolen over WAN')" "some by other clusters"
some "$(counted 'stolen over LAN')" "some by nodes of the same"
some "$(counted 'messages, WAN')" "with messages between clusters"

run -n 4 --clusters 4 --wan 1ms --transport loop --balancer rs --workers 1 \
	./tree -b 4 -d 3 -l 1ms
equal "$(counted 'messages, LAN')" 0 "clusters of one send nothing inside"
equal "$(counted 'steal requests, LAN')" 0 "and ask nobody there"

run -n 4 --transport loop --balancer crs --workers 1 ./tree -b 4 -d 3 -l 1ms
equal "$(counted 'steal requests, WAN')" 0 "one cluster asks nobody outside"

plan
