#!/bin/sh
# figures_004.t: the experiments of Dobber and others run, and their short runs have
# plausible results. Costs are counted, so these are the same on every machine.
. "$(dirname "$0")/tap.sh"

timeout 300 "$source_directory/bench/figures-004" --quick --out "$scratch/figures" \
	>"$scratch/table" 2>"$scratch/err"
status=$?
[ $status = 0 ] || sed 's/^/# /' "$scratch/err"
ok $status "figures-004 --quick succeeds"

# finds PATTERN COUNT SENTENCE: the table has so many lines that match.
finds() {
	found=$(grep -c -e "$1" "$scratch/table")
	[ "$found" = "$2" ]
	status=$?
	[ $status = 0 ] || echo "# $found lines, not $2: $1"
	ok $status "$3"
}

ratio='[0-9.]* ([0-9.]* to [0-9.]*)$'
finds '^  runs in which smooth is faster than equal: 1 of 1; settle than smooth: 1$' 1 \
	"figure 7: smooth is faster than equal, settle faster than smooth"
finds '^  smoothing [0-9.]* .*, mean of 20: [0-9.]* ' 1 "figure 6: two errors"
finds '^  [a-z]* *[0-9.]* ks; mean shares .* %$' 3 "figures 8 to 10: three schedulers"
finds '^ *\(2500\|5000\|7500\|10000\) ' 8 "figure 11: four sizes, twice"
finds "^  smooth, [a-z]*  *$ratio" 8 "the future: eight forecasts"
finds "^  smooth each [0-9]*[a-z, ]* $ratio" 6 "the future: six ways to divide rows"
finds "^  settle  *$ratio" 1 "the future: settle"
finds "^  [0-9]* x [0-9]*, [a-z]*  *$ratio" 9 "three shapes of parts"
for file in figure6 figure7 homes-settle times-smooth figure11-paper figure11-2000; do
	[ -s "$scratch/figures/$file" ]
	ok $? "the data of $file"
done

plan
