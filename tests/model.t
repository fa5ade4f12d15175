#!/bin/sh
# model.t: Spin finds no error in any state of the models of the deque (deque.pml),
# of sleeping (sleep.pml), of lent records when nodes die (lent.pml), of CHS and of LRS's
# lifelines when nodes die, leave or join (chs.pml, lifeline.pml) and of closed scopes
# (scope.pml), and finds the first fault that each model can contain. With STN_LONG=1 in
# the environment it also searches larger models, and finds all faults.
. "$(dirname "$0")/tap.sh"

if ! command -v spin >/dev/null; then
	skip "models of the deque, of sleeping, of lent records, of CHS, of lifelines and of scopes" "spin"
	plan
fi
if sanitized; then
	skip "models" "a build without sanitizers, which don't affect the models"
	plan
fi
models=$(cd "$source_directory/tests/steal" && pwd)
cc=$(sed -n 's/^CC = //p' Makefile)

# Flags for compiling a search: $all for errors and deadlocks in a long search, $soon
# for the same in a short search, $forever for endless loops. More optimisation
# would cost the compiler more time than it saves.
all='-O1 -DSAFETY -DCOLLAPSE'
soon='-O0 -DSAFETY'
forever='-O1 -DNP -DNFAIR=2 -DCOLLAPSE'

# search NAME FLAGS MODEL DEFINE...: runs a search; writes Spin's output to
# $scratch/NAME. Searches for endless loops assume fairness (-f): a thread that can
# run runs eventually.
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
			./pan -m100000 -w24 $options
	) >"$scratch/$name" 2>&1
	rm -r "$scratch/$name.pan"
}

# holds NAME SENTENCE: tests that the search saw all states and found no error.
holds() {
	grep -q 'errors: 0$' "$scratch/$1" &&
		! grep -q -e 'not completed' -e 'too small' "$scratch/$1"
	status=$?
	[ $status = 0 ] || sed 's/^/# /' "$scratch/$1"
	states=$(sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' "$scratch/$1")
	ok $status "$2: $states states"
}

# finds NAME SENTENCE: tests that the search found an error.
finds() {
	grep -q 'errors: 1$' "$scratch/$1"
	status=$?
	[ $status = 0 ] || sed 's/^/# /' "$scratch/$1"
	ok $status "Spin finds the fault: $2"
}

# faults MODEL: prints the names and descriptions of the faults that the model lists,
# or of the first one.
faults() {
	sed -n 's|^#define \([A-Z_]*\) [0-9]* /\* \(.*\) \*/$|\1 \2|p' \
		"$models/$1.pml" | if [ -n "${STN_LONG:-}" ]; then cat; else head -n 1; fi
}

# search_faults MODEL DEFINE...: searches the model once with each of those faults.
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

# long COMMAND...: a part of the test that takes too long for make check.
long() {
	[ -z "${STN_LONG:-}" ] || "$@"
}

# Two searches run at a time.
(
	long search slots "$all" deque -DSEVERAL=false
	search several "$all" deque -DSPAWNS=3
	search overflow "$all" deque -DSLOTS=2
	long search fenced "$all" deque -DFENCED=true
	search progress "$forever" deque -DSLOTS=2 -DSPAWNS=2
	long search more "$forever" deque -DSLOTS=2 -DSPAWNS=3
	search sleep "$all" sleep
	search claims "$all" sleep -DCLAIMS -DRECORDS=1
	long search lent "$all" lent -DLARGE=false
	search large "$all" lent -DPASSES=2
	search chain "$all" chs
	long search clusters "$all" chs -DFIRST=2
	long search join "$all" chs -DFANOUT=2 -DRESERVED=4
	long search leave "$all" chs -DLEAVES=1 -DSEARCHES=1
	search part "$all" chs -DFIRST=2 -DLEAVES=1 -DSEARCHES=1
	long search records "$all" chs -DCHANGES=1 -DLEAVES=1 -DGRANTS=1
	search ties "$all" lifeline -DTIES=4
	search wake "$all" lifeline -DTIMES=0 -DTIES=4
	search newcomer "$all" lifeline -DRESERVED=4 -DCHANGES=2
	search leaver "$all" lifeline -DLEAVES=1
	search scope "$all" scope
) &
search_faults deque -DSLOTS=2 -DSPAWNS=3
search_faults sleep
search_faults lent
search_faults chs
search_faults lifeline -DTIMES=0
search_faults scope
wait

holds overflow "a deque of two slots is right with four spawns"
holds several "so is one with three spawns, when a thief offers several records at once"
long holds slots "so is one of three slots with four spawns"
long holds fenced "so is one without membarrier"
holds progress "no thread waits for ever at the deque"
long holds more "no thread waits for ever with three spawns"
holds sleep "no worker sleeps while there is work, or for ever"
holds claims "the same holds after a claim was let go"
holds large "a lent record's result, which takes time to land, comes home although nodes die"
long holds lent "the same with results that land at once"
holds chain "the searches of CHS end although nodes die"
long holds clusters "the same in two clusters"
long holds join "the same when a node joins"
long holds leave "the same when a node leaves and one dies"
holds part "the searches of CHS end in two clusters although a node leaves and one dies"
long holds records "the same when a node leaves, and with records"
holds ties "each lifeline has an answer although a node dies"
holds wake "no record waits where a lifeline is parked"
holds newcomer "the same when a node joins"
holds leaver "the same when a node leaves"
holds scope "the home knows the first solution when a scope is closed and a node dies"
for model in deque sleep lent chs lifeline scope; do
	faults $model >"$scratch/faults"
	while read -r fault what; do
		finds "$model.$fault" "$what ($fault)"
	done <"$scratch/faults"
done
plan
