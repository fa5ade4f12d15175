#!/bin/sh
# bounds_survive.t: searches that share bounds survive deaths: the answer is that of
# a run without deaths.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/simulated.sh"

# survives WHAT EVENTS OPTION...: simulates searches, to which the events happen.
search='./incumbents -n 5000000 -r 2 -d 5' answer=best
$search >"$scratch/best" 2>"$scratch/err"
./scopes 7 >"$scratch/first"
survives() {
	what=$1
	printf '%b\n' "$2" >"$scratch/events"
	shift 2
	# shellcheck disable=SC2086 # words
	timeout 100 ./sateen sim --clusters 2x3 --wan 10ms,1MB/s --cost counted \
		--silence 50ms --survive yes --events "$scratch/events" \
		--stats=json:"$scratch/json" "$@" \
		$search >"$scratch/out" 2>"$scratch/err"
	cmp -s "$scratch/out" "$scratch/$answer" && adds_up
	status=$?
	[ $status = 0 ] || sed 's/^/# /' "$scratch/out" "$scratch/err"
	ok $status "$what"
}
for balancer in $balancers; do
	for seed in 1 2 3; do
		survives "$balancer, seed $seed: a node dies" '60ms kill node 4' \
			-b "$balancer" --seed $seed
		survives "$balancer, seed $seed: the root's cluster dies" \
			'60ms kill cluster 0' -b "$balancer" --seed $seed
		survives "$balancer, seed $seed: heads die, and a node leaves" \
			'30ms kill node 3\n50ms leave node 5\n70ms kill node 0' \
			-b "$balancer" --seed $seed
	done
done
[ "$(counted total.incumbents_unanswered)" -gt 0 ]
ok $? "improvements are lost with the nodes that die"
search='./scopes 7 5000000' answer=first
for seed in 1 2 3; do
	survives "seed $seed: the first solution, and a node dies" \
		'40ms kill node 4' --seed $seed
	survives "seed $seed: the same, and the root's cluster dies" \
		'40ms kill cluster 0' --seed $seed
	for at in 5 20 100 300; do
		survives "seed $seed: a node dies after $at ms" \
			"${at}ms kill node 1" --seed $seed
	done
done
plan
