#!/bin/sh
# work.t: the work that a program reports depends only on its arguments, unless it
# shares a bound. If costs are counted, it is the program's virtual time.
. "$(dirname "$0")/tap.sh"

. "$(dirname "$0")/matrix.sh"
unitless='fib tree' # fib's only work is spawns; tree's leaves sleep

# work OPTIONS...: simulates $command with a microsecond for each unit, and prints
# the number of units that it has reported.
work() {
	# shellcheck disable=SC2086 # words
	timeout 100 ./sateen sim --cost counted --task-cost 0s --unit-cost 1us \
		--stats=json:"$scratch/json" "$@" ./$command \
		>"$scratch/out" 2>"$scratch/err" </dev/null || {
		sed 's/^/# /' "$scratch/err" >&2
		return
	}
	perl "$source_directory/tests/stats.pl" get "$scratch/json" \
		total.work_units
}

# microseconds: prints the virtual time of the last simulation.
microseconds() {
	sed -n 's/^sateen: simulated .* nodes for \(.*\)\.\(.*\) s in .*/\1\2/p' \
		"$scratch/err" | sed 's/^0*//'
}

# as_much UNITS: true if there are as many units with each balancer.
as_much() {
	for balancer in $balancers; do
		units=$(work --clusters 2x2 --wan 1ms,1MB/s -b "$balancer")
		[ "$units" = "$1" ] && continue
		echo "# with $balancer $units"
		return 1
	done
}

list small
while IFS='|' read -r command expected <&3; do
	case " $unitless " in
	*" ${command%% *} "*) continue ;;
	esac
	# Searches that share a bound do more or less work, by what they learn when.
	case $command in
	*--fixed* | *--maximal*) ;;
	"clique "* | "golomb "* | "knapsack "* | "setcover "* | "tsp "* | "nqueens --first"*) continue ;;
	esac
	alone=$(work -n 1)
	[ "${alone:-0}" -gt 0 ] && [ "$(microseconds)" = "$alone" ]
	ok $? "$command: the $alone units of work on one node are its virtual time"
	as_much "$alone"
	ok $? "$command: four nodes report as many units with every balancer"
done 3<"$scratch/programs"
plan
