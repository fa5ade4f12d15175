# shellcheck shell=sh
# survive.sh: cables between the clusters are cut for longer than a gateway may
# be silent, in runs that survive deaths: one side goes on, and never both.

long="./tree -b 2 -d 12 -l 10ms" # some 10 s on 4 nodes
goes='the run goes on without its nodes'

# wall: drops all that the front-ends send each other. Both reach the meeting
# point.
wall() {
	for site in a b; do
		ip netns exec $site nft -f - <<-END
			table inet wall {
				chain output {
					type filter hook output priority 0;
					ip daddr { 203.0.113.1, 203.0.113.2 } drop
				}
			}
		END
	done
}

unwall() {
	for site in a b; do
		ip netns exec $site nft delete table inet wall
	done
}

# begin_long: begins a run, and waits until its nodes read views and exchange
# messages. They print a line on their hosts when they do.
begin_long() {
	# shellcheck disable=SC2086 # a command
	begin $long
	for site in a b; do
		until_true grep '2 nodes on 2 hosts' "$scratch/$site.err"
	done
	flows a.wan0 10000
}

# one_goes_on SENTENCE: one side has the result, and the other one ends with a
# line about that.
one_goes_on() {
	finish >"$scratch/statuses"
	case "$status_a $status_b" in
	'0 1') winner=a loser=b ;;
	'1 0') winner=b loser=a ;;
	*) winner='' ;;
	esac
	[ -n "$winner" ] &&
		grep -qx 'tree(2^12) = 4096 leaves' "$scratch/$winner.out" &&
		! grep -q 'leaves' "$scratch/$loser.out" &&
		grep -q "$goes" "$scratch/$winner.err" &&
		complaints "$scratch/$loser.err" >"$scratch/lines" &&
		[ "$(wc -l <"$scratch/lines")" = 1 ] &&
		grep -q "$2" "$scratch/lines"
	one=$?
	[ $one = 0 ] || cat "$scratch/statuses"
	ok $one "$1"
}

begin_long
wall
one_goes_on "two gateways that can't reach each other: one side goes on" \
	'the run goes on without it$'
unwall

begin_long
ip -n a link set wan0 down
one_goes_on "a cluster that reaches neither the other nor the server ends" \
	'does not answer, which knows whether'
[ "$winner" = b ]
ok $? "and the other one goes on"
ip -n a link set wan0 up
