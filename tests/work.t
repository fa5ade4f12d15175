#!/bin/sh
# work.t: how much work a program tells of depends on nothing but its arguments,
# and takes, where it is counted, so long in virtual time.
. "$(dirname "$0")/tap.sh"

. "$(dirname "$0")/matrix.sh"
unitless='fib tree' # all its work is spawns; its leaves sleep

# work OPTIONS...: simulates $command, a unit a microsecond, and prints how many
# it has told of.
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

# microseconds: of virtual time that the last simulation took.
microseconds() {
	sed -n 's/^sateen: simulated .* nodes for \(.*\)\.\(.*\) s in .*/\1\2/p' \
		"$scratch/err" | sed 's/^0*//'
}

# as_much UNITS: with each balancer.
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
	alone=$(work -n 1)
	[ "${alone:-0}" -gt 0 ] && [ "$(microseconds)" = "$alone" ]
	ok $? "$command: on one node, $alone units of work are its time"
	as_much "$alone"
	ok $? "$command: on four as many, whatever the balancer"
done 3<"$scratch/programs"
plan
