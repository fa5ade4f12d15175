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
for scheduler in equal once smooth settle factoring fac2 wf awf af fractiling; do
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

# A node is five times as slow as others: settle moves its parts.
printf '0 1\n1 0.2\n2 1\n3 0.5\n' >"$scratch/speeds"
took() {
	prints '^hash' ./sateen sim -n 4 --cost counted --unit-cost 1us \
		--speeds "$scratch/speeds" --scheduler "$1" ./cells 1500 20 1 &&
		sed -n 's/^sateen: simulated .* nodes for \(.*\) s in .*/\1/p' \
			"$scratch/err"
}
equal=$(took equal)
settle=$(took settle)
awk -v equal="$equal" -v settle="$settle" \
	'BEGIN { exit !(settle > 0 && settle < 0.7 * equal) }'
ok $? "settle evens sweeps out: $settle s, with equal shares $equal s"
fractiling=$(took fractiling)
awk -v equal="$equal" -v fractiling="$fractiling" \
	'BEGIN { exit !(fractiling > 0 && fractiling < 0.9 * equal) }'
ok $? "and so does fractiling: $fractiling s"

# Spare nodes, which have no parts to give, do not keep a node from asking others.
spares() {
	prints '^hash' ./sateen sim -n 24 --spare 20 --cost counted \
		--unit-cost 1us --speeds "$scratch/speeds" --scheduler "$1" \
		./cells 1500 20 1 &&
		sed -n 's/^sateen: simulated .* nodes for \(.*\) s in .*/\1/p' \
			"$scratch/err"
}
printf '0 0.2\n' >"$scratch/speeds"
equal=$(spares equal)
settle=$(spares settle)
awk -v equal="$equal" -v settle="$settle" \
	'BEGIN { exit !(settle > 0 && settle < 0.7 * equal) }'
ok $? "nor does settle stop at 20 spare nodes: $settle s, not $equal s"

# changes EVENTS OPTION...: the same bits if nodes leave and join in virtual time.
changes() {
	printf '%b\n' "$1" >"$scratch/events"
	shift
	[ "$(bits ./sateen sim -n 5 --cost counted --unit-cost 1us \
		--survive yes --silence 50ms --grace 300ms \
		--events "$scratch/events" "$@" ./cells 1000 50)" = "$alone" ]
}
changes '10ms leave node 3\n31ms leave node 1' &&
	grep -q '^sateen: nodes left: 2;' "$scratch/err"
ok $? "nodes leave"
changes '20ms join node 5\n30ms join node 6\n31ms leave nodes 2-4' --max-nodes 7 \
	--scheduler restless && grep -q '^sateen: nodes left: 3;' "$scratch/err"
ok $? "nodes join, and others leave, while parts move"
changes '5ms join node 5\n60ms leave node 5' --max-nodes 6
ok $? "a node joins before the first cut, and leaves"

# A task on another node gives the records.
sum=$(./cells_freed 3)
for options in 'run -n 3' 'sim -n 3' 'sim -n 3 --scheduler restless'; do
	# shellcheck disable=SC2086 # words
	timeout 60 ./sateen $options ./cells_freed 3 task >"$scratch/out" 2>&1
	grep -qxF "$sum" "$scratch/out"
	ok $? "cells are given by a task with $options"
done

# wrong WHAT PATTERN: a program that does so is told.
wrong() {
	complains 1 "$2" ./sateen run -n 2 -w 1 ./cells_wrong "$1"
	ok $? "refused: $1"
}
wrong nan 'the place of a record of cells is no finite number'
wrong far 'the place of a record of cells is no finite number'
wrong early 'cells are used before STN_CELLS_FILL or STN_CELLS_PUT$'
wrong twice 'cells are filled twice$'
wrong bytes 'is for records of 8 bytes, but those of the cells have 24$'
wrong range 'there are no 2 records of cells from 99 on$'
wrong reach 'reach unknown_reach has returned 42, which is none of STN_REACH_'
wrong room 'STN_ROOM is for a kernel of STN_SUMMARISE, and is used once in it$'
wrong rooms 'STN_ROOM is for a kernel of STN_SUMMARISE, and is used once in it$'
wrong other 'wrong_fill is no reach of cells$'
wrong arguments 'wrong_reach and wrong_fill must have the same arguments$'
wrong grid 'a grid is used as an array of cells$'
wrong cells 'cells are used as a grid$'
wrong brief 'a brief summary of cells has at most 16777216 bytes, not 1073741824$'
wrong records "cells can't have 18446744073709551615 records\$"
wrong place 'records of 24 bytes have no three doubles at offset 1$'

plan
