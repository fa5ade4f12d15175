#!/bin/sh
# bounds.t: searches that share bounds. Their answers are the same on any number of
# nodes, with any balancer and link, and they visit few more nodes than a search with
# one incumbent.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/simulated.sh"

# answer COMMAND...: prints the answer of a command, without times.
answer() {
	timeout 100 "$@" 2>"$scratch/err" </dev/null | grep -v '^time'
}

# same WHAT FILE COMMAND...: tests that the command's answer is in the file.
same() {
	what=$1 file=$2
	shift 2
	answer "$@" >"$scratch/answer"
	cmp -s "$scratch/answer" "$scratch/$file" && [ -s "$scratch/$file" ]
	status=$?
	[ $status = 0 ] || sed 's/^/# /' "$scratch/answer" "$scratch/err"
	ok $status "$what"
}

# incumbents compares with a sequential search itself.
searches='-r2
-r3 --max -w 0
-r2 -w 4096 --lone -d 4
-r2 -l 2'
echo "$searches" | while read -r search; do
	# shellcheck disable=SC2086 # words
	answer ./incumbents $search
done >"$scratch/alone"
# Leaves of 300 us, and links that are slower than the searches.
for balancer in $balancers; do
	for seed in 1 2 3; do
		echo "$searches" | while read -r search; do
			# shellcheck disable=SC2086
			answer ./sateen sim --clusters 3x2 --wan 20ms,100KB/s,5ms \
				--cost counted -b "$balancer" --seed $seed \
				./incumbents -n 300000 $search
		done >"$scratch/answers"
		cmp "$scratch/answers" "$scratch/alone" >&2
		ok $? "$balancer, seed $seed: on 3 clusters in virtual time, the same answers"
	done
done
for transport in loop shm; do
	for options in '-n 3' '-n 4 --clusters 2 --wan 2ms,1MB/s'; do
		echo "$searches" | while read -r search; do
			# shellcheck disable=SC2086
			answer ./sateen run --transport $transport $options \
				--workers 2 ./incumbents -n 20000 $search
		done >"$scratch/answers"
		cmp "$scratch/answers" "$scratch/alone" >&2
		ok $? "$transport $options: the same answers"
	done
done

# The tree of a cluster has more than one level with more than nine nodes.
answer ./incumbents -d 8 >"$scratch/deep"
same "on 2 clusters of 20 nodes" deep ./sateen sim --clusters 2x20 --wan 100ms,1MB/s \
	--cost counted ./incumbents -n 300000 -d 8

# A result that was cut by a bound is not kept for another run. Logs would stay, because
# the status is not 0.
mkdir "$scratch/logs"
slow='./incumbents -n 1000000 -d 5 -r 0'
answer ./incumbents -d 5 -r 0 >"$scratch/kept"
# shellcheck disable=SC2086 # words
same "a search is kept on disk" kept env STN_KEEP="$scratch/logs" $slow
# shellcheck disable=SC2086
same "a search that is resumed has the same answer" kept \
	env STN_RESUME="$scratch/logs" $slow

complains 1 'a witness of 5000 bytes is too long' ./incumbents -w 5000
ok $? "a witness that is too long is refused"
plan
