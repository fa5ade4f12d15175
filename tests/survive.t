#!/bin/sh
# survive.t: nodes of a run are killed, and it goes on: the right result appears
# once, and no process is left.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/processes.sh"

node() {
	# shellcheck disable=SC2046 # a list
	node_among "$1" $(children "$launcher")
}

# begin OPTION... PROGRAM: starts a run of four nodes, which have begun.
begin() {
	start ./sateen run -n 4 --survive yes --workers 1 "$@"
	await_nodes 0 1 2 3
	processes=$(children "$launcher")
	await_asleep "$launcher"
}

has_told() {
	has_lines "$1" 'goes on without it'
}

# goes_on DEATHS: the run survives so many deaths. It prints nothing but what it
# should, and leaves no process.
goes_on() {
	until_true has_told "$1"
	finish
	# shellcheck disable=SC2086 # a list
	survived "$1" && [ "$(wc -l <"$scratch/run.err")" = $(($1 + 1)) ] &&
		gone $processes || show_run
}

result=$held_result
for balancer in rs crs rp chs cls lrs; do
	for shape in '' '--clusters 2 --wan 5ms'; do
		# shellcheck disable=SC2086 # lists
		begin -b $balancer $shape ./held
		strike KILL 2
		goes_on 1
		ok $? "$balancer $shape: a node dies"
		# shellcheck disable=SC2086
		begin -b $balancer $shape ./held
		strike KILL 0 3
		goes_on 2
		ok $? "$balancer $shape: the root and another node die at once"
	done
done

begin ./held
strike KILL 0
until_true has_told 1
strike KILL 1
until_true has_told 2
strike KILL 2
goes_on 3
ok $? "each root dies, one after the other"

begin ./held
strike KILL 0 1 2 3
finish
# shellcheck disable=SC2086
[ $status = 1 ] && grep -q '^sateen: all nodes have died$' "$scratch/run.err" &&
	gone $processes || show_run
ok $? "when all nodes die, the run fails"

begin ./held
strike ABRT 2
finish
# shellcheck disable=SC2086
[ $status = 1 ] && [ "$(wc -l <"$scratch/run.err")" = 1 ] && gone $processes &&
	grep -q '^sateen: node 2 died during the run: signal 6, .*; a crash ends' \
		"$scratch/run.err" || show_run
ok $? "a program that crashes ends the run"

# The output of the roots: what is printed before the death, and after it.
result=last
for line in first 'one two'; do
	echo "$line" >"$scratch/in"
	input=$scratch/in
	argument=
	[ "$line" = first ] || argument=input
	begin ./again $argument
	until_true grep -qx "$line" "$scratch/run.out"
	strike KILL 0
	goes_on 1 && [ "$(cat "$scratch/run.out")" = "$line
last" ]
	ok $? "the next root's output goes on where the last one's ended $argument"
done
input=/dev/null

# More input comes when node 0, which has read a line, is dead.
mkfifo "$scratch/pipe"
exec 4<>"$scratch/pipe"
input=$scratch/pipe
echo 'one two' >&4
begin ./again all
until_true grep -qx 'one two' "$scratch/run.out"
strike KILL 0
until_true has_told 1
echo three >&4
exec 4>&-
goes_on 1 && [ "$(cat "$scratch/run.out")" = "one two
three
last" ]
ok $? "the next root reads a pipe from the beginning to the end"
input=/dev/null

[ "$(printf 'a\nb\n' | {
	./sateen run -n 2 --survive yes ./fib 5 | grep fib
	cat
})" = 'fib(5) = 5
a
b' ]
ok $? "a program that does not read a pipe leaves its contents"

# shellcheck disable=SC2016 # for the shells of the nodes
[ "$(echo yes | ./sateen run -n 2 --survive yes sh -c '
	[ $STN_RANK = 0 ] || readlink /proc/$$/fd/0
	exec ./fib 5' | grep -v time)" = '/dev/null
fib(5) = 5' ]
ok $? "only the root has the input"

if have_ofi; then
	result=$held_result
	begin --transport ofi ./held
	strike KILL 0 2
	goes_on 2
	ok $? "nodes die that libfabric connects"
fi

complains 2 'with tcp, a node that dies can block the others; use' \
	./sateen run -n 2 --survive yes --transport ofi --provider tcp ./fib 5
ok $? "an unsafe provider is refused, and a safe one named"
complains 2 'survive is "maybe"; it can be auto, yes or no' \
	./sateen run -n 2 --survive maybe ./fib 5
ok $? "and so is a value that is no choice"
plan
