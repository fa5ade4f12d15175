#!/bin/sh
# clique.t: clique finds the known results, visits as many places as published, and finds
# the same clique on any number of nodes, with any balancer, and after deaths. It refuses
# malformed graphs with one line.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/simulated.sh"

json="--stats=json:$scratch/json"

# places OPTION...: runs clique with one worker; prints the size and the number of places.
places() {
	timeout 100 ./sateen run -n 1 --workers 1 "$json" ./clique "$@" >"$scratch/out" \
		2>"$scratch/err" </dev/null || sed 's/^/# /' "$scratch/err" >&2
	echo "$(sed -n 's/^clique.* = //p' "$scratch/out") $(counted total.work_units)"
}

# Published by P. Prosser ("Exact algorithms for maximum clique", 2012).
while read -r vertices edges size number definition; do
	# shellcheck disable=SC2086 # words
	found=$(places --bound colours $definition)
	[ "$found" = "$size $number" ] &&
		grep -q "^clique($vertices vertices, $edges edges)" "$scratch/out"
	ok $? "$definition: size $size after $number places"
	# shellcheck disable=SC2086
	[ "$(places --bound colours --seq $definition)" = "$size $number" ]
	ok $? "as many by one search"
	# shellcheck disable=SC2086
	alone=$(places --seq $definition)
	[ "${alone% *}" = "$size" ] && [ "${alone#* }" -le "$number" ]
	ok $? "not more by reasoning about colours"
	# shellcheck disable=SC2086
	[ "$(places $definition)" = "$alone" ]
	ok $? "as many by one search, then, too"
done <<END
256 20864 16 36452 --hamming 8,4
120 5460 8 256100 --johnson 16,2,4
171 9435 11 13725 --keller 4
378 70551 126 38019 --mann 27
END

# Graphs that take longer.
while read -r vertices edges size definition; do
	# shellcheck disable=SC2086
	prints "^clique($vertices vertices, $edges edges) = $size\$" \
		./clique --bound colours --size "$size" $definition
	ok $? "$definition has $edges edges, and a clique of $size"
done <<END
1024 434176 32 --hamming 10,4
496 107880 16 --johnson 32,2,4
776 225990 24 --keller 5
1035 533115 340 --mann 45
END

# Random graphs, and another program.
for graph in '30 90 1' '60 50 2' '64 70 3' '65 60 4' '90 60 5' '1 50 6' '20 0 7' '9 100 8'; do
	# shellcheck disable=SC2086
	expected=$(perl "$source_directory/tests/clique.pl" $graph "$scratch/graph")
	[ "$(places --bound colours "$scratch/graph")" = "$expected" ] &&
		[ "$(places --bound colours -d 0 "$scratch/graph")" = "$expected" ] &&
		[ "$(places --bound colours -d 9 "$scratch/graph")" = "$expected" ]
	ok $? "random graph $graph: size and places $expected, with tasks of any depth"
	size=${expected% *}
	found=$(places "$scratch/graph")
	[ "${found% *}" = "$size" ] &&
		prints " = $size\$" ./clique --size "$size" "$scratch/graph" &&
		prints ": none of more than $size\$" \
			./clique --size $((size + 1)) "$scratch/graph"
	ok $? "the same size by the other bound, and by decisions"
done

# answer COMMAND...: prints the answer of a command, without times.
answer() {
	timeout 100 "$@" 2>"$scratch/err" </dev/null | grep -v '^time'
}

# same WHAT COMMAND...: tests that the command's answer is in $scratch/alone.
same() {
	what=$1
	shift
	answer "$@" >"$scratch/answer"
	cmp -s "$scratch/answer" "$scratch/alone" && [ -s "$scratch/alone" ]
	status=$?
	[ $status = 0 ] || sed 's/^/# /' "$scratch/answer" "$scratch/err"
	ok $status "$what"
}

# This graph has several cliques of 12 vertices, and none of 13.
graph='--random 120,0.6,3'
for search in "$graph --bound colours" "$graph --above 2" "$graph --size 11 -d 1" \
	"$graph --above 8 -d 1" "$graph --all"; do
	# shellcheck disable=SC2086
	answer ./clique --seq $search >"$scratch/alone"
	for transport in loop shm; do
		# shellcheck disable=SC2086
		same "$transport: $search" ./sateen run -n 3 --transport $transport \
			--workers 2 ./clique $search
	done
	for balancer in $balancers; do
		# shellcheck disable=SC2086
		same "$balancer, in virtual time: $search" ./sateen sim --clusters 3x2 \
			--wan 5ms,1MB/s,1ms --cost counted --unit-cost 10us \
			-b "$balancer" ./clique $search
	done
	for seed in 1 2 3 4; do
		printf '8ms kill node 4\n12ms leave node 5\n20ms kill node 0\n' \
			>"$scratch/events"
		# shellcheck disable=SC2086
		same "nodes die, seed $seed: $search" ./sateen sim --clusters 2x3 \
			--wan 2ms,1MB/s --cost counted --unit-cost 20us \
			--silence 5ms --survive yes --events "$scratch/events" \
			--seed $seed ./clique $search
	done
done

# With the bound maxsat, what a search knows changes its order. What it finds depends on
# its place only.
answer ./clique -d 0 --random 120,0.6,3 --above 0 >"$scratch/alone"
for above in 2 4 6 8 10 11; do
	same "a search that begins with cliques of more than $above finds the same" \
		./clique -d 0 --random 120,0.6,3 --above $above
done

# Counts.
prints ': 240$' ./clique --hamming 6,4 --all
ok $? "hamming6-4 has 240 largest cliques"
prints ': 590887 maximal cliques$' ./clique --mann 9 --maximal
ok $? "MANN_a9 has 590887 maximal cliques"
prints ': 590887 maximal cliques$' ./clique --mann 9 --maximal --seq
ok $? "also by one search"

# refuses PATTERN TEXT: tests that the file is refused.
refuses() {
	printf '%b' "$2" >"$scratch/bad"
	complains 1 "$1" ./clique "$scratch/bad"
	ok $? "a graph is refused: $1"
}
refuses 'bad:1: the file has no line p' ''
refuses 'bad:1: an edge before the line p' 'e 1 2\n'
refuses "bad:1: .* 'edge' or 'col'" 'p graph 3 3\n'
refuses 'bad:1: the number of vertices must be .* from 1 to 4096' 'p edge 5000 1\n'
refuses 'bad:2: a second line p' 'p edge 3 0\np edge 3 0\n'
refuses 'bad:2: a vertex must be .* from 1 to 3' 'p edge 3 1\ne 1 4\n'
refuses 'bad:2: an edge from vertex 2 to itself' 'p edge 3 1\ne 2 2\n'
refuses 'bad:2: the line is too long' 'p edge 3 1\ne 2 3 1\n'
refuses 'bad:2: the line p says 2 edges, but there are 1' 'p edge 3 2\ne 2 3\n'
refuses "bad:2: a line must begin with c, p or e, not 'x'" 'p col 3 0\nx\n'
refuses 'bad:2: the file ends within a line' 'p edge 20 1\ne 2 1'
printf 'c both directions\np col 3 2\ne 1 2\ne 2 1\ne 2 3\ne 3 2\n' >"$scratch/both"
prints '^clique(3 vertices, 2 edges) = 2$' ./clique "$scratch/both"
ok $? "edges may be there in both directions"
for misuse in '' '--keller 4 --hamming 6,4' '--keller 9' '--hamming 6' '--mann 10' \
	'--random 9,2,1' '--random 9,1' '--johnson 32,8,4' '--bound x --keller 4' \
	'--maximal --all --keller 4' '--maximal --expect 3 --keller 4'; do
	# shellcheck disable=SC2086
	complains 2 . ./clique $misuse
	ok $? "a command line is refused: clique $misuse"
done
complains 1 'should be of 12' ./clique --keller 4 --expect 12
ok $? "a size that differs from --expect is an error"
complains 1 'should be of 0' ./clique --keller 4 --expect 0
ok $? "also 0"
complains 1 'should be of 13' ./clique --keller 4 --above 12 --expect 13
ok $? "so is no clique where --expect says that there is one"
plan
