#!/bin/sh
# parts_threads.t: cells, particles and resident sets on nodes with several workers
# have the bits of one worker. The simulated runs of other tests have one thread; the
# build with the thread sanitizer looks for data races in these runs.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/processes.sh"

# result PATTERN COMMAND...: prints the lines with the pattern that it has printed.
result() {
	pattern=$1
	shift
	prints "$pattern" "$@" && grep "$pattern" "$scratch/out"
}

# same WHAT COMMAND...: its lines are those of the last call of result.
same() {
	what=$1
	shift
	[ -n "$alone" ] && [ "$(result "$pattern" "$@")" = "$alone" ]
	ok $? "$what"
}

alone=$(result '^hash' env STN_WORKERS=1 ./cells 300 50)
pattern='^hash'
for scheduler in restless settle fractiling; do
	same "cells with $scheduler" ./sateen run -n 3 -w 2 \
		--scheduler $scheduler ./cells 300 50
done
same "cells with copies" ./sateen run -n 2 -w 2 --survive yes ./cells 300 50

alone=$(result '^after' env STN_WORKERS=1 ./nbody -n 2000 --part 100 -t 3)
pattern='^after'
same "particles in one node" env STN_WORKERS=3 ./nbody -n 2000 --part 100 -t 3
for scheduler in settle fractiling; do
	same "particles with $scheduler" ./sateen run -n 2 -w 2 \
		--scheduler $scheduler ./nbody -n 2000 --part 100 -t 3
done

node() {
	# shellcheck disable=SC2046 # a list
	node_among "$1" $(children "$launcher")
}
threads=5
have_begun() {
	has_begun 0 && has_begun 1 && has_begun 2 && is_asleep "$launcher"
}
# lose: kills a node of a run when all have begun. False if the run ends before.
lose() {
	start ./sateen run -n 3 -w 2 --survive yes ./nbody -n 2000 --part 100 \
		-t $steps
	until_true over_or have_begun
	strike KILL 1 2>/dev/null
	finish
	[ "$status" != 0 ] || grep -q 'died: signal 9' "$scratch/run.err"
}
# The sanitizer makes a run ten times slower.
steps=300
[ "$more_threads" = 0 ] || steps=20
while ! lose && [ $steps -lt 10000 ]; do
	steps=$((4 * steps))
done
alone=$(result '^after' ./nbody -n 2000 --part 100 -t $steps)
[ "$status" = 0 ] && [ "$(grep '^after' "$scratch/run.out")" = "$alone" ] &&
	grep -q '^sateen: nodes died: 1;' "$scratch/run.err" || show_run
ok $? "particles after a death"

alone=$(result '^sum' ./sateen run -n 1 -w 1 ./fmm_cost -d 2 -p 1000 -n 5)
pattern='^sum'
for options in '--scheduler settle' '--scheduler fractiling' \
	'--scheduler fractiling --hectiling yes' \
	'--scheduler fractiling --hectiling inside'; do
	# shellcheck disable=SC2086 # words
	same "resident sets, $options" ./sateen run -n 3 -w 2 --spare 1 --hector yes \
		--hector-period 10ms --hector-keeps 100 --hector-links no $options \
		./fmm_cost -d 2 -p 1000 -n 5 --spin 20
done
plan
