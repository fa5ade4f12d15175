#!/bin/sh
# toy.t: a service that the core does not know (tests/toy): a folder, and a line
# in the list of services. Its messages, settings, counts and traces work in
# the machine's time and in virtual time.
. "$(dirname "$0")/tap.sh"

export STN_TOY_ROUNDS=3

# counts WHAT PATTERN: the statistics of the last run have it.
counts() {
	grep -q -e "$2" "$scratch/stats"
	ok $? "$1"
}

# pings HOW COMMAND...: 4 nodes of it send and count 3 rounds of pings.
pings() {
	how=$1
	shift
	prints '^slept for 20 ms$' "$@" -n 4 --stats="json:$scratch/stats" \
		--message-log "$scratch/trace" ./toy
	ok $? "$how, the program ends"
	counts "$how, all pings are sent" '^    "pings_sent": 36,$'
	counts "$how, all pings are received" '^    "pings_received": 36,$'
	counts "$how, the sums of the statistics hold, the toy's too" \
		'"hold": true'
	counts "$how, statistics name the toy's messages" '"ping": {'
	[ "$(grep -c ' take ping ' "$scratch/trace.2")" = 9 ]
	ok $? "$how, the message log of a node has the pings that it takes"
	rm -f "$scratch"/trace.* "$scratch/stats"
}

pings "as threads of a process" ./sateen run --transport loop
pings "in virtual time" ./sateen sim --cost counted
if have_ofi; then
	pings "as processes" ./sateen run
fi
complains 1 'toy-rounds: "x" is not a number of rounds' \
	env STN_TOY_ROUNDS=x ./toy
ok $? "the toy's setting is checked as any other"

plan
