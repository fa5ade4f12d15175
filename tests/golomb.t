#!/bin/sh
# golomb.t: golomb finds the published lengths, and the same ruler without tasks, on
# any number of nodes, with any balancer and link, and after deaths.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/simulated.sh"
. "$(dirname "$0")/alone.sh"

program=golomb

marks=3
for length in 3 6 11 17 25 34 44 55 72 85; do
	prints "^golomb($marks) = $length\$" ./golomb --seq $marks
	ok $? "$marks marks: the published length"
	same "the same ruler by tasks" $marks
	marks=$((marks + 1))
done
for depth in 0 1 2 8; do
	same "with other tasks" "-d $depth 10"
done
same "on four nodes" 11 ./sateen run -n 4 --transport shm --workers 1

# There is no ruler, there is one, there are many, all are longer than 126.
decisions='-l_84_12 -l_85_12 -l_100_12 -l_210_15'
for decision in $decisions; do
	same "the first ruler" "$(echo "$decision" | tr _ ' ')"
done
prints '^golomb(12, 84) = none$' ./golomb -l 84 12
ok $? "no ruler with 12 marks is shorter than 85"
# The greedy ruler is the first one in lexicographic order.
prints '^ruler: 0 1 3 7 12 20 30 44 65 80 96 122$' ./golomb -l 122 12
ok $? "the first ruler of length 122"

wide='--clusters 3x2 --wan 20ms,100KB/s,5ms --cost counted --unit-cost 5us'
for balancer in $balancers; do
	for arguments in 10 '-l 58 10'; do
		# shellcheck disable=SC2086 # words
		same "$balancer, on 3 clusters in virtual time" "$arguments" \
			./sateen sim $wide -b "$balancer"
	done
done

# Several rulers are shortest, and distant nodes find others than the first one.
for marks in 5 6 7 11; do
	same "the first of the shortest" $marks ./sateen sim --clusters 4x2 \
		--wan 500ms,1MB/s --cost counted --unit-cost 1ms
done

# places COMMAND...: prints how many marks the search has placed.
places() {
	timeout 100 "$@" 2>"$scratch/err" </dev/null | sed -n 's/^places: //p'
}
seq=$(places ./golomb --seq 12)
one=$(places ./sateen run -n 1 --workers 1 ./golomb 12)
four=$(places ./sateen sim -n 4 --cost counted --unit-cost 1us --lan 5us,1GB/s \
	./golomb 12)
echo "# seq $seq, one worker $one, 4 nodes $four"
[ "$one" = "$seq" ] && [ "$four" -le $((seq * 105 / 100)) ]
ok $? "one worker places $one marks, as --seq does; 4 nodes $four"

# survives WHAT EVENTS OPTION...: simulates a search to which the events happen.
survives() {
	what=$1
	printf '%b\n' "$2" >"$scratch/events"
	shift 2
	same "$what" 11 ./sateen sim --clusters 2x3 --wan 2ms,1MB/s --cost counted \
		--unit-cost 5us --silence 50ms --survive yes \
		--events "$scratch/events" "$@"
}
for seed in 1 2; do
	survives "a node dies, seed $seed" '60ms kill node 4' --seed $seed
	survives "node 0 dies, seed $seed" '90ms kill node 0' --seed $seed
	survives "a cluster dies, and a node leaves, seed $seed" \
		'60ms kill cluster 1\n150ms leave node 2' --seed $seed
done

prints '^usage: ' ./golomb --help
ok $? "--help prints the usage"
complains 2 'see .* --help' ./golomb
ok $? "the number of marks is needed"
complains 2 "3 to 16" ./golomb 17
ok $? "more marks than 16 are refused"
plan
