#!/bin/sh
# bounds.t: searches that share bounds. Their answers are the same on any number of
# nodes, with any balancer and link, and they visit few more nodes than a search with
# one incumbent.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/simulated.sh"

apps=$source_directory/apps

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

# Improvements that cross others, or come twice: no better than what the node knows.
answer ./incumbents -d 5 >"$scratch/five"
for links in '--clusters 3x2 --wan 20ms,100KB/s,5ms' '-n 4 --lan 100us,1GB/s'; do
	# shellcheck disable=SC2086
	same "$links: late improvements change nothing" five ./sateen sim $links \
		--cost counted --stats=json:"$scratch/json" ./incumbents -n 300000 -d 5
	adds_up && [ "$(counted total.incumbents_late)" -gt 0 ]
	ok $? "  there are late ones, and the sums hold"
done

# visits COMMAND...: prints the number of nodes that the command visits.
visits() {
	timeout 100 "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	counted total.work_units
}

# shares MOST COMMAND...: tests that on one worker a program visits as many nodes of its
# search as with --seq, and on 4 nodes at most MOST per cent of that.
shares() {
	most=$1 program=$2
	shift 2
	json="--stats=json:$scratch/json"
	seq=$(visits ./sateen run -n 1 --workers 1 "$json" "./$program" --seq "$@")
	one=$(visits ./sateen run -n 1 --workers 1 "$json" "./$program" "$@")
	four=$(visits ./sateen sim -n 4 --cost counted --unit-cost 1us \
		--lan 5us,1GB/s "$json" "./$program" "$@")
	echo "# $program $*: seq $seq, one worker $one, 4 nodes $four"
	[ "$one" = "$seq" ] && [ "$four" -le $((one * most / 100)) ]
	ok $? "$program $*: one worker visits $one nodes, as --seq does; 4 nodes $four"
}
# Four nodes that look for the first solution look at four places at a time.
shares 200 knapsack "$apps/knapsack/mknap1.txt" 6
shares 120 knapsack -g 30
shares 410 nqueens --first 20
shares 102 tsp --bound distances "$apps/tsp/burma14.tsp"
shares 130 tsp -g 60 --seed 4 --limit 6765
shares 200 setcover -g 80 --elements 60 --percent 12 --seed 3
shares 410 ida --first --shuffle 40 --seed 2

# Equal seeds give equal runs, improvements included.
for again in 1 2 3; do
	rm -f "$scratch"/trace.*
	[ $again = 3 ] && seed=2 || seed=1
	./sateen sim --clusters 2x4 --wan 5ms,1MB/s --cost counted --unit-cost 1us \
		--seed $seed --message-log "$scratch/trace" \
		./knapsack -g 30 >"$scratch/out" 2>&1
	grep -c ' take improve ' "$scratch"/trace.* >"$scratch/improves"
	cat "$scratch"/trace.* | cksum >"$scratch/sum.$again"
done
cmp -s "$scratch/sum.1" "$scratch/sum.2" &&
	! cmp -s "$scratch/sum.1" "$scratch/sum.3" &&
	! grep -q ':0$' "$scratch/improves"
ok $? "equal seeds give equal runs, and all nodes learn of improvements"

# Searches that end early.
./scopes >"$scratch/first"
for balancer in $balancers; do
	for seed in 1 2; do
		wide="--clusters 3x2 --wan 20ms,100KB/s,5ms --cost counted"
		# shellcheck disable=SC2086 # words
		same "$balancer, seed $seed: the first solution, with nested scopes" \
			first ./sateen sim $wide -b "$balancer" --seed $seed \
			./scopes 7 300000
		# shellcheck disable=SC2086
		prints '^scopes: right' ./sateen sim $wide -b "$balancer" \
			--seed $seed ./scopes --any 7 300000 &&
			grep -q '^a good leaf: found' "$scratch/out"
		ok $? "$balancer, seed $seed: any solution"
	done
done
for transport in loop shm; do
	same "$transport: the first solution" first ./sateen run -n 3 \
		--transport $transport --workers 2 ./scopes 7 20000
done
prints '^first: ffffffffffffffff' ./scopes 0 && grep -q right "$scratch/out"
ok $? "no solution"
# Without the scopes there are 29,524 nodes with 9 levels of edges.
all=$(visits ./sateen run -n 1 --workers 1 --stats=json:"$scratch/json" ./scopes --any 9)
[ "$all" -lt 200 ]
ok $? "a closed scope ends the search: $all nodes are visited"

complains 1 'STN_CLOSE has the key UINT64_MAX, but keys are less' ./scopes --last
ok $? "a key that is too high is refused"

# A result that was cut by a bound is not kept for another run. Logs would stay, because
# the status is not 0.
mkdir "$scratch/logs"
lone='./incumbents -n 2000000 -s 2 -d 4 --lone -r 0'
# shellcheck disable=SC2086 # words
answer $lone >"$scratch/kept"
# shellcheck disable=SC2086
same "a search is kept on disk" kept env STN_KEEP="$scratch/logs" $lone
# shellcheck disable=SC2086
same "a search that is resumed has the same answer" kept \
	env STN_RESUME="$scratch/logs" $lone

complains 1 'a witness of 5000 bytes is too long' ./incumbents -w 5000
ok $? "a witness that is too long is refused"
plan
