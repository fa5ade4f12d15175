#!/bin/sh
# survive.t: nodes of a run are killed, and it goes on: the right result appears
# once, and no process is left.
. "$(dirname "$0")/tap.sh"

# node RANK: prints the process of that node of the run $launcher.
node() {
	for process in $(cat "/proc/$launcher/task/$launcher/children"); do
		if tr '\0' '\n' <"/proc/$process/environ" 2>/dev/null |
			grep -qx "STN_RANK=$1"; then
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

# Has the launcher read all that the nodes have sent, and waits for more?
is_asleep() {
	[ "$(awk '{ print $3 }' "/proc/$launcher/stat")" = S ]
}

input_file=/dev/null
begin() {
	timeout -k 5 100 ./sateen run --survive yes --workers 1 "$@" \
		>"$scratch/out" 2>"$scratch/err" <"$input_file" 4>&- &
	timeout=$!
	until_true grep -q . "/proc/$timeout/task/$timeout/children"
	read -r launcher <"/proc/$timeout/task/$timeout/children"
	launcher=${launcher% }
	processes=
	for rank in 0 1 2 3; do
		until_true has_begun $rank || echo "# node $rank has not begun"
		processes="$processes $(node $rank)"
	done
	until_true is_asleep
}

# strike SIGNAL RANK...: sends the nodes a signal, all at once.
strike() {
	signal=$1
	shift
	victims=
	for rank; do
		victims="$victims $(node "$rank")"
	done
	# shellcheck disable=SC2086 # a list
	kill -"$signal" $victims
}

has_told() {
	[ "$(grep -c 'goes on without it' "$scratch/err")" -ge "$1" ]
}

none_left() {
	for process in $processes; do
		! kill -0 "$process" 2>/dev/null || return 1
	done
}

show() {
	echo "# status $status"
	sed 's/^/# /' "$scratch/out" "$scratch/err"
}

# goes_on DEATHS: the run ends well, with a line for each death, and a last one.
goes_on() {
	wait $timeout
	status=$?
	[ $status = 0 ] && [ "$(grep -c "^$result$" "$scratch/out")" = 1 ] &&
		[ "$(grep -c 'died: signal 9, Killed; the run goes on' \
			"$scratch/err")" = "$1" ] &&
		[ "$(wc -l <"$scratch/err")" = $(($1 + 1)) ] &&
		grep -q "^sateen: nodes died: $1; records run again: " \
			"$scratch/err" && none_left && return
	show
	return 1
}

result='tree(3^6) = 729 leaves'
tree='./tree -b 3 -d 6 -l 5ms --spread 50'
for balancer in rs crs rp chs cls lrs; do
	for shape in '' '--clusters 2 --wan 5ms'; do
		# shellcheck disable=SC2086 # lists
		begin -n 4 -b $balancer $shape $tree
		strike KILL 2
		goes_on 1
		ok $? "$balancer $shape: a node dies"
		# shellcheck disable=SC2086
		begin -n 4 -b $balancer $shape $tree
		strike KILL 0 3
		goes_on 2
		ok $? "$balancer $shape: the root and another node die at once"
	done
done

# shellcheck disable=SC2086
begin -n 4 $tree
strike KILL 0
until_true has_told 1
strike KILL 1
until_true has_told 2
strike KILL 2
goes_on 3
ok $? "each root dies, one after the other"

# shellcheck disable=SC2086
begin -n 4 $tree
strike KILL 0 1 2 3
wait $timeout
status=$?
[ $status = 1 ] && grep -q '^sateen: all nodes have died$' "$scratch/err" &&
	none_left
status_of_all=$?
[ $status_of_all = 0 ] || show
ok $status_of_all "when all nodes die, the run fails"

# shellcheck disable=SC2086
begin -n 4 $tree
strike ABRT 2
wait $timeout
status=$?
[ $status = 1 ] && [ "$(wc -l <"$scratch/err")" = 1 ] && none_left &&
	grep -q '^sateen: node 2 died during the run: signal 6, .*; a crash ends' \
		"$scratch/err"
crash=$?
[ $crash = 0 ] || show
ok $crash "a program that crashes ends the run"

# The output of the roots: what is printed before the death, and after it.
result=last
for line in first 'one two'; do
	echo "$line" >"$scratch/in"
	input=
	[ "$line" = first ] || input=input
	input_file=$scratch/in
	begin -n 4 ./again $input
	until_true grep -qx "$line" "$scratch/out"
	strike KILL 0
	goes_on 1 && [ "$(cat "$scratch/out")" = "$line
last" ]
	ok $? "the next root's output goes on where the last one's ended $input"
done
input_file=/dev/null

# More input comes when node 0, which has read a line, is dead.
mkfifo "$scratch/pipe"
exec 4<>"$scratch/pipe"
input_file=$scratch/pipe
echo 'one two' >&4
begin -n 4 ./again all
until_true grep -qx 'one two' "$scratch/out"
strike KILL 0
until_true has_told 1
echo three >&4
exec 4>&-
goes_on 1 && [ "$(cat "$scratch/out")" = "one two
three
last" ]
ok $? "the next root reads a pipe from the beginning to the end"
input_file=/dev/null

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
	result='tree(3^6) = 729 leaves'
	# shellcheck disable=SC2086
	begin -n 4 --transport ofi $tree
	strike KILL 0 2
	goes_on 2
	ok $? "nodes die that libfabric connects"
fi

complains 1 'with tcp, a node that dies can block the others; use' \
	./sateen run -n 2 --survive yes --transport ofi --provider tcp ./fib 5
ok $? "an unsafe provider is refused, and a safe one named"
complains 1 'survive is "maybe"; it can be auto, yes or no' \
	./sateen run -n 2 --survive maybe ./fib 5
ok $? "and so is a value that is no choice"
plan
