#!/bin/sh
# model.t: the models of the deque (deque.pml) and of sleeping (sleep.pml) hold
# in all that can happen, and each fault that they know of is found.
. "$(dirname "$0")/tap.sh"

if ! command -v spin >/dev/null; then
	skip "models of the deque and of sleeping" "spin"
	plan
fi
if sanitized; then
	skip "models" "a build without sanitizers, which make no difference here"
	plan
fi
models=$(cd "$source_directory/tests" && pwd)
cc=$(sed -n 's/^CC = //p' Makefile)

# Flags to compile a search with: for errors and deadlocks, that takes long; the
# same, if it is soon over; for what goes on forever. More would take the
# compiler longer than it saves.
all='-O1 -DSAFETY -DCOLLAPSE'
soon='-O0 -DSAFETY'
forever='-O1 -DNP -DNFAIR=2 -DCOLLAPSE'

# search NAME FLAGS MODEL DEFINE...: what Spin says goes to a file of that name.
# Fairness: each thread that can go on does.
search() {
	name=$1
	flags=$2
	model=$3
	shift 3
	options=
	[ "$flags" != "$forever" ] || options='-l -f'
	mkdir "$scratch/$name.pan"
	# shellcheck disable=SC2086 # lists
	(
		cd "$scratch/$name.pan" || exit
		spin -P"$cc -E -x c" -a "$@" "$models/$model.pml" &&
			$cc -w -DMEMLIM=1000 $flags -o pan pan.c &&
			timeout 1500 ./pan -m100000 -w24 $options
	) >"$scratch/$name" 2>&1
	rm -r "$scratch/$name.pan"
}

# holds NAME SENTENCE: that search saw all there is, and no error.
holds() {
	grep -q 'errors: 0$' "$scratch/$1" &&
		! grep -q -e 'not completed' -e 'too small' "$scratch/$1"
	status=$?
	[ $status = 0 ] || sed 's/^/# /' "$scratch/$1"
	states=$(sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' "$scratch/$1")
	ok $status "$2: $states states"
}

# finds NAME SENTENCE
finds() {
	grep -q 'errors: 1$' "$scratch/$1"
	status=$?
	[ $status = 0 ] || sed 's/^/# /' "$scratch/$1"
	ok $status "finds: $2"
}

# faults MODEL: names, and what they are, as it lists them.
faults() {
	sed -n 's|^#define \([A-Z_]*\) [0-9]* /\* \(.*\) \*/$|\1 \2|p' \
		"$models/$1.pml"
}

# search_faults MODEL DEFINE...
search_faults() {
	faults "$1" >"$scratch/faults"
	while read -r fault what; do
		flags=$soon
		defines=
		case $fault in
		NO_FIRST_LOOK) flags=$forever ;;
		LET_GO | LOOK_TAKES) defines='-DCLAIMS -DRECORDS=1' ;;
		esac
		# shellcheck disable=SC2086 # a list
		search "$1.$fault" "$flags" "$@" $defines -DFAULT="$fault"
	done <"$scratch/faults"
}

# Two at a time.
(
	search slots "$all" deque
	search overflow "$all" deque -DSLOTS=2
	search fenced "$all" deque -DFENCED=true
	search progress "$forever" deque -DSLOTS=2 -DSPAWNS=3
	search sleep "$all" sleep
	search claims "$all" sleep -DCLAIMS -DRECORDS=1
) &
search_faults deque -DSLOTS=2 -DSPAWNS=3
search_faults sleep
wait

holds slots "deque of three slots, four spawns"
holds overflow "deque of two slots, four spawns"
holds fenced "deque without membarrier, four spawns"
holds progress "nobody waits forever at the deque"
holds sleep "nobody sleeps while there is work, or for ever"
holds claims "nor after a claim that was let go"
for model in deque sleep; do
	faults $model >"$scratch/faults"
	while read -r fault what; do
		finds "$model.$fault" "$what ($fault)"
	done <"$scratch/faults"
done
plan
