#!/bin/sh
# unpinned.t: the fabric can't pin the payload of a record, a result or a probe. In
# a run that survives, the call is run elsewhere, and no node is lost. Else one line
# says what to do.
. "$(dirname "$0")/tap.sh"

right='^sum 1770, wrong 0$'

# survives WHAT OPTION...: the run has its result, and no line on stderr.
survives() {
	what=$1
	shift
	prints "$right" env UNPINNED="$what" ./sateen run --survive yes -w 1 "$@" \
		./unpinned && grep -q '^failed$' "$scratch/out" &&
		[ ! -s "$scratch/err" ]
	survives_status=$?
	[ $survives_status = 0 ] || sed 's/^/# /' "$scratch/err"
	ok $survives_status "no payload of a $what can be pinned: $*"
}

survives result -n 3 -t shm
survives result -n 3 -c 2 -t shm -b crs
for link in '' 20ms; do
	survives record -n 3 -c 1,2 -t shm ${link:+--wan $link,1GB/s} -b rp \
		--rp-threshold 1
	survives home -n 3 -c 1,2 -t shm ${link:+--wan $link,1GB/s} -b rp \
		--rp-threshold 1
done
survives probe -n 4 -c 2 -t shm --wan 5ms,1GB/s -b lrs
complains 1 'a result was lost: out of memory; .* raise `ulimit -l`' \
	env UNPINNED=result ./sateen run --survive no -n 3 -t shm ./unpinned
ok $? "without survival, the line about a result says what to do"
complains 1 'a record was lost: out of memory; .* raise `ulimit -l`' \
	env UNPINNED=record ./sateen run --survive no -n 3 -c 1,2 -t shm -b rp \
	--rp-threshold 1 -w 1 ./unpinned
ok $? "and the line about a record"
plan
