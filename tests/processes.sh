# shellcheck shell=sh
# processes.sh: runs in the background and their processes, for tests that kill
# these. Such a test sources this file after tap.sh. It defines `node RANK`, which
# prints the process of the node with that rank, usually by `node_among`.

# has_started PROCESS: has it started another process, or ended?
has_started() {
	gone "$1" || grep -q . "/proc/$1/task/$1/children"
}

# start COMMAND...: starts a run in the background, for 100 s at most. Its standard
# input is the file @input, its output goes to $scratch/run.out and run.err. It has no
# descriptor 4, by which a test may keep a pipe open that is the input. Sets
# @run, for which `finish` waits, and @launcher, the command's process; that is empty
# if the run has ended already.
input=/dev/null
start() {
	rm -f "$HELD_UNTIL" "$HELD_UNTIL".*
	timeout -k 5 100 "$@" >"$scratch/run.out" 2>"$scratch/run.err" \
		<"$input" 4>&- &
	run=$!
	until_true has_started "$run"
	launcher=$(children "$run")
	launcher=${launcher% }
}

# A run of `held` goes on until `finish` or `release` (tests/apps/held.c). So it does
# not end while the test still looks for its nodes.
HELD_UNTIL=$scratch/may_end
export HELD_UNTIL
held_result='held: trees of 243 leaves'
release() {
	: >"$HELD_UNTIL"
}

# await_work RANK...: waits until these nodes have visited a leaf of `held`.
await_work() {
	for waited; do
		until_true has_worked "$waited" ||
			echo "# node $waited gets no work"
	done
}

has_worked() {
	worker=$(node "$@") && [ -e "$HELD_UNTIL.$worker" ]
}

# finish: waits for the end of the run, and sets @status to its exit status.
finish() {
	release
	wait "$run"
	status=$?
}

# over_or CONDITION...: has the run ended, or does the condition hold?
over_or() {
	gone "$run" || "$@"
}

# show_run: prints @status and the output of the run as comments. Returns false, so
# that a check may end with `|| show_run`.
show_run() {
	echo "# status $status"
	sed 's/^/# /' "$scratch/run.out" "$scratch/run.err"
	return 1
}

# has_lines COUNT PATTERN: has the run written so many lines that match on stderr?
has_lines() {
	[ "$(grep -c -e "$2" "$scratch/run.err")" -ge "$1" ]
}

# survived DEATHS: has the finished run survived? It has printed the line @result
# once, a line for each death by SIGKILL, a last line, and no other of Sateen's.
survived() {
	[ "$status" = 0 ] &&
		[ "$(grep -c "^$result$" "$scratch/run.out")" = 1 ] &&
		[ "$(grep -c 'died: signal 9, Killed; the run goes on' \
			"$scratch/run.err")" = "$1" ] &&
		[ "$(grep -c '^sateen: ' "$scratch/run.err")" = $(($1 + 1)) ] &&
		grep -q "^sateen: nodes died: $1; records run again: " \
			"$scratch/run.err"
}

# children PROCESS: prints the processes that it has started.
children() {
	cat "/proc/$1/task/$1/children" 2>/dev/null
}

# has PROCESS NAME=VALUE: is this variable in the environment of the process?
has() {
	grep -zqx "$2" "/proc/$1/environ" 2>/dev/null
}

# node_among RANK PROCESS...: prints the process that is the node with that rank.
# False if none is.
node_among() {
	wanted=STN_RANK=$1
	shift
	for process; do
		if has "$process" "$wanted"; then
			echo "$process"
			return
		fi
	done
	return 1
}

# has_threads PROCESS [COUNT]: has the process so many threads? Those of a node
# with one worker are its main thread, the worker, and one each that drives the
# network and reads views. The node starts the last one when it has told its launcher
# that it is connected to all others. The thread sanitizer has one thread more.
more_threads=0
! grep -q '^STN_SANITIZE = .*thread' Makefile || more_threads=1
has_threads() {
	[ "$(find "/proc/$1/task" -mindepth 1 -maxdepth 1 2>/dev/null |
		wc -l)" -ge $((${2:-4} + more_threads)) ]
}

# has_begun RANK: has the node got its threads? There should be @threads of them.
threads=4
has_begun() {
	begun=$(node "$1") && has_threads "$begun" "$threads"
}

# await_nodes RANK...: waits until these nodes have begun. The run survives their
# deaths only after the launcher has read their message: see await_asleep.
await_nodes() {
	for waited; do
		until_true has_begun "$waited" ||
			echo "# node $waited has not begun"
	done
}

# state PROCESS: prints the letter of its state as ps does, or nothing if there is
# no such process.
state() {
	awk '{ print $3 }' "/proc/$1/stat" 2>/dev/null
}

# is_asleep PROCESS: does it wait? A launcher does when it has read all that its
# nodes have sent.
is_asleep() {
	[ "$(state "$1")" = S ]
}

# await_asleep PROCESS...: waits until each of them sleeps, one after the other: first
# those that pass on what the nodes have sent, last the launcher.
await_asleep() {
	for waited; do
		until_true is_asleep "$waited" ||
			echo "# process $waited does not sleep"
	done
}

# at_rest PROCESS...: do the main threads of these processes sleep, and has none of them
# run for 0.2 s? A thread that waits for a processor does not sleep. The threads that
# drive the network run each millisecond.
at_rest() {
	looks=$(look_at "$@")
	! echo "$looks" | grep -q '^State:.[^S]' || return
	sleep 0.2
	[ "$looks" = "$(look_at "$@")" ]
}

look_at() {
	for looked; do
		grep -e '^State:' -e '_ctxt_switches:' "/proc/$looked/status"
	done
}

# gone PROCESS...: have they all ended? A zombie has, if its parent is stopped.
gone() {
	for process; do
		case $(state "$process") in
		'' | Z) ;;
		*) return 1 ;;
		esac
	done
}

# strike SIGNAL RANK...: sends the nodes a signal, all at once.
strike() {
	signal=$1
	shift
	victims=
	for struck; do
		victims="$victims $(node "$struck")"
	done
	# shellcheck disable=SC2086 # a list
	kill -"$signal" $victims
}

# make_ssh: writes $scratch/ssh, which replaces ssh: it runs its command on this
# machine, and is replaced by it. Before that it writes its process number to
# $scratch/agent.HOST, and runs the shell script $scratch/ssh.first if there is one.
# The script has HOST as $1, and may end the process.
make_ssh() {
	cat >"$scratch/ssh" <<'END'
#!/bin/sh
while [ "${1#-}" != "$1" ]; do
	shift 2
done
echo $$ >"${0%/*}/agent.$1"
[ ! -e "$0.first" ] || . "$0.first"
cd /
exec sh -c "$2"
END
	chmod +x "$scratch/ssh"
}

# agent HOST: prints the process of the agent on that host, which $scratch/ssh has
# started. False if there is none yet.
agent() {
	cat "$scratch/agent.$1" 2>/dev/null
}

# make_program: writes $scratch/program, the program of all nodes, two on each of two
# hosts, as they believe. It runs its arguments, and before that the shell script
# $scratch/first.RANK, if there is one for the node's rank.
make_program() {
	cat >"$scratch/program" <<'END'
#!/bin/sh
here=${0%/*}
[ ! -e "$here/first.$STN_RANK" ] || . "$here/first.$STN_RANK"
export STN_ADDRESS=127.0.0.1 STN_PRETEND_HOST=h$((STN_RANK / 2))
exec "$@"
END
	chmod +x "$scratch/program"
}

# cable: prints a script that takes the place of ssh HOST COMMAND, and makes a
# connection that can be cut: the agent is no child of ssh, and all bytes between them
# pass through relays, which can be stopped. The processes are written to
# $here/agent.HOST and $here/relays.HOST.
cable() {
	cat <<'END'
relay='echo $$ >>"$0"; exec cat'
setsid sh -c "$relay" "$here/relays.$1" |
	setsid sh -c 'echo $$ >"$0"; cd /; exec sh -c "$1"' \
		"$here/agent.$1" "$2" |
	setsid sh -c "$relay" "$here/relays.$1"
exit
END
}
