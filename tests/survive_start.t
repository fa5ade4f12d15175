#!/bin/sh
# survive_start.t: a host is lost while a run starts: its agent is killed, or can't be
# reached any more. A script replaces ssh and runs its command on this machine.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/processes.sh"

printf 'h1 slots=2\nh2 slots=2\n' >"$scratch/hosts"
make_ssh
mkfifo "$scratch/gate" "$scratch/full"
exec 3<>"$scratch/full" 5<>"$scratch/gate"

cable >"$scratch/cable"
make_program

node() {
	# shellcheck disable=SC2046 # lists
	node_among "$1" $(children "$(agent h1)") $(children "$(agent h2)")
}

is_sateen() {
	[ "$(readlink "/proc/$1/exe")" = "$(pwd)/sateen" ]
}

# Has the host's agent sent its greeting?
is_connected() {
	process=$(agent "$1") && is_sateen "$process" && is_asleep "$process"
}

# has_forked RANK...: have these nodes been started? They wait in their scripts.
has_forked() {
	for forked; do
		process=$(node "$forked") && is_asleep "$process" || return
	done
}

# waits RANK...: do these nodes run the program, and wait?
waits() {
	for waiting; do
		process=$(node "$waiting") && is_asleep "$process" &&
			[ "$(readlink "/proc/$process/exe")" = "$(pwd)/fib" ] ||
			return
	done
}

# silence: how long the agents of the next run may be silent: $how they end decides
# whether the test has to wait for that.
silence() {
	[ "$how" = cut ] && echo 2s || echo 60s
}

# begin HOW SURVIVE SILENCE: starts a run of two hosts with two nodes each. HOW the
# agent is to end: kill, or cut.
begin() {
	how=$1
	rm -f "$scratch"/agent.* "$scratch"/relays.*
	echo 'here=${0%/*}' >"$scratch/ssh.first"
	[ ! -e "$scratch/held" ] || cat "$scratch/held" >>"$scratch/ssh.first"
	[ "$how" != cut ] || cat "$scratch/cable" >>"$scratch/ssh.first"
	start ./sateen run --ssh "$scratch/ssh" --hosts "$scratch/hosts" \
		--workers 1 --silence "$3" --survive "$2" "$scratch/program" \
		./fib 20
}

# reached STAGE...: waits until the run has come so far, and nothing is under way.
reached() {
	until_true "$@" || echo "# never: $*"
	processes="$(agent h1) $(agent h2)"
	# shellcheck disable=SC2086 # a list
	await_asleep $processes "$launcher"
	for process in $processes; do
		processes="$processes $(children "$process")"
	done
}

# lose HOST
lose() {
	if [ "$how" = kill ]; then
		kill -KILL "$(agent "$1")"
	else
		# shellcheck disable=SC2046 # a list
		kill -STOP $(cat "$scratch/relays.$1")
	fi
}

none_left() {
	# shellcheck disable=SC2086 # a list
	gone $processes
}

# cleared: no process is left, without any help.
cleared() {
	until_true none_left
	cleared=$?
	# shellcheck disable=SC2046 # a list
	[ "$how" = kill ] || kill -KILL $(cat "$scratch"/relays.*) 2>/dev/null
	return $cleared
}

# ends_run HOST [REASON]: the run ends with status 1 and one line, which names the
# host.
ends_run() {
	case ${2:-$how} in
	kill) line="host $1: lost its agent, and 2 nodes with it (ssh ended" ;;
	cut) line="host $1: its agent has not answered for 2\\.0 s$" ;;
	*) line="host $1: $2" ;;
	esac
	finish
	[ $status = 1 ] && [ ! -s "$scratch/run.out" ] &&
		[ "$(wc -l <"$scratch/run.err")" = 1 ] &&
		grep -q "^sateen: $line" "$scratch/run.err" && cleared ||
		show_run
}

for how in kill cut; do
	# The launcher waits for the greeting of the other agent.
	echo '[ "$1" != h2 ] || read -r line <"$here/gate"' >"$scratch/held"
	begin $how yes "$(silence)"
	reached is_connected h1
	rm "$scratch/held"
	lose h1
	until_true grep -q . "$scratch/run.err"
	echo go >&5
	left='its agent left (ssh ended with status 137)'
	[ $how = kill ] || left=
	ends_run h1 "$left"
	ok $? "$how: a host whose agent has connected is lost"
done

for survive in no yes; do
	for how in kill cut; do
		# No node runs the program yet.
		for rank in 0 1 2 3; do
			echo 'read -r line <"$here/gate"' >"$scratch/first.$rank"
		done
		begin $how $survive "$(silence)"
		reached has_forked 0 1 2 3
		lose h2
		ends_run h2
		ok $? "$how, survive $survive: a host that has started its nodes"

		# Node 1 comes last; the others wait for its card.
		rm "$scratch"/first.[023]
		begin $how $survive "$(silence)"
		reached waits 0 2 3
		lose h2
		ends_run h2
		ok $? "$how, survive $survive: a host during the wire-up"
		rm "$scratch/first.1"
	done
done

# Between the wire-up and main: node 0 can't print its line on nodes and hosts. It
# does not answer the others' heartbeats, so these are off.
hold() {
	dd if=/dev/zero of="$scratch/full" bs=4096 count=1000 oflag=nonblock \
		2>"$scratch/dd"
	echo 'exec 2>"$here/full"' >"$scratch/first.0"
	begin kill yes 0s
	await_nodes 1 2 3
	reached waits 0
	rm "$scratch/first.0"
}

# goes_on HOST: the run goes on without it.
goes_on() {
	cat <&3 >"$scratch/drained" &
	reader=$!
	finish
	kill $reader
	[ $status = 0 ] &&
		[ "$(grep -c '^fib(20) = 6765$' "$scratch/run.out")" = 1 ] &&
		grep -q "^sateen: host $1 is lost, and 2 nodes with it; the run \
goes on without it$" "$scratch/run.err" &&
		grep -q '^sateen: nodes died: 2; ' "$scratch/run.err" &&
		cleared || show_run
}

if have_ofi; then
	for host in h2 h1; do
		hold
		nodes=$(children "$(agent $host)")
		lose $host
		# Otherwise node 0 might go on, and print the result for nobody.
		# shellcheck disable=SC2086 # a list
		until_true gone $nodes
		goes_on $host
		ok $? "kill: host $host between the wire-up and main"
	done
else
	skip "hosts between the wire-up and main" libfabric
fi
plan
