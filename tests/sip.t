#!/bin/sh
# sip.t: sip counts what trying all ways counts. It finds the same without tasks, on
# any number of nodes, with any balancer and link, and after deaths. It refuses
# malformed graphs.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/simulated.sh"
. "$(dirname "$0")/alone.sh"

program=sip

graphs=$source_directory/tests/data/fuzz/sip

try_all() {
	perl "$source_directory/tests/sip.pl" "$@"
}

# Random graphs, in which some vertices have edges to themselves.
for seed in 1 2 3 4; do
	try_all make 5 $((seed * 20)) $seed >"$scratch/pattern"
	try_all make 9 60 $((seed + 10)) >"$scratch/target"
	for induced in '' --induced; do
		ways=$(try_all count "$scratch/pattern" "$scratch/target" $induced)
		# shellcheck disable=SC2086 # no word
		prints "vertices.*) = $ways\$" ./sip --count $induced \
			"$scratch/pattern" "$scratch/target"
		ok $? "seed $seed $induced: $ways ways, as by trying all"
		# shellcheck disable=SC2086
		prints "vertices.*) = [n0-9]" ./sip $induced "$scratch/pattern" \
			"$scratch/target" && {
			grep -q none "$scratch/out"
			[ $? = $((ways > 0)) ]
		}
		ok $? "seed $seed $induced: there is a way, or none"
	done
done
prints '^sip(3 in 3 vertices) = 6$' ./sip -c "$graphs/triangle" "$graphs/triangle"
ok $? "a triangle has 6 symmetries"
prints '^sip(5 in 5 vertices, induced) = 10$' ./sip -ci "$graphs/cycle" "$graphs/cycle"
ok $? "a cycle of 5 has 10 symmetries"
prints ' = none$' ./sip "$graphs/triangle" "$graphs/cycle"
ok $? "a cycle of 5 has no triangle"
prints ' = none$' ./sip "$graphs/loop" "$graphs/triangle"
ok $? "an edge from a vertex to itself is mapped to one"

# Searches with a first solution, without any, and counts.
first='--random 80 --pattern 22 --plant --seed 3'
none='--random 60 --pattern 14 --dense 60'
induced='--random 30 --pattern 8 --plant --induced --count'
count='--random 30 --pattern 5 --percent 15 --dense 50 --count'
for arguments in "$first" "$none" "$induced" "$count"; do
	same "by tasks" "$arguments"
	same "with another depth" "$arguments -d 1"
	same "on three nodes" "$arguments" ./sateen run -n 3 --transport shm \
		--workers 1
done
prints . ./sip --random 40 --pattern 5 --count --seed 1
head -n 1 "$scratch/out" >"$scratch/alone"
prints . ./sip --random 40 --pattern 5 --count --seed 2 && [ -s "$scratch/alone" ] &&
	! head -n 1 "$scratch/out" | cmp -s - "$scratch/alone"
ok $? "another seed makes other graphs"

wide='--clusters 3x2 --wan 20ms,1MB/s,5ms --cost counted --unit-cost 200us'
for balancer in $balancers; do
	for arguments in "$first" "$count"; do
		# shellcheck disable=SC2086 # words
		same "$balancer, on 3 clusters in virtual time" "$arguments" \
			./sateen sim $wide -b "$balancer"
	done
done

# The first solution takes long, and distant nodes find others before.
for arguments in '12 --seed 3' '13 --seed 3' '13 --seed 6' '14 --seed 2'; do
	same "the first of many" "--random 40 --dense 35 --pattern $arguments" \
		./sateen sim --clusters 4x4 --wan 100ms,1MB/s --cost counted \
		--unit-cost 100ms
done

# tries COMMAND...: prints how many vertices the search has mapped.
tries() {
	timeout 100 "$@" 2>"$scratch/err" </dev/null | sed -n 's/^tries: //p'
}
for arguments in "$first" "$none" "$count"; do
	# shellcheck disable=SC2086 # words
	seq=$(tries ./sip --seq $arguments)
	# shellcheck disable=SC2086
	one=$(tries ./sateen run -n 1 --workers 1 ./sip $arguments)
	[ "${seq:-0}" -gt 0 ] && [ "$one" = "$seq" ]
	ok $? "sip $arguments: one worker tries $one vertices, --seq $seq"
done

# survives WHAT ARGUMENTS EVENTS OPTION...: simulates a search to which the events
# happen.
survives() {
	what=$1 arguments=$2
	printf '%b\n' "$3" >"$scratch/events"
	shift 3
	same "$what" "$arguments" ./sateen sim --clusters 2x3 --wan 2ms,1MB/s \
		--cost counted --unit-cost 500us --silence 50ms --survive yes \
		--events "$scratch/events" "$@"
}
for arguments in "$first" "$count"; do
	survives "a node dies" "$arguments" '60ms kill node 4'
	survives "node 0 dies" "$arguments" '90ms kill node 0'
	survives "a cluster dies, and a node leaves" "$arguments" \
		'60ms kill cluster 1\n150ms leave node 2'
done

# refuses FILE PATTERN: tests that the file is refused.
refuses() {
	complains 1 "$2" ./sip "$graphs/triangle" "$graphs/$1"
	ok $? "$1 is refused"
}
refuses neighbour-twice ':2: neighbour 1 comes twice for vertex 0'
refuses neighbour-beyond-last ':2: a neighbour must be'
refuses degree-beyond-last ":2: a vertex's degree must be"
refuses one-direction 'vertex 2 has the neighbour 1, but 1 lacks 2'
refuses cut ':4: the file ends'
refuses no-end-of-line 'the file ends within a line'
refuses more "'7' after the last vertex"
refuses word ':2: a neighbour must be'
refuses too-many-vertices ':1: the number of vertices'
refuses no-vertex ':1: the number of vertices'
complains 1 'No such file' ./sip "$graphs/triangle" "$scratch/none"
ok $? "a file that does not exist is refused"
prints '^usage: ' ./sip --help
ok $? "--help prints the usage"
complains 2 'PATTERN and TARGET' ./sip "$graphs/triangle"
ok $? "one graph is not enough"
complains 2 'no larger' ./sip --random 5 --plant
ok $? "a part is not larger than the whole"
plan
