#!/bin/sh
# fuzz.t: no parser of external bytes crashes on its corpus or on mutations of it.
#
# With libFuzzer each target makes 100,000 runs, or $FUZZ_SECONDS of them; $FUZZ_JOBS
# targets run at a time. FUZZ_GROUPS='starts files' chooses groups of targets:
#
#	starts		addresses, handshakes and cards, with which endpoints and
#			nodes find each other
#	messages	messages between nodes, and from tools to a run
#	files		files that the runtime and its tools read, and settings
#	problems	files that programs read
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

# fuzz TARGET CORPUS...: starts a target by libFuzzer if it was built with it, else
# by the driver fuzz_main.c.
running=
fuzz() {
	target=$1
	shift
	if [ $has_libfuzzer ]; then
		mkdir "$scratch/$target.new"
		# shellcheck disable=SC2086 # options
		set -- $limits "$scratch/$target.new" "$@"
	fi
	set -- "./fuzz_$target" "$@"
	timeout $((${FUZZ_SECONDS:-20} + 80)) "$@" >"$scratch/$target.out" 2>&1 &
	running="$running $target $!"
	# shellcheck disable=SC2086 # a list
	set -- $running
	[ $# -ge $((2 * jobs)) ] || return 0
	settle "$1" "$2"
	shift 2
	running=$*
}

starts='address card fabrics frame meeting muster peers segment survey trunk'
messages='cells constants control hector know membership news packet parts search wire'
files='hosts links log metrics quota report schedule settings speeds stored trace'
problems='classic dimacs knapsack nbody nff puzzle setcover sip tsplib'

# fuzz_corpora TARGET: starts a target on the folders of its corpora.
fuzz_corpora() {
	case $1 in
	nff) fuzz nff "$data/nff" "$data/fuzz/nff" ;;
	report) fuzz report "$data/report" ;;
	tsplib) fuzz tsplib "$data/tsp" ;;
	classic) fuzz classic "$data/fuzz/nbody" ;;
	*) fuzz "$1" "$data/fuzz/$1" ;;
	esac
}

for group in ${FUZZ_GROUPS:-starts messages files problems}; do
	eval "targets=\${$group:-}"
	[ "$targets" ] || {
		echo "Bail out! no group \"$group\" of fuzz targets"
		exit 1
	}
	# shellcheck disable=SC2154 # targets is assigned by eval
	for target in $targets; do
		case $target in
		# They need libraries that a build may lack.
		classic | meeting | nbody | report | trunk) [ -x ./fuzz_$target ] ;;
		esac && fuzz_corpora "$target"
	done
done
# shellcheck disable=SC2086 # a list
set -- $running
while [ $# -gt 0 ]; do
	settle "$1" "$2"
	shift 2
done
plan
