#!/bin/sh
# mpi_survive.t: processes of runs under Open MPI's mpirun are killed. The run goes
# on when a node dies; docs/guides/survival.md says what mpirun does when an agent dies.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/processes.sh"

if ! grep -q '^#define HAVE_PMIX' config.h ||
	! command -v mpirun >/dev/null || ! mpirun --version | grep -q 'Open MPI'; then
	skip "runs of mpirun" "libpmix-dev or openmpi-bin"
	plan
fi

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export STN_SURVIVE=yes STN_WORKERS=1
held=$scratch/held
unset STN_NODES STN_CLUSTERS
for program in held again die; do
	cp $program "$scratch/$program" # names of their own, to look for
done

node() {
	# shellcheck disable=SC2046 # a list
	node_among "$1" $(pgrep -f "^$scratch/")
}

# agent RANK: prints the process that mpirun has started with that rank.
agent() {
	for process in $(children "$launcher"); do
		if has "$process" "PMIX_RANK=$1"; then
			echo "$process"
			return
		fi
	done
	return 1
}

agent_is_asleep() {
	is_asleep "$(agent "$1")"
}

# begin OPTION... PROGRAM: starts a run of four nodes, which have begun. Process 0
# is the launcher of the run: it knows what the other agents have passed on.
begin() {
	start mpirun --oversubscribe -n 4 "$@"
	await_nodes 0 1 2 3
	for waited in 1 2 3 0; do
		until_true agent_is_asleep $waited
	done
}

nothing_left() {
	! pgrep -f "^$scratch/" >/dev/null
}

# ends STATUS LINES: the run ends with this status and so many lines of ours on
# stderr. No process is left.
ends() {
	finish
	[ $status = "$1" ] &&
		[ "$(grep -c '^sateen: ' "$scratch/run.err")" = "$2" ] &&
		until_true nothing_left
}

# goes_on DEATHS: the run ends well, with a line for each death, and a last one.
goes_on() {
	until_true has_lines "$1" 'the run goes on'
	ends 0 $(($1 + 1)) && survived "$1" || show_run
}

# ends_soon: does the run end by itself? Nothing has released the program.
ends_soon() {
	until_true nothing_left
	soon=$?
	[ $soon = 0 ] || pkill -KILL -f "^$scratch/"
	finish
	return $soon
}

# has_node_threads RANK: has the process got a node's threads, without an agent?
has_node_threads() {
	has_threads "$(agent "$1")"
}

# Has mpirun nothing to say?
is_quiet() {
	! grep -v '^sateen: ' "$scratch/run.err"
}

result=$held_result
# shellcheck disable=SC2086 # a list
{
	begin $held
	strike KILL 1
	goes_on 1 && is_quiet
	ok $? "a node dies"
	begin $held
	strike KILL 0
	goes_on 1 && is_quiet
	ok $? "node 0 dies"
	begin $held
	strike KILL 0 3
	goes_on 2 && is_quiet
	ok $? "node 0 and another node die at once"
	begin -x STN_CLUSTERS=2 -x STN_WAN=5ms $held
	strike KILL 2
	goes_on 1
	ok $? "a node of an emulated cluster dies"

	begin $held
	strike KILL 0 1 2 3
	ends 1 4 && grep -q '^sateen: all nodes have died$' "$scratch/run.err" || show_run
	ok $? "when all nodes die, the run fails"
	begin $held
	strike ABRT 2
	ends 1 1 && is_quiet && grep -q \
		'^sateen: node 2 died during the run: signal 6' "$scratch/run.err" ||
		show_run
	ok $? "a program that crashes ends the run"

	# Deaths of agents.
	begin --enable-recovery $held
	kill -KILL "$(agent 3)"
	until_true has_lines 1 'node 3 is lost'
	ends 0 2 && grep -q '^sateen: node 3 is lost with its agent; the run goes' \
		"$scratch/run.err" && grep -qx "$result" "$scratch/run.out" || show_run
	ok $? "with --enable-recovery an agent dies, and its node with it"
	begin $held
	kill -KILL "$(agent 3)"
	finish
	[ $status != 0 ] && [ $status != 124 ] && until_true nothing_left || show_run
	ok $? "otherwise mpirun ends the run (status $status)"
	begin --enable-recovery $held
	kill -KILL "$(agent 0)"
	until_true nothing_left
	finish
	[ $status != 124 ] && nothing_left &&
		! grep -q "^$result$" "$scratch/run.out" || show_run
	ok $? "all processes end when process 0 dies"
	# The processes that notice it have PMIx's connection.
	begin $held
	kill -KILL "$launcher"
	ends_soon
	ok $? "all processes end when mpirun is killed"
	start mpirun --oversubscribe -n 4 -x STN_SURVIVE=no $held
	until_true has_node_threads 3
	kill -KILL "$launcher"
	ends_soon
	ok $? "the same without agents"
	begin $held
	kill -TERM "$(agent 1)"
	until_true has_lines 1 '^sateen: node 1 left the run$'
	ends 0 2 && grep -q '^sateen: node 1 left the run$' "$scratch/run.err" &&
		grep -qx "$result" "$scratch/run.out" || show_run
	ok $? "at SIGTERM to an agent its node leaves the run"
	# mpirun would end the run if that agent ended early.
	begin -x STN_SILENCE=1s $held
	idle=$(agent 1)
	kill -TERM "$idle"
	until_true has_lines 1 '^sateen: node 1 left the run$'
	kill -STOP "$idle"
	release
	until_true grep -qx "$result" "$scratch/run.out"
	kill -CONT "$idle"
	ends 0 2 || show_run
	ok $? "an agent whose node has left may be stopped for long"
	begin $held
	kill -TERM "$(agent 0)"
	ends 143 1 && grep -q 'interrupted by signal 15' "$scratch/run.err" || show_run
	ok $? "SIGTERM to process 0 ends the run"
}

# Two names of this host take turns, as with mpirun --map-by node.
if unshare -u hostname h0 2>/dev/null; then
	# shellcheck disable=SC2016,SC2086 # for the shells; a list
	begin unshare -u sh -c 'hostname h$((PMIX_RANK % 2)); exec "$@"' sh $held
	left=$(./sateen leave "$(agent 0)" h1 2>&1)
	finish
	[ $status = 0 ] && grep -qx "$result" "$scratch/run.out" &&
		[ "$left" = 'node 1 has left
node 3 has left' ] || show_run
	ok $? "all nodes of a host leave, though others are between them"
else
	skip "nodes of two hosts leave" "namespaces"
fi

# The output of two roots, and the input.
result=last
echo first >"$scratch/in"
input=$scratch/in
begin "$scratch/again"
until_true grep -qx first "$scratch/run.out"
strike KILL 0
goes_on 1 && [ "$(cat "$scratch/run.out")" = "first
last" ]
ok $? "the output of the next root goes on where that of the last ended"
input=/dev/null
printf 'one two\nthree\n' >"$scratch/in"
input=$scratch/in
begin "$scratch/again" all
until_true grep -qx 'one two' "$scratch/run.out"
strike KILL 0
goes_on 1 && [ "$(cat "$scratch/run.out")" = "one two
three
last" ]
ok $? "roots get the input that mpirun has, from the beginning"
input=/dev/null

# Mistakes give one line, once, and a status.
noise='^\[warn\] Epoll ' # mpirun's libevent, sometimes, when a run is aborted
complains 1 'node 1 has STN_SURVIVE=no, node 0 has STN_SURVIVE=yes' \
	mpirun --oversubscribe -n 1 ./fib 5 : -n 1 -x STN_SURVIVE=no ./fib 5
ok $? "nodes whose STN_SURVIVE differs refuse each other"
perl -MIO::Socket::INET -e '
	my $listener = IO::Socket::INET->new(Listen => 1, ReuseAddr => 0) or die;
	open my $out, ">", "$ARGV[0].new" or die;
	print $out $listener->sockport;
	close $out;
	rename "$ARGV[0].new", $ARGV[0];
	sleep 300' "$scratch/port" &
listener=$!
until_true [ -s "$scratch/port" ]
port=$(cat "$scratch/port")
complains 1 "survive is yes, but can't listen on a port from $port to $port" \
	env STN_PORTS="$port-$port" mpirun --oversubscribe -n 2 ./fib 5
ok $? "agents that can't connect are reported"
kill $listener

# Signals for the agents must not end in a thread that the program has before main.
five_times() {
	for _ in 1 2 3 4 5; do
		prints '^early_thread: 42$' mpirun --oversubscribe -n 4 \
			./early_thread || return 1
	done
}
five_times
ok $? "a program with a thread before main ends"

# With agents, and without them.
for STN_SURVIVE in yes no; do
	prints '^nqueens(10) = 724$' mpirun --oversubscribe -n 16 ./nqueens 10 &&
		[ ! -s "$scratch/err" ]
	ok $? "survive $STN_SURVIVE: sixteen nodes"
	prints '^nqueens(10) = 724$' mpirun --oversubscribe -n 1 ./nqueens 10
	ok $? "  one node"
	for program in 'main 7' 'return 5'; do
		# shellcheck disable=SC2086 # two words
		set -- $program
		timeout -k 5 100 mpirun --oversubscribe -n 3 "$scratch/die" "$1" \
			>"$scratch/out" 2>"$scratch/err"
		status=$?
		[ $status = "$2" ] && ! grep '^sateen: ' "$scratch/err"
		ok $? "  mpirun ends with the status of the program: $1"
	done
	complains 1 'STN_SYNC(victim) comes without a STN_SPAWN' \
		mpirun --oversubscribe -n 3 "$scratch/die" bare
	ok $? "  a mistake that one node finds is printed"
	complains 1 'node [01] has a task "[a-z]* [a-z]*(' \
		mpirun --oversubscribe -n 2 sh -c \
		'[ $PMIX_RANK = 1 ] && exec ./api; exec ./die return'
	ok $? "  nodes with different programs refuse each other"
done
timeout -k 5 100 mpirun --oversubscribe -n 3 "$scratch/die" abroad \
	>"$scratch/out" 2>&1
status=$?
[ $status != 0 ] && [ $status != 124 ] && ! grep 'goes on' "$scratch/out"
ok $? "without agents a node that is killed ends the run (status $status)"
STN_SURVIVE=yes
if have_ofi; then
	prints '^nqueens(10) = 724$' env STN_PRETEND_HOST=a STN_ADDRESS=127.0.0.1 \
		mpirun --oversubscribe -n 2 ./nqueens 10 : \
		-n 2 -x STN_PRETEND_HOST=b ./nqueens 10
	ok $? "nodes of different hosts"
fi
until_true nothing_left
ok $? "no process is left"
plan
