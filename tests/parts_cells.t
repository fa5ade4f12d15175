#!/bin/sh
# parts_cells.t: arrays of cells have the values of plain loops, and the same bits,
# wherever their parts are.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/processes.sh"

# bits OPTIONS...: prints the hash of such a run of tests/toy/cells.c, if all of its
# kinds are right.
bits() {
	prints '^hash' "$@" && [ "$(grep -c ': right$' "$scratch/out")" = 4 ] &&
		sed -n 's/^hash = //p' "$scratch/out"
}

alone=$(bits ./cells 1000 50)
[ -n "$alone" ]
ok $? "cells are as plain loops have them: $alone"

# same WHAT OPTIONS...: such a run has the same bits.
same() {
	what=$1
	shift
	[ "$(bits ./sateen "$@" ./cells 1000 50)" = "$alone" ]
	ok $? "the same bits $what"
}
same "on one node with four workers" run -n 1 -w 4
same "on three nodes" run -n 3 -w 1
same "while parts move in each sweep" run -n 4 -w 2 --scheduler restless
same "in three clusters" run -n 6 -w 1 -c 3 --wan 500us,100MB/s
same "in virtual time" sim -n 5 --cost counted --scheduler restless
same "in virtual time, on nodes of different speeds" sim -n 6 -c 2 \
	--wan 5ms,1MB/s --cost counted --speed 1,0.01
for scheduler in equal once smooth settle factoring fac2 wf awf af; do
	same "with $scheduler" sim -n 4 --cost counted --scheduler $scheduler \
		--once-after 1 --smooth-every 1
done

# sizes: RECORDS MOST.
for size in '0 50' '1 50' '2 1' '100 1' '700 4096' '300 7'; do
	# shellcheck disable=SC2086 # two words
	one=$(bits ./cells $size)
	# shellcheck disable=SC2086
	[ -n "$one" ] && [ "$(bits ./sateen sim -n 5 --cost counted \
		--scheduler restless ./cells $size)" = "$one" ] &&
		[ "$(bits ./sateen run -n 3 -w 1 ./cells $size)" = "$one" ]
	ok $? "of ${size% *} records, at most ${size#* } in a part"
done

plan
