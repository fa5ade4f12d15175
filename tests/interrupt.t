#!/bin/sh
# interrupt.t: an optimisation that is interrupted prints its best solution; on a
# terminal it shows the value of the best one while it runs.
. "$(dirname "$0")/tap.sh"

# A grid with an odd number of cities has so many tours of nearly the same length that
# the search takes hours.
awk 'BEGIN {
	print "NAME: grid\nTYPE: TSP\nDIMENSION: 99\nEDGE_WEIGHT_TYPE: EUC_2D"
	print "NODE_COORD_SECTION"
	for (i = 0; i < 99; i++)
		print i + 1, 10 * (i % 9), 10 * int(i / 9)
	print "EOF"
}' >"$scratch/grid.tsp"
hard='-g 300 --elements 200 --percent 10'

# catches PROCESS: whether the process handles SIGINT.
catches() {
	signals=$(sed -n 's/^SigCgt:.*\(.\)$/\1/p' "/proc/$1/status")
	case $signals in
	[2367abefABEF]) ;;
	*) return 1 ;;
	esac
}

# children_catch PROCESS: whether a child of the process handles SIGINT.
children_catch() {
	for child in $(cat "/proc/$1/task/$1/children"); do
		catches "$child" && return
	done
	return 1
}

# interrupt READY COMMAND...: starts the command, interrupts it when READY says that it
# is ready, and sets the status.
interrupt() {
	ready=$1
	shift
	# shells start background jobs with SIGINT ignored; env undoes it
	env --default-signal=INT "$@" >"$scratch/out" 2>"$scratch/err" &
	until_true "$ready" $!
	kill -INT $!
	wait $!
	status=$?
	sed 's/^/# /' "$scratch/out" "$scratch/err" | cut -c 1-200
}

# prints_best PATTERN: whether the status is 130, and the program has printed a
# solution that matches, marked.
prints_best() {
	[ $status = 130 ] &&
		[ "$(head -n 1 "$scratch/out")" = 'interrupted: not proven optimal' ] &&
		grep -q -e "$1" "$scratch/out"
}

# tours: whether the tour that was printed has each of 99 cities.
tours() {
	sed -n 's/^tour: //p' "$scratch/out" | tr ' ' '\n' | sort -n -u >"$scratch/cities"
	seq 99 | cmp -s - "$scratch/cities"
}

interrupt catches ./tsp "$scratch/grid.tsp"
prints_best '^grid: [0-9]*$' && tours && [ ! -s "$scratch/err" ]
ok $? "tsp prints a tour and ends with status 130"
for options in '-n 3 --workers 1' '-n 3 --transport loop' '-n 2 --survive no'; do
	# shellcheck disable=SC2086 # words
	interrupt children_catch ./sateen run $options ./tsp "$scratch/grid.tsp"
	prints_best '^grid: [0-9]*$' && tours &&
		[ "$(cat "$scratch/err")" = 'sateen: interrupted by signal 2' ]
	ok $? "run $options: tsp prints a tour, and the run ends"
done
# shellcheck disable=SC2086
interrupt catches ./setcover $hard
prints_best '^sets: [0-9 ]*$'
ok $? "setcover prints a cover"
interrupt catches ./knapsack -g 64 --constraints 10
prints_best '^items: [0-9 ]*$'
ok $? "knapsack prints items"

if ! command -v script >/dev/null; then
	skip "terminals" "script (bsdutils)"
	plan
fi

# terminal COMMAND: runs a command line on a terminal in the background, whose keyboard
# is descriptor 3, and writes what it shows to the file "shown".
terminal() {
	rm -f "$scratch/keys"
	mkfifo "$scratch/keys"
	env --default-signal=INT script -qefc "$1" /dev/null <"$scratch/keys" \
		>"$scratch/shown" 2>&1 &
	exec 3>"$scratch/keys"
}

# shows PATTERN: whether the terminal has shown a line that matches.
shows() {
	tr '\r\033' '\n\n' <"$scratch/shown" | grep -q -e "$1"
}

for run in '' './sateen run -n 3 --workers 1'; do
	terminal "$run ./tsp --bound distances --limit 100000 -g 40"
	until_true shows '^\[Kbest so far: [0-9]*, found by node [012] after [0-9]*\.[0-9] s'
	ok $? "${run:-alone}: a terminal shows the length of the best tour"
	printf '\003' >&3
	wait $!
	status=$?
	exec 3>&-
	[ $status = 130 ] && shows 'interrupted: not proven optimal' &&
		shows '^random40: [0-9]*$'
	ok $? "${run:-alone}: Control-C prints the tour"
done
terminal "./tsp --bound distances --limit 100000 -g 15 >$scratch/out; echo end"
until_true shows '^end'
exec 3>&-
! shows 'best so far' && grep -q '^random15' "$scratch/out"
ok $? "nothing is shown if the output goes to a file"
plan
