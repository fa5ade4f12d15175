#!/bin/sh
# fuzz.t: no parser of external bytes crashes on its corpus or on mutations of it.
#
# With libFuzzer each target makes 100,000 runs, or $FUZZ_SECONDS of them; $FUZZ_JOBS
# targets run at a time.
. "$(dirname "$0")/tap.sh"

data=$source_directory/tests/data
jobs=${FUZZ_JOBS:-1}
limits="-max_total_time=${FUZZ_SECONDS:-20}"
[ -n "${FUZZ_SECONDS:-}" ] || limits="-runs=100000 $limits"
has_libfuzzer=
! ./fuzz_card -help=1 2>&1 | grep -q libFuzzer || has_libfuzzer=yes

# settle TARGET PROCESS: waits for it, and tells how it ended.
settle() {
	wait "$2"
	status=$?
	[ $status = 0 ] || tail -n 20 "$scratch/$1.out" | sed 's/^/# /'
	ok $status "the parser survives: $1"
}

# fuzz TARGET CORPUS: starts a target by libFuzzer if it was built with it, else by
# the driver fuzz_main.c.
running=
fuzz() {
	target=$1 corpus=$2
	set -- "./fuzz_$target" "$corpus"
	if [ $has_libfuzzer ]; then
		mkdir "$scratch/$target.new"
		# shellcheck disable=SC2086 # options
		set -- "./fuzz_$target" $limits "$scratch/$target.new" "$corpus"
	fi
	timeout $((${FUZZ_SECONDS:-20} + 80)) "$@" >"$scratch/$target.out" 2>&1 &
	running="$running $target $!"
	# shellcheck disable=SC2086 # a list
	set -- $running
	[ $# -ge $((2 * jobs)) ] || return 0
	settle "$1" "$2"
	shift 2
	running=$*
}

for target in address card cells constants control dimacs fabrics frame hector \
	hosts knapsack links log metrics muster news packet parts peers puzzle schedule \
	search setcover settings sip speeds stored survey trace wire; do
	fuzz $target "$data/fuzz/$target"
done
fuzz nff "$data/nff"
[ ! -x ./fuzz_report ] || fuzz report "$data/report"
fuzz segment "$data/fuzz/segment"
[ ! -x ./fuzz_meeting ] || fuzz meeting "$data/fuzz/meeting"
[ ! -x ./fuzz_classic ] || fuzz classic "$data/fuzz/nbody"
[ ! -x ./fuzz_nbody ] || fuzz nbody "$data/fuzz/nbody"
fuzz tsplib "$data/tsp"
# shellcheck disable=SC2086 # a list
set -- $running
while [ $# -gt 0 ]; do
	settle "$1" "$2"
	shift 2
done
plan
