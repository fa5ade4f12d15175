#!/bin/sh
# optima.t: the bounds of tsp, setcover and ida --first lose no solution: the answers
# are those of searches with other bounds, or with none.
. "$(dirname "$0")/tap.sh"

apps=$source_directory/apps
korf=$apps/ida/korf100.txt

# answer COMMAND...: prints the answer of a command, without times.
answer() {
	timeout 100 "$@" 2>"$scratch/err" </dev/null | grep -v '^time'
}

# same WHAT FILE COMMAND...: tests that the command's answer is in the file.
same() {
	what=$1 file=$scratch/$2
	shift 2
	answer "$@" >"$scratch/answer"
	cmp -s "$scratch/answer" "$file" && [ -s "$file" ]
	status=$?
	[ $status = 0 ] || sed 's/^/# /' "$scratch/answer" "$scratch/err"
	ok $status "$what"
}

# lengths OPTION...: prints the lengths of the shortest tours of some problems.
lengths() {
	for cities in 2 3 4 5 7 9 11; do
		for seed in 1 2 3 4; do
			answer ./tsp -g $cities --seed $seed "$@" | head -n 1
		done
	done
	for file in "$source_directory"/tests/data/tsp/good-*.tsp; do
		answer ./tsp "$@" "$file" | head -n 1
	done
}
lengths --bound distances >"$scratch/distances"
lengths >"$scratch/trees"
cmp "$scratch/trees" "$scratch/distances" >&2 && [ -s "$scratch/trees" ]
ok $? "tsp finds tours of the same length by 1-trees and by distances"
prints '^gr17: 2085$' ./tsp "$apps/tsp/gr17.tsp" &&
	prints '^gr21: 2707$' ./tsp "$apps/tsp/gr21.tsp" &&
	prints '^ulysses16: 6859$' ./tsp "$apps/tsp/ulysses16.tsp"
ok $? "tsp finds tours of the published lengths"
for lengths in 1,6313 2,5746 4,6765; do
	prints "^random60: ${lengths#*,}\$" ./tsp -g 60 --seed ${lengths%,*}
	ok $? "tsp solves 60 cities of seed ${lengths%,*}"
done
prints '^random100: 7586$' ./tsp -g 100
ok $? "tsp solves 100 cities"
answer ./tsp --seq -g 50 >"$scratch/tour"
for depth in 0 1 31; do
	same "tsp --depth $depth finds the same tour" tour ./tsp -d $depth -g 50
done
# Several tours are as short as the shortest one. With that limit the search looks for
# all of them.
answer ./tsp --seq -g 60 --seed 8 --limit 6279 >"$scratch/first"
same "eight nodes find the same of several tours" first ./sateen sim -n 8 \
	--cost counted --unit-cost 100us ./tsp -g 60 --seed 8 --limit 6279
same "six nodes on three clusters find it, too" first ./sateen sim \
	--clusters 3x2 --wan 20ms,100KB/s,5ms --cost counted --unit-cost 100us \
	./tsp -g 60 --seed 8 --limit 6279
length=$(sed -n 's/^random50: //p' "$scratch/tour")
same "tsp --limit with the length finds the tour" tour ./tsp -g 50 --limit "$length"
complains 1 "no tour is as short as $((length - 1))" \
	./tsp -g 50 --bound $((length - 1))
ok $? "tsp reports a limit below the shortest tour"
complains 2 'must be 1-tree, distances' ./tsp -g 5 --bound none
ok $? "tsp refuses a bound that it does not know"
complains 2 'with --fixed the bound is distances' ./tsp -g 5 --fixed --bound 1-tree
ok $? "tsp refuses --fixed with 1-trees"
complains 1 'at most 64 cities, not 65' ./tsp -g 65 --bound distances
ok $? "tsp refuses to solve 65 cities by distances"

for problem in '-g 60' '-g 40 --elements 50 --percent 15' \
	'-g 60 --elements 60 --percent 12 --seed 5'; do
	# shellcheck disable=SC2086 # words
	answer ./setcover --fixed $problem >"$scratch/cover"
	for options in --seq '-d 0' '-d 6'; do
		# shellcheck disable=SC2086
		same "setcover $options $problem finds the same cover as --fixed" \
			cover ./setcover $options $problem
	done
done
# shellcheck disable=SC2086
same "six nodes on three clusters find the same cover" cover ./sateen sim \
	--clusters 3x2 --wan 20ms,100KB/s,5ms --cost counted --unit-cost 100us \
	./setcover $problem

# The program checks that the moves solve the puzzle.
for number in 12 79; do
	answer ./ida --first --seq "$korf" $number >"$scratch/moves"
	for options in '-d 0' '-d 5' '-d 60' ''; do
		# shellcheck disable=SC2086
		same "ida --first $options finds the first solution of $number" moves \
			./ida --first $options "$korf" $number
	done
	same "six nodes find the first solution of $number" moves ./sateen sim \
		--clusters 3x2 --wan 2ms,100KB/s --cost counted ./ida --first \
		"$korf" $number
	prints "$(sed -n 's/.*\( = [0-9]* moves\)$/\1/p' "$scratch/moves")" \
		./ida "$korf" $number
	ok $? "the solutions that ida counts have as many moves"
done
# Puzzles with several shortest solutions, of which other nodes find later ones first.
for seed in 1 2 3; do
	puzzle="--first --shuffle 60 --seed $seed"
	# shellcheck disable=SC2086
	answer ./ida --seq $puzzle >"$scratch/moves"
	# shellcheck disable=SC2086
	same "six nodes find the first of several solutions" moves ./sateen sim \
		--clusters 3x2 --wan 2ms,100KB/s --cost counted \
		--unit-cost 10us ./ida -d 12 $puzzle
done
plan
