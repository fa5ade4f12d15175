#!/bin/sh
# mpi_survive.t: processes of runs under Open MPI's mpirun are killed. The run goes
# on when a node dies; README says what mpirun does when an agent dies.
. "$(dirname "$0")/tap.sh"

if ! grep -q '^#define HAVE_PMIX' config.h ||
	! command -v mpirun >/dev/null || ! mpirun --version | grep -q 'Open MPI'; then
	skip "runs of mpirun" "libpmix-dev or openmpi-bin"
	plan
fi

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export STN_SURVIVE=yes STN_WORKERS=1
unset STN_NODES STN_CLUSTERS
for program in tree again die; do
	cp $program "$scratch/$program" # names of their own, to look for
done

# has PROCESS NAME=VALUE: is this variable in the environment of the process?
has() {
	grep -zqx "$2" "/proc/$1/environ" 2>/dev/null
}

# node RANK: prints the process of that node.
node() {
	for process in $(pgrep -f "^$scratch/"); do
		if has "$process" "STN_RANK=$1"; then
			echo "$process"
			return
		fi
	done
	return 1
}

# agent RANK: prints the process that mpirun has started with that rank.
agent() {
	for process in $(pgrep -P "$launcher"); do
		if has "$process" "PMIX_RANK=$1"; then
			echo "$process"
			return
		fi
	done
	return 1
}

# Has the node got threads for its worker, the network, and views? Then it may die.
has_begun() {
	process=$(node "$1") &&
		[ "$(find "/proc/$process/task" -mindepth 1 -maxdepth 1 | wc -l)" -ge 4 ]
}

# Has process 0, the launcher of the run, read all that the nodes have sent?
is_asleep() {
	[ "$(awk '{ print $3 }' "/proc/$first/stat")" = S ]
}

# begin OPTION... PROGRAM: starts a run of four nodes.
input=/dev/null
begin() {
	timeout -k 5 100 mpirun --oversubscribe -n 4 "$@" \
		>"$scratch/out" 2>"$scratch/err" <"$input" &
	timeout=$!
	until_true grep -q . "/proc/$timeout/task/$timeout/children"
	read -r launcher <"/proc/$timeout/task/$timeout/children"
	launcher=${launcher% }
	for rank in 0 1 2 3; do
		until_true has_begun $rank || echo "# node $rank has not begun"
	done
	first=$(agent 0)
	until_true is_asleep
}

# strike SIGNAL WHAT RANK...: sends processes a signal, all at once. WHAT is node
# or agent.
strike() {
	signal=$1
	what=$2
	shift 2
	victims=
	for rank; do
		victims="$victims $($what "$rank")"
	done
	# shellcheck disable=SC2086 # a list
	kill -"$signal" $victims
}

nothing_left() {
	! pgrep -f "^$scratch/" >/dev/null
}

show() {
	echo "# status $status"
	sed 's/^/# /' "$scratch/out" "$scratch/err"
	return 1
}

# ends STATUS LINES: the run ends with this status and so many lines of ours on
# stderr. No process is left.
ends() {
	wait $timeout
	status=$?
	[ $status = "$1" ] &&
		[ "$(grep -c '^sateen: ' "$scratch/err")" = "$2" ] &&
		until_true nothing_left
}

# goes_on DEATHS: the run ends well, with a line for each death, and a last one.
goes_on() {
	ends 0 $(($1 + 1)) && [ "$(grep -c "^$result$" "$scratch/out")" = 1 ] &&
		[ "$(grep -c 'died: signal 9, Killed; the run goes on' \
			"$scratch/err")" = "$1" ] &&
		grep -q "^sateen: nodes died: $1; records run again: " \
			"$scratch/err" || show
}

# Has mpirun nothing to say?
is_quiet() {
	! grep -v '^sateen: ' "$scratch/err"
}

tree="$scratch/tree -b 3 -d 5 -l 40ms --spread 50"
result='tree(3^5) = 243 leaves'
# shellcheck disable=SC2086 # a list
{
	begin $tree
	strike KILL node 1
	goes_on 1 && is_quiet
	ok $? "a node dies"
	begin $tree
	strike KILL node 0
	goes_on 1 && is_quiet
	ok $? "node 0 dies"
	begin $tree
	strike KILL node 0 3
	goes_on 2 && is_quiet
	ok $? "node 0 and another node die at once"
	begin -x STN_CLUSTERS=2 -x STN_WAN=5ms $tree
	strike KILL node 2
	goes_on 1
	ok $? "a node of an emulated cluster dies"

	begin $tree
	strike KILL node 0 1 2 3
	ends 1 4 && grep -q '^sateen: all nodes have died$' "$scratch/err" || show
	ok $? "when all nodes die, the run fails"
	begin $tree
	strike ABRT node 2
	ends 1 1 && is_quiet && grep -q \
		'^sateen: node 2 died during the run: signal 6' "$scratch/err" ||
		show
	ok $? "a program that crashes ends the run"

	# Deaths of agents.
	begin --enable-recovery $tree
	strike KILL agent 3
	ends 0 2 && grep -q '^sateen: node 3 is lost with its agent; the run goes' \
		"$scratch/err" && grep -qx "$result" "$scratch/out" || show
	ok $? "with --enable-recovery an agent dies, and its node with it"
	begin $tree
	strike KILL agent 3
	wait $timeout
	status=$?
	[ $status != 0 ] && [ $status != 124 ] && until_true nothing_left || show
	ok $? "otherwise mpirun ends the run (status $status)"
	begin --enable-recovery $tree
	strike KILL agent 0
	wait $timeout
	status=$?
	[ $status != 124 ] && until_true nothing_left &&
		! grep -q "^$result$" "$scratch/out" || show
	ok $? "all processes end when process 0 dies"
	begin $tree
	strike TERM agent 1
	ends 0 2 && grep -q '^sateen: node 1 left the run$' "$scratch/err" &&
		grep -qx "$result" "$scratch/out" || show
	ok $? "at SIGTERM to an agent its node leaves the run"
	begin $tree
	strike TERM agent 0
	ends 143 1 && grep -q 'interrupted by signal 15' "$scratch/err" || show
	ok $? "SIGTERM to process 0 ends the run"
}

# Two names of this host take turns, as with mpirun --map-by node.
if unshare -u hostname h0 2>/dev/null; then
	# shellcheck disable=SC2016,SC2086 # for the shells; a list
	begin unshare -u sh -c 'hostname h$((PMIX_RANK % 2)); exec "$@"' sh $tree
	left=$(./sateen leave "$first" h1 2>&1)
	wait $timeout
	status=$?
	[ $status = 0 ] && grep -qx "$result" "$scratch/out" &&
		[ "$left" = 'node 1 has left
node 3 has left' ] || show
	ok $? "all nodes of a host leave, though others are between them"
else
	skip "nodes of two hosts leave" "namespaces"
fi

# The output of two roots, and the input.
result=last
echo first >"$scratch/in"
input=$scratch/in
begin "$scratch/again"
until_true grep -qx first "$scratch/out"
strike KILL node 0
goes_on 1 && [ "$(cat "$scratch/out")" = "first
last" ]
ok $? "the output of the next root goes on where that of the last ended"
input=/dev/null
printf 'one two\nthree\n' >"$scratch/in"
input=$scratch/in
begin "$scratch/again" all
until_true grep -qx 'one two' "$scratch/out"
strike KILL node 0
goes_on 1 && [ "$(cat "$scratch/out")" = "one two
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
