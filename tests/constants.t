#!/bin/sh
# constants.t: tasks on all nodes read the constants that other tasks have made; each
# node gets a constant once; deaths, and nodes and clusters that join, don't change that.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/simulated.sh"

right='^sharing: right$'
statistics="--stats=json:$scratch/json"

for transport in loop shm; do
	for bytes in 0 1 5000 3000000; do
		prints "$right" ./sateen run --transport $transport -n 3 \
			--workers 2 "$statistics" ./sharing -k $bytes -n 100000 &&
			adds_up
		ok $? "$transport: 3 nodes read a constant of $bytes bytes"
	done
done
if have_ofi; then
	prints "$right" ./sateen run --transport ofi -n 3 ./sharing -k 3000000 -n 100000
	ok $? "the same over a fabric"
fi
prints "$right" ./sharing -n 1000
ok $? "a program that runs alone reads its constants"

# Each leaf takes so long that all nodes get some.
wide='./sateen sim --clusters 3x4 --wan 20ms,1MB/s --cost counted'
for balancer in $balancers; do
	for seed in 1 2; do
		# shellcheck disable=SC2086 # words
		prints "$right" $wide -b "$balancer" --seed $seed "$statistics" \
			./sharing -d 5 -n 5000000 &&
			adds_up
		ok $? "$balancer, seed $seed: 3 clusters in virtual time"
	done
done
# A constant of 100,000 bytes crosses the link to each other cluster once. The tasks'
# own constants have 100.
# shellcheck disable=SC2086
prints "$right" $wide -b crs "$statistics" ./sharing -k 100000 -d 5 -n 5000000
large=$(($(counted total.sent.constant.wan_bytes) / 100000))
[ $large = 2 ]
ok $? "the link to each other cluster carries the constant once: $large times"
large=$((($(counted total.sent.constant.wan_bytes) + \
	$(counted total.sent.constant.lan_bytes)) / 100000))
[ $large -ge 11 ] && [ $large -le 12 ]
ok $? "11 other nodes get it once each: $large times"
# A larger constant goes only to clusters that ask for it.
# shellcheck disable=SC2086
prints "$right" $wide -b crs "$statistics" ./sharing -k 1100000 -d 5 -n 50000000
large=$(($(counted total.sent.constant.wan_bytes) / 1100000))
[ $large = 2 ]
ok $? "so does a large one: $large times"

complains 1 'a task asks for a constant that it has not got' ./sharing -w
ok $? "a task that has not got a constant ends the run"

# Deaths while constants are on their way: the link carries 100,000 bytes in 100 ms.
survives() {
	what=$1
	printf '%b\n' "$2" >"$scratch/events"
	shift 2
	prints "$right" ./sateen sim --clusters 2x3 --wan 10ms,1MB/s \
		--cost counted --silence 50ms --survive yes "$statistics" \
		--events "$scratch/events" "$@" ./sharing -d 5 -n 5000000 &&
		adds_up
	ok $? "$what"
}
for balancer in crs lrs; do
	for at in 15 60 115 400; do
		survives "$balancer: the head of a cluster dies after $at ms" \
			"${at}ms kill node 3" -b $balancer
		survives "$balancer: the root dies after $at ms" \
			"${at}ms kill node 0" -b $balancer
		survives "$balancer: the root's cluster dies after $at ms" \
			"${at}ms kill cluster 0" -b $balancer
	done
	survives "$balancer: the head leaves, and the root" \
		'60ms leave node 3\n90ms leave node 0' -b $balancer
done

# A constant of 2 MB, for which the link takes 2 s. The second cluster waits for it.
large() {
	what=$1
	printf '%b\n' "$2" >"$scratch/events"
	shift 2
	prints "$right" ./sateen sim --clusters 2x3 --wan 10ms,1MB/s \
		--cost counted --silence 50ms --survive yes "$statistics" \
		--events "$scratch/events" "$@" ./sharing -k 2000000 -d 5 \
		-n 20000000 && adds_up
	ok $? "$what"
}
for balancer in crs lrs; do
	for at in 300 1500 2100; do
		for death in 'node 0' 'node 3' 'node 4' 'cluster 0' 'cluster 1'; do
			large "$balancer: $death dies after $at ms, with 2 MB on the way" \
				"${at}ms kill $death" -b $balancer
		done
	done
done

# Nodes that join get the constants of the records that they take.
for balancer in crs lrs; do
	large "$balancer: a cluster joins, and then a node" \
		'500ms join cluster 1\n700ms join node 2' -b $balancer
	[ "$(counted nodes.2.counts.constants_arrived)" -gt 0 ] &&
		[ "$(counted nodes.4.counts.constants_arrived)" -gt 0 ]
	ok $? "  and they get the constant"
	large "$balancer: a node dies that has joined, with 2 MB on the way" \
		'500ms join cluster 1\n1500ms kill node 3\n1600ms kill node 0' \
		-b $balancer
done

# Through gateways.
. "$(dirname "$0")/join_runs.sh"
result='sharing: right'
nodes=2
# through BYTES: begins a run of two clusters with a constant of so many bytes. It goes
# on until `ends_as`.
through() {
	begin 'a b' ./sateen run -n 2 ./sharing -k "$1" -d 5 -n 5000000
}
for bytes in 100000 3000000; do
	through $bytes
	check "two clusters, and a constant of $bytes bytes" ends_as '0 0' a
done
through 20000000
kill -KILL "$(node b 0)"
check "a node dies in the moment in which 20 MB leave for its cluster" ends_as '0 0' a
through 20000000
kill -KILL "$(node a 0)"
check "the root dies then" ends_as '0 0' a
through 20000000
kill -KILL "$(gateway b)"
check "the second gateway dies then" ends_as '0 137' a
options='--max-clusters 3 --max-nodes 6'
through 3000000
add_cluster c ./sateen run -n 2 ./sharing -k 3000000 -d 5 -n 5000000
await_said a 'cluster c has joined the run$'
check "a third cluster joins" eval '
	ends_as "0 0 0" a && said a "cluster c has joined the run$"'
plan
