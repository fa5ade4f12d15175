#!/bin/sh
# fuzz.t: no parser of bytes from outside crashes, whatever it is fed: its
# corpus, and mutations of it.
. "$(dirname "$0")/tap.sh"

data=$source_directory/tests/data

# fuzz TARGET CORPUS: by libFuzzer if it was built so, else by our own driver.
fuzz() {
	if ./fuzz_card -help=1 2>&1 | grep -q libFuzzer; then
		mkdir -p "$scratch/new"
		set -- "./fuzz_$1" -runs=100000 -max_total_time=20 \
			"$scratch/new" "$2"
	else
		set -- "./fuzz_$1" "$2"
	fi
	timeout 100 "$@" >"$scratch/out" 2>&1
	status=$?
	[ $status = 0 ] || tail -n 20 "$scratch/out" | sed 's/^/# /'
	ok $status "$*"
}

for target in address card control fabrics frame hosts knapsack links peers \
	puzzle setcover settings survey wire; do
	fuzz $target "$data/fuzz/$target"
done
fuzz nff "$data/nff"
fuzz segment "$data/fuzz/segment"
[ ! -x ./fuzz_meeting ] || fuzz meeting "$data/fuzz/meeting"
fuzz tsplib "$data/tsp"
plan
