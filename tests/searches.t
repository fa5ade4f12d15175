#!/bin/sh
# searches.t: ida, knapsack, setcover, tsp and uts find the published results, and
# their sequential twins find the same. They refuse bad input with one line.
. "$(dirname "$0")/tap.sh"

apps=$source_directory/apps
fuzz=$source_directory/tests/data/fuzz
scpe1=$apps/setcover/scpe1.txt
mknap1=$apps/knapsack/mknap1.txt
korf=$apps/ida/korf100.txt
burma14=$apps/tsp/burma14.tsp

# result: prints the last run's output without its time.
result() {
	grep -v '^time: [0-9.]* s$' "$scratch/out"
}

# twins PATTERN PROGRAM ARGUMENTS...: tests that the program prints a line that
# matches, and that its sequential twin and four nodes print the same.
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
	ok $status "the twin and four nodes print the same as $*"
}

# Published values. They are in the files, or given by --expect.
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
# A greedy search finds 9 here. Enumeration has shown that 8 is the minimum.
twins ' = 8$' ./setcover -g 40 --elements 50 --percent 15
# The solution is sets 1 and 3; the cost of a set is its number.
twins ' = 4$' ./setcover "$fuzz/setcover/three-elements"
twins '^burma14: 3323$' ./tsp --expect 3323 "$burma14"
twins '^gr21: 2707$' ./tsp --bound 2707 "$apps/tsp/gr21.tsp"

# The result does not depend on the depth.
for depth in 0 1 5 60; do
	twins '45 moves, 1 solutions$' ./ida -d $depth "$korf" 12
	twins ' = 6120$' ./knapsack -d $depth "$mknap1" 4
	twins '^burma14: 3323$' ./tsp -d $depth --bound 3323 "$burma14"
done
for depth in 0 1 4; do
	twins ' = 5$' ./setcover -d $depth "$scpe1"
done

# generated PATTERN PROGRAM ARGUMENTS...: tests a generated problem, and that
# another seed makes another problem.
generated() {
	twins "$@"
	shift
	prints . "$@" --seed 5
	result >"$scratch/first"
	prints . "$@" --seed 6 && [ -s "$scratch/first" ] &&
		! result | cmp -s - "$scratch/first"
	ok $? "another seed gives another answer with $*"
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
ok $? "setcover reads the file that it has written"

# A result that differs from the expected one is an error.
complains 1 'should be 4' ./setcover --expect 4 "$scpe1"
ok $? "setcover reports a cost that differs from --expect"
complains 1 'should be 3322' ./tsp --expect 3322 "$burma14"
ok $? "tsp reports a length that differs from --expect"
complains 1 'no tour is as short as 3322' ./tsp --bound 3322 "$burma14"
ok $? "tsp reports a bound below the shortest tour"
sed 's/^ 6 10 3800/6 10 3801/' "$mknap1" >"$scratch/wrong"
complains 1 'should be 3801' ./knapsack "$scratch/wrong"
ok $? "knapsack reports a value that differs from the file's"
printf '1\n2 1 199999998.251\n99999999.125 99999999.125\n1 1\n2\n' >"$scratch/large"
complains 1 'should be 199999998.251$' ./knapsack "$scratch/large" &&
	grep -q ' = 199999998.25$' "$scratch/out"
ok $? "it prints all digits of large values"
sed 's/^ 12 45/12 43/' "$korf" >"$scratch/wrong"
complains 1 'takes 43 moves' ./ida "$scratch/wrong" 12
ok $? "ida reports a solution whose length differs from the file's"

# refuses PROGRAM FILE PATTERN: tests that the program refuses the file.
refuses() {
	complains 1 "$3" "./$1" "$2"
	ok $? "$1 refuses ${2##*/}"
}

refuses setcover "$fuzz/setcover/set-twice" ':3: set 1 comes twice'
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
ok $? "knapsack refuses the number of a problem that does not exist"
complains 1 . ./setcover -g 5 --write "$scratch/none/x"
ok $? "setcover reports that it can't write a file"

for program in ida knapsack setcover tsp uts; do
	[ -x ./$program ] || continue
	prints '^usage: ' ./$program --help
	ok $? "$program --help prints its usage"
	complains 2 'see .* --help' ./$program --nonsense
	ok $? "$program refuses an option that does not exist"
done
for program in knapsack setcover tsp; do
	complains 2 'give a FILE, or --generate; see' ./$program
	ok $? "$program refuses a command line without a file"
	complains 2 'not both; see' ./$program -g 5 "$mknap1"
	ok $? "$program refuses a file together with --generate"
done
complains 2 'not both' ./ida --shuffle 5 "$korf"
ok $? "ida refuses a file together with --shuffle"

# Trees given by parameters: those of T1S and T3.
if [ -x ./uts ]; then
	twins '^uts(own) = 16000 nodes$' ./uts -t 1 -r 19 -b 4 -d 6
	twins '^uts(own) = 4112897 nodes$' \
		./uts -t 0 -r 42 -b 2000 -m 8 -q 0.124875
	complains 2 'below 1/8' ./uts -t 0 -m 8 -q 0.125
	ok $? "uts refuses an infinite tree"
	complains 2 'not both' ./uts -t 0 T1
	ok $? "uts refuses a TREE together with -t"
	for option in '-r 3' '-b 4' '-d 6' '-m 4' '-q 0.2' 'T1S -r 19'; do
		# shellcheck disable=SC2086 # words
		complains 2 'need -t' ./uts $option
		ok $? "uts refuses $option without -t"
	done
	complains 2 'for a geometric tree' ./uts -t 0 -d 6
	ok $? "uts refuses a depth for a binomial tree"
	complains 2 'for a binomial tree' ./uts -t 1 -q 0.2 &&
		complains 2 'for a binomial tree' ./uts -t 1 -m 4
	ok $? "and chances for a geometric one"
else
	skip "trees" "uts was not built (nettle-dev)"
fi

# Scenes generated by balls.awk.
if [ -x ./raytracer ]; then
	awk -v level=3 -v seed=7 -f "$apps/raytracer/balls.awk" \
		>"$scratch/balls.nff"
	twins '^40 x 40 pixels, 821 objects' ./raytracer -s 40 "$scratch/balls.nff"
	complains 1 'x.png: No such file' ./raytracer -s 20 \
		-o "$scratch/none/x.png" "$scratch/balls.nff" &&
		! [ -s "$scratch/out" ]
	ok $? "raytracer finds a bad path before it renders"
	awk -v level=2 -f "$apps/raytracer/balls.awk" |
		cmp - "$apps/raytracer/balls2.nff"
	ok $? "balls.awk writes balls2.nff"
else
	skip "scenes" "raytracer was not built (libpng-dev)"
fi

plan
