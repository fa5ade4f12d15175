#!/bin/sh
# searches.t: ida, knapsack, setcover, tsp and uts find what was published,
# their twins find the same, and what they can't use they refuse in one line.
. "$(dirname "$0")/tap.sh"

apps=$source_directory/apps
fuzz=$source_directory/tests/data/fuzz
scpe1=$apps/setcover/scpe1.txt
mknap1=$apps/knapsack/mknap1.txt
korf=$apps/ida/korf100.txt
burma14=$apps/tsp/burma14.tsp

# What a run prints, but for the time.
result() {
	grep -v '^time: [0-9.]* s$' "$scratch/out"
}

# twins PATTERN PROGRAM ARGUMENTS...: it prints a line that matches; its
# sequential twin, and four nodes, print the same.
twins() {
	twins_pattern=$1
	shift
	status=0
	prints "$twins_pattern" "$@" || status=1
	result >"$scratch/first"
	prints "$twins_pattern" "$@" --seq || status=1
	result | cmp - "$scratch/first" || status=1
	prints "$twins_pattern" ./sateen run -n 4 --workers 1 \
		--transport shm "$@" || status=1
	result | cmp - "$scratch/first" || status=1
	ok $status "its twin and four nodes print the same: $*"
}

# Against published values. Files have them, or --expect.
for number in 12 19 42 79 94; do
	twins "^ida(korf100.txt $number) = " ./ida "$korf" $number
done
number=0
for value in 3800 8706.1 4015 6120 12400; do
	number=$((number + 1))
	twins "^knapsack(.*) = $value\$" ./knapsack "$mknap1" $number
done
twins '^knapsack(50 items, 5 constraints) = 16537$' ./knapsack "$mknap1" 7
for number in 1 2; do
	twins '^setcover(50 elements, 500 sets) = 5$' \
		./setcover --expect 5 "$apps/setcover/scpe$number.txt"
done
# Where the greedy search finds 9; that 8 is least, enumeration has shown.
twins ' = 8$' ./setcover -g 40 --elements 50 --percent 15
# Sets 1 and 3, which cost as much as their numbers.
twins ' = 4$' ./setcover "$fuzz/setcover/three-elements"
twins '^burma14: 3323$' ./tsp --expect 3323 "$burma14"
twins '^gr21: 2707$' ./tsp --bound 2707 "$apps/tsp/gr21.tsp"

# Any depth gives the same.
for depth in 0 1 5 60; do
	twins '45 moves, 1 solutions$' ./ida -d $depth "$korf" 12
	twins ' = 6120$' ./knapsack -d $depth "$mknap1" 4
	twins '^burma14: 3323$' ./tsp -d $depth --bound 3323 "$burma14"
done
for depth in 0 1 4; do
	twins ' = 5$' ./setcover -d $depth "$scpe1"
done

# Generated ones: the same for the same seed, another for another.
generated() {
	twins "$@"
	shift
	prints . "$@" --seed 5
	result >"$scratch/first"
	prints . "$@" --seed 6
	! result | cmp -s - "$scratch/first"
	ok $? "another seed, another answer: $*"
}

generated '^ida(60 random moves)' ./ida --shuffle 60
generated '^knapsack(20 items' ./knapsack --generate 20
generated '^knapsack(16 items, 4' ./knapsack --generate 16 --constraints 4
generated '^setcover(48 elements, 24 sets)' ./setcover --generate 24
generated '^setcover(50 elements' ./setcover -g 40 --elements 50 --percent 15
generated '^random10: ' ./tsp --generate 10
./setcover -g 24 --seed 3 --write "$scratch/written"
prints . ./setcover -g 24 --seed 3
result >"$scratch/first"
prints . ./setcover "$scratch/written"
result | cmp - "$scratch/first"
ok $? "what setcover writes, it reads"

# What is not as expected fails.
complains 1 'should be 4' ./setcover --expect 4 "$scpe1"
ok $? "a cost that isn't the lowest"
complains 1 'should be 3322' ./tsp --expect 3322 "$burma14"
ok $? "a length that isn't the shortest"
complains 1 'no tour is as short as 3322' ./tsp --bound 3322 "$burma14"
ok $? "a bound below the shortest"
sed 's/^ 6 10 3800/6 10 3801/' "$mknap1" >"$scratch/wrong"
complains 1 'should be 3801' ./knapsack "$scratch/wrong"
ok $? "a best value that isn't"
sed 's/^ 12 45/12 43/' "$korf" >"$scratch/wrong"
complains 1 'takes 43 moves' ./ida "$scratch/wrong" 12
ok $? "a solution's length that isn't the shortest"

# refuses PROGRAM FILE PATTERN
refuses() {
	complains 1 "$3" "./$1" "$2"
	ok $? "$1 refuses ${2##*/}"
}

refuses setcover "$fuzz/setcover/set-twice" ':3: set 1 again'
refuses setcover "$fuzz/setcover/set-beyond-last" ':4: a set must be'
refuses setcover "$fuzz/setcover/cut" ':3: the file ends'
refuses setcover "$scratch/none" 'No such file'
refuses knapsack "$fuzz/knapsack/four-decimals" ':3: .*three decimals'
refuses knapsack "$fuzz/knapsack/too-many-items" ':2: .* from 1 to 64'
refuses knapsack "$fuzz/knapsack/one-missing" ':5: the file ends'
refuses ida "$fuzz/puzzle/without-solution" ':1: no moves solve this'
refuses ida "$fuzz/puzzle/tile-twice" ':1: each tile'
refuses ida "$fuzz/puzzle/wrong-length" ':1: .* can.t be 2'
refuses ida "$fuzz/puzzle/other-number" 'there is no instance 1'
complains 1 'there is no problem 8' ./knapsack "$mknap1" 8
ok $? "knapsack refuses a problem that isn't there"
complains 1 . ./setcover -g 5 --write "$scratch/none/x"
ok $? "setcover says that it can't write"

for program in ida knapsack setcover tsp uts; do
	[ -x ./$program ] || continue
	prints '^usage: ' ./$program --help
	ok $? "$program --help"
	complains 2 'see .* --help' ./$program --nonsense
	ok $? "$program refuses a bad option"
done
for program in knapsack setcover tsp; do
	complains 2 'FILE or --generate' ./$program
	ok $? "$program wants a file"
	complains 2 'FILE or --generate' ./$program -g 5 "$mknap1"
	ok $? "$program wants no file besides --generate"
done
complains 2 'one too many' ./ida --shuffle 5 "$korf"
ok $? "ida wants no file besides --shuffle"

# Trees of one's own, with T1S's and T3's parameters.
if [ -x ./uts ]; then
	twins '^uts(own) = 16000 nodes$' ./uts -t 1 -r 19 -b 4 -d 6
	twins '^uts(own) = 4112897 nodes$' \
		./uts -t 0 -r 42 -b 2000 -m 8 -q 0.124875
	complains 2 'below 1/8' ./uts -t 0 -m 8 -q 0.125
	ok $? "uts refuses an infinite tree"
	complains 2 'one too many' ./uts -t 0 T1
	ok $? "uts wants no TREE besides -t"
else
	skip "trees" "uts was not built (nettle-dev)"
fi

# Scenes of any size.
if [ -x ./raytracer ]; then
	awk -v level=3 -v seed=7 -f "$apps/raytracer/balls.awk" \
		>"$scratch/balls.nff"
	twins '^40 x 40 pixels, 821 objects' ./raytracer -s 40 "$scratch/balls.nff"
	awk -v level=2 -f "$apps/raytracer/balls.awk" |
		cmp - "$apps/raytracer/balls2.nff"
	ok $? "balls.awk writes balls2.nff"
else
	skip "scenes" "raytracer was not built (libpng-dev)"
fi

plan
