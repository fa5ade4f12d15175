#!/bin/sh
# progress.t: the progress bar: what a terminal shows. script(1) makes one.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/watched.sh"

if ! command -v script >/dev/null; then
	skip "the progress bar" "script"
	plan
fi

# on_terminal FILE COMMAND: runs the command on a terminal; FILE gets what it shows.
on_terminal() {
	script -q -e -f -c "$2" "$1" </dev/null >/dev/null 2>&1
}

# shows PATTERN: the terminal of the run has shown this.
shows() {
	grep -q -e "$1" "$scratch/terminal"
}

# bar COMMAND: starts it on a terminal.
bar() {
	: >"$scratch/terminal"
	on_terminal "$scratch/terminal" "$1" &
	watched_pid=$!
}

full='100 % \[##############################\]'
for how in './sateen run -n 3' './sateen run -n 3 --survive no' \
	'./sateen run -n 1' ''; do
	bar "$how ./watched $scratch/fifo"
	until_true shows "$full"
	ok $? "a bar reaches 100 %: ${how:-alone}"
	finish
	ok $? "the run ends well"
	# The results stand at the begin of a line: the bar has been removed.
	tr '\r' '\n' <"$scratch/terminal" |
		sed 's/\x1b\[K//g' | grep -q '^watched: 2016$'
	ok $? "nothing of the bar is left before the results"
done

# On a narrow terminal the bar is cut, so that it stays in one line.
bar "stty cols 20; ./sateen run -n 2 ./watched $scratch/fifo"
until_true shows "100 % \[############$(printf '\r')"
ok $? "on a terminal of 20 columns the bar has 19"
finish
ok $? "and the run ends well"

# In the background, a write to this terminal would stop the run.
bar "stty tostop; set -m; ./sateen run -n 2 ./watched $scratch/fifo \
	</dev/null >$scratch/run.out & wait \$!"
: >"$scratch/run.err"
finish
ok $? "in the background a run goes on"
! shows ' % \['
ok $? "and draws no bar"

# The program shows a bound by itself.
bar "./sateen run -n 2 ./watched $scratch/fifo shown"
finish
ok $? "a program that shows a line of its own runs"
! shows ' % \['
ok $? "and has no bar beside that line"

# No terminal.
start ./sateen run -n 2 ./watched "$scratch/fifo"
finish
[ ! -s "$scratch/run.err" ]
ok $? "without a terminal nothing is shown"
bar "./sateen run -n 2 ./fib 20"
wait "$watched_pid"
watched_pid=
! shows ' % \['
ok $? "a program that reports no progress has no bar"
prints '^fib(20) = 6765$' ./sateen sim -n 4 ./fib 20
prints '^nqueens(8) = 92$' ./sateen sim -n 4 ./nqueens 8
ok $? "in a simulation, progress is ignored"
plan
