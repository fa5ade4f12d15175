# shellcheck shell=sh
# simulated.sh: simulated runs to which events happen, for tests that source it
# after tap.sh.

. "$(dirname "$0")/matrix.sh" # for @balancers

# simulate EVENTS OPTION...: simulates a tree, 82 s of work, on 2 x 3 nodes, to which
# the events happen: lines as of --events, where the shell expands \n. True if the
# result is right, and the statistics of the survivors add up.
simulate() {
	printf '%b\n' "$1" >"$scratch/events"
	shift
	rm -f "$scratch/json"
	prints '^tree(4^6) = 4096 leaves' ./sateen sim --clusters 2x3 \
		--wan 2ms,1MB/s --cost counted --silence 50ms --survive yes \
		--events "$scratch/events" --stats=json:"$scratch/json" \
		"$@" ./tree -b 4 -d 6 -l 20ms --spread 50 &&
		adds_up
}

# adds_up: whether the sums hold that hold on each node by itself, those of tasks
# included.
adds_up() {
	grep -q '"loans": {' "$scratch/json" &&
		grep -q '"hold": true' "$scratch/json" && return
	sed -n '/"sums": {/,/^  }/s/^/# /p' "$scratch/json"
	return 1
}

# total NAME: prints a sum of the last run's statistics.
total() {
	counted "total.$1"
}

# took: prints the virtual time of the last run, in s.
took() {
	sed -n 's/^sateen: simulated .* nodes for \(.*\) s in .*/\1/p' \
		"$scratch/err"
}

# product A B: prints A times B.
product() {
	echo "$1" "$2" | awk '{ print $1 * $2 }'
}

# less A B: is A less than B?
less() {
	echo "$1" "$2" | awk '{ exit !($1 < $2) }'
}

# repeats EVENTS OPTION...: tests that equal seeds give equal runs.
repeats() {
	events=$1
	shift
	for again in 1 2 3; do
		rm -f "$scratch"/trace.*
		[ $again = 3 ] && seed=2 || seed=1
		simulate "$events" --seed $seed --message-log "$scratch/trace" "$@"
		cat "$scratch"/trace.* | cksum >"$scratch/sum.$again"
	done
	cmp -s "$scratch/sum.1" "$scratch/sum.2" &&
		! cmp -s "$scratch/sum.1" "$scratch/sum.3"
	ok $? "equal seeds give equal runs to the last message, other seeds others"
}

# buffers EVENTS PROGRAM OPTION...: simulates a program whose results lie in
# buffers on 2 x 2 nodes, to which the events happen. True if it prints the checksum
# that it has on one node, and reuses results.
buffers() {
	printf '%b\n' "$1" >"$scratch/events"
	program=$2
	shift 2
	rm -f "$scratch/json"
	# shellcheck disable=SC2086 # words
	./sateen sim -n 1 --cost counted $program 2>/dev/null |
		sed -n 's/.*\(checksum [0-9a-f]*\).*/\1/p' >"$scratch/checksum"
	# shellcheck disable=SC2086
	prints "$(cat "$scratch/checksum")" ./sateen sim --clusters 2x2 \
		--wan 100us,50MB/s --cost counted --survive yes "$@" \
		--events "$scratch/events" --stats=json:"$scratch/json" \
		$program && adds_up && [ "$(total reused)" -gt 0 ]
}
