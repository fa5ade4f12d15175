#!/bin/sh
# fuzz.t: no parser of external bytes crashes on its corpus or on mutations of it.
. "$(dirname "$0")/tap.sh"

data=$source_directory/tests/data

# fuzz TARGET CORPUS: runs a target by libFuzzer if it was built with it, else by
# the driver fuzz_main.c.
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
	ok $status "the parser survives: $*"
}

for target in address card cells constants control dimacs fabrics frame hector \
	hosts knapsack links log muster news packet parts peers puzzle schedule \
	search setcover settings sip speeds stored survey wire; do
	fuzz $target "$data/fuzz/$target"
done
fuzz nff "$data/nff"
fuzz segment "$data/fuzz/segment"
[ ! -x ./fuzz_meeting ] || fuzz meeting "$data/fuzz/meeting"
[ ! -x ./fuzz_nbody ] || fuzz nbody "$data/fuzz/nbody"
fuzz tsplib "$data/tsp"
plan
