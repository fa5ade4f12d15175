#!/bin/sh
# survive_hosts.t: hosts of a run are lost, and it goes on. A script replaces ssh
# and runs its command on this machine.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/processes.sh"

printf 'h1 slots=2\nh2 slots=2\n' >"$scratch/hosts"
make_ssh

result=$held_result

# host HOST: prints the processes of its agent and of its nodes.
host() {
	found=$(agent "$1") && echo "$found $(children "$found")"
}

# Has the host got its nodes, and these their threads?
host_has_begun() {
	# shellcheck disable=SC2046 # a list
	set -- $(host "$1")
	[ $# = 3 ] && has_threads "$2" && has_threads "$3"
}

# begin OPTION... PROGRAM: starts a run of two hosts with two nodes each, which have
# begun.
begin() {
	rm -f "$scratch"/agent.*
	start ./sateen run --ssh "$scratch/ssh" --hosts "$scratch/hosts" \
		--workers 1 "$@"
	processes=
	for host in h1 h2; do
		until_true host_has_begun $host ||
			echo "# host $host has not begun"
		processes="$processes $(host $host)"
	done
	await_asleep "$(agent h1)" "$(agent h2)" "$launcher"
}

none_left() {
	# shellcheck disable=SC2086 # a list
	gone $processes
}

# goes_on HOST: the run ends well, and says that HOST was lost.
goes_on() {
	until_true has_lines 1 "^sateen: host $1 is lost"
	finish
	[ $status = 0 ] && [ "$(grep -c "^$result$" "$scratch/run.out")" = 1 ] &&
		grep -q "^sateen: host $1 is lost, and 2 nodes with it; the run \
goes on without it" "$scratch/run.err" &&
		[ "$(grep -c 'goes on' "$scratch/run.err")" = 1 ] &&
		until_true none_left || show_run
}

for victim in h2 h1; do
	begin ./held
	kill -KILL "$(agent $victim)"
	goes_on $victim
	ok $? "an agent is killed, and its nodes with it: $victim"

	# The stopped host does not answer, as if it had vanished.
	begin --silence 2s ./held
	# shellcheck disable=SC2046 # a list
	kill -STOP $(host $victim)
	goes_on $victim
	ok $? "a host does not answer: $victim"
done

begin --silence 2s ./held
kill -STOP "$launcher"
until_true none_left
ok $? "hosts that can't reach the launcher end their nodes"
kill -CONT "$launcher"
finish
[ $status = 1 ] &&
	grep -q '^sateen: all nodes have died$' "$scratch/run.err" || show_run
ok $? "and the launcher says that the run has failed"

# More input comes when the host of node 0, which has read a line, is lost.
mkfifo "$scratch/pipe"
exec 4<>"$scratch/pipe"
input=$scratch/pipe
echo 'one two' >&4
begin ./again all
until_true grep -qx 'one two' "$scratch/run.out"
kill -KILL "$(agent h1)"
until_true grep -q 'h1 is lost' "$scratch/run.err"
echo three >&4
exec 4>&-
result=last
goes_on h1 && [ "$(cat "$scratch/run.out")" = "one two
three
last" ]
ok $? "the next root, on another host, reads a pipe from the beginning to the end"

# node RANK: prints the process of that node.
node() {
	# shellcheck disable=SC2046 # a list
	node_among "$1" $(host h1) $(host h2)
}

# The next root is on the same host.
exec 4<>"$scratch/pipe"
seq 30000 >"$scratch/numbers"
begin ./again all
cat "$scratch/numbers" >&4 &
writer=$!
until_true grep -qx 1 "$scratch/run.out"
strike KILL 0
wait $writer
exec 4>&-
finish
[ $status = 0 ] && sed '$d' "$scratch/run.out" | cmp - "$scratch/numbers" ||
	show_run | head -n 20
ok $? "and so does one on the same host, without what was left for the last"
input=/dev/null
result=$held_result

begin --silence 2s ./held
kill -TSTP "$launcher"
is_stopped() {
	[ "$(state "$launcher")" = T ]
}
until_true is_stopped
# Longer than --silence: this is the time that the leases would have.
sleep 3
kill -CONT "$launcher"
finish
[ $status = 0 ] && [ "$(grep -c "^$result$" "$scratch/run.out")" = 1 ] &&
	! grep -q lost "$scratch/run.err" || show_run
ok $? "a launcher that is stopped by the terminal loses no host"

# Nodes are stopped for longer than --silence. Nodes of other hosts ask them whether
# they live, so they must not know that all are on this machine. Their agents kill
# them.
# shellcheck disable=SC2016 # the inner shell's
apart='STN_ADDRESS=127.0.0.1 STN_PRETEND_HOST=h$((STN_RANK / 2)) exec "$@"'
ended='was ended because node . on h. had not heard from it for 2\.0 s; the run'
hint='^sateen: only nodes on h1 are left, though the agents of other hosts answer: '
stopped() {
	# shellcheck disable=SC2086 # a command
	begin --silence 2s sh -c "$apart" sh ./held
	strike STOP "$@"
	until_true has_lines $# "^sateen: node . on h. $ended"
	finish
	[ $status = 0 ] && [ "$(grep -c "^$result$" "$scratch/run.out")" = 1 ] &&
		[ "$(grep -c "^sateen: node . on h. $ended" \
			"$scratch/run.err")" = $# ] && until_true none_left
}
if have_ofi; then
	for victim in 0 3; do
		stopped $victim && ! grep -q "$hint" "$scratch/run.err" || show_run
		ok $? "a node that is stopped for too long is killed: $victim"
	done
	stopped 2 3 && grep -q "$hint" "$scratch/run.err" || show_run
	ok $? "all nodes of a host are stopped: there may be a firewall"
else
	skip "nodes that are stopped for too long" libfabric
fi

# A host is stopped, and so is its connection with the launcher. The host goes on
# when it counts as lost, but the connection does not. The agent ends its nodes: as
# it is no child of ssh, and its connection stays open, nothing else does.
{
	echo 'here=${0%/*}'
	cable
} >"$scratch/ssh.first"
is_lost() {
	grep -q "^sateen: host $1 is lost" "$scratch/run.err"
}
stopped_are_gone() {
	# shellcheck disable=SC2086 # a list
	gone $stopped
}
for victim in h2 h1; do
	rm -f "$scratch"/relays.*
	begin --silence 2s ./held
	stopped=$(host $victim)
	# shellcheck disable=SC2046,SC2086 # lists
	kill -STOP $stopped $(cat "$scratch/relays.$victim")
	until_true is_lost $victim
	[ -z "${STN_LONG:-}" ] || sleep 30
	# shellcheck disable=SC2086
	kill -CONT $stopped
	until_true stopped_are_gone
	ended=$?
	goes_on $victim && [ $ended = 0 ] &&
		[ "$(wc -l <"$scratch/run.out")" = 1 ] &&
		[ "$(wc -l <"$scratch/run.err")" = 2 ] || show_run
	ok $? "a host that was stopped for too long ends its nodes: $victim"
	# shellcheck disable=SC2046 # a list
	kill -KILL $(cat "$scratch/relays.$victim")
done

# Deposits, of two hosts with two nodes each. No records are marked during this run, so
# the deposits are results of jobs: a job of the node beside has both other copies of
# its result on this host.
if have_ofi; then
	prints '^tree(4^5) = 1024 leaves$' ./sateen run -n 4 --workers 1 \
		--survive yes --deposit 3600s --message-log "$scratch/log" \
		sh -c "$apart" sh ./tree -b 4 -d 5 -l 3ms
	ok $? "a run of two hosts that deposits results of jobs"
	awk '$3 == "send" && $4 == "deposit" {
		sent++
		far += int($2 / 2) != int($5 / 2)
	}
	END {
		print "# " sent + 0 " deposits, " far + 0 " to the other host"
		exit !(sent && far == sent)
	}' "$scratch"/log.*
	ok $? "they go to the other host"
else
	skip "deposits on another host" libfabric
fi

plan
