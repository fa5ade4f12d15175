#!/bin/sh
# survive_edges.t: nodes die before main begins, and after it has returned. Full pipes
# hold node 0 there, to which it would write.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/processes.sh"

if ! have_ofi; then
	skip "deaths before and after main" libfabric
	plan
fi

make_program
mkfifo "$scratch/gate" "$scratch/full" "$scratch/report"

node() {
	# shellcheck disable=SC2046 # a list
	node_among "$1" $(children "$launcher")
}

# begin OPTION...: starts a run of four nodes. Nodes that are stopped do not count
# as dead.
result='fib(20) = 6765'
begin() {
	start ./sateen run -n 4 --survive yes --workers 1 --silence 0s "$@" \
		"$scratch/program" ./fib 20
	processes=
}

# Does the node run the program, and wait? If it has one thread it waits for the
# wire-up.
waits() {
	process=$(node "$1") && is_asleep "$process" &&
		[ "$(readlink "/proc/$process/exe")" = "$(pwd)/fib" ]
}

none_left() {
	# shellcheck disable=SC2086 # a list
	gone $processes
}

# ends_run PATTERN: the run ends with status 1 and one line, which matches. Nothing
# is printed, and no process is left.
ends_run() {
	finish
	[ $status = 1 ] && [ ! -s "$scratch/run.out" ] &&
		[ "$(wc -l <"$scratch/run.err")" = 1 ] &&
		grep -q "$1" "$scratch/run.err" && until_true none_left ||
		show_run
}

# Before the wire-up.

for rank in 0 2; do
	echo 'kill -KILL $$' >"$scratch/first.$rank"
	begin
	ends_run "^sateen: node $rank died before the run: signal 9, Killed$"
	ok $? "node $rank dies before it runs the program: the run ends"
	rm "$scratch/first.$rank"
done

# Node 1 comes last; the others wait for its card.
echo 'read -r line <"$here/gate"' >"$scratch/first.1"
for rank in 0 2; do
	begin
	for other in 0 2 3; do
		until_true waits $other || echo "# node $other does not wait"
	done
	processes=$(children "$launcher")
	strike KILL $rank
	ends_run "^sateen: node $rank died before the run: signal 9, Killed$"
	ok $? "node $rank dies during the wire-up: the run ends"
done
rm "$scratch/first.1"

# fill PIPE: makes it full.
fill() {
	dd if=/dev/zero of="$1" bs=4096 count=1000 oflag=nonblock \
		2>"$scratch/dd"
}

# drain DESCRIPTOR: from now on copies what comes out of the pipe to
# $scratch/drained, and so lets writers go on. The processes @reader do that until
# `ends`.
reader=
drain() {
	[ -n "$reader" ] || : >"$scratch/drained"
	cat <&$1 >>"$scratch/drained" &
	reader="$reader $!"
}

# Between the wire-up and main. Node 0 prints a line on nodes and hosts then.

# hold OPTION...: starts a run whose node 0 can't print that line.
hold() {
	fill "$scratch/full"
	echo 'exec 2>"$here/full"' >"$scratch/first.0"
	begin "$@"
	await_nodes 1 2 3
	until_true waits 0
	rm "$scratch/first.0"
	processes=$(children "$launcher")
	await_asleep "$launcher"
}

# ends: waits for the end of the run. What node 0 printed into a pipe instead of on
# stderr goes there, except the line on nodes and hosts.
ends() {
	finish
	if [ -n "$reader" ]; then
		# shellcheck disable=SC2086 # a list
		kill $reader
		tr -d '\0' <"$scratch/drained" | grep '^sateen: ' \
			>>"$scratch/run.err"
		reader=
	fi
	sed -i '/^sateen: 4 nodes on 2 hosts: /d' "$scratch/run.err"
	until_true none_left
}

# goes_on DEATHS: the run survives so many deaths.
goes_on() {
	ends && survived "$1" &&
		[ "$(wc -l <"$scratch/run.err")" = $(($1 + 1)) ] || show_run
}

exec 3<>"$scratch/full" 4<>"$scratch/report"
hold
strike KILL 0
goes_on 1
ok $? "node 0 dies before it runs main: another node runs main"
hold
strike KILL 2
drain 3
goes_on 1
ok $? "another node dies then: the run goes on"
hold
strike KILL 0 2 3
goes_on 3
ok $? "all but one die then"

# After main: node 0 waits for the statistics of a node that is stopped.

has_printed() {
	grep -qx "$result" "$scratch/run.out"
}

# have_ended RANK...: have the workers of these nodes ended, and do the nodes and the
# launcher wait?
have_ended() {
	at=$launcher
	for rank; do
		process=$(node "$rank") && ! has_threads "$process" || return
		at="$at $process"
	done
	# shellcheck disable=SC2086 # a list
	at_rest $at
}

# await_end RANK...: waits until main has returned, and these nodes wait for others.
await_end() {
	until_true has_printed || echo "# main has not printed"
	until_true have_ended "$@" || echo "# nodes $* have not ended"
}

# hold_end: starts a run whose main has returned, and node 2 is stopped.
hold_end() {
	hold
	strike STOP 2
	drain 3
	await_end 0 1 3
}

hold_end
strike KILL 2
goes_on 1
ok $? "a node dies when main has returned"
hold_end
strike KILL 0
strike CONT 2
goes_on 1
ok $? "node 0 dies when main has returned"
hold_end
strike KILL 0 1 2
goes_on 3
ok $? "node 0 and others die when main has returned"

# hold_report: starts a run in which node 0 can't write the statistics. All other
# nodes are at the barrier.
hold_report() {
	fill "$scratch/report"
	begin --stats=json:"$scratch/report"
	processes=$(children "$launcher")
	await_end 0 1 2 3
}

# written: have right statistics come out of the pipe?
written() {
	until_true grep -aq '"hold": true' "$scratch/drained"
}

hold_report
strike KILL 0
drain 4
written && goes_on 1
ok $? "node 0 dies while it writes the statistics: another node writes them"
# ends_well LINES: the run ends with the right result and so many lines.
ends_well() {
	ends && [ $status = 0 ] &&
		[ "$(grep -c "^$result$" "$scratch/run.out")" = 1 ] &&
		[ "$(wc -l <"$scratch/run.err")" = "$1" ] || show_run
}

hold_report
strike KILL 2
until_true grep -q '^sateen: node 2 died: ' "$scratch/run.err"
drain 4
written && goes_on 1
ok $? "a node dies at the barrier, while node 0 writes the statistics"

fill "$scratch/report"
hold --stats=json:"$scratch/report"
strike KILL 3
drain 3
await_end 0 1 2
strike KILL 0
drain 4
written && goes_on 2
ok $? "node 0 has counted a death when it dies: there is still one last line"

others_left() {
	# shellcheck disable=SC2086 # a list
	gone $others
}
hold_report
others="$(node 0) $(node 1) $(node 3)"
strike STOP 2
drain 4
until_true others_left
strike KILL 2
written && ends_well 0
ok $? "a node dies when the others have left the barrier: that is no loss"
hold_report
others="$(node 2) $(node 3)"
strike KILL 0
until_true others_left
strike KILL 1
ends_well 2 && grep -q '^sateen: node 0 died: .*; the run goes on' \
	"$scratch/run.err"
ok $? "node 0 dies at the barrier, and the next root when the others have left"

plan
