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

# removed: whether the line was erased just before the result. The launcher may draw
# the bar once more in between (steal/show.c), which hardly happens three times.
removed() {
	perl -0777 -ne 'exit !/\e\[Kwatched: 2016\r?\n/' "$scratch/terminal"
}

full='100 % \[##############################\]'
for how in './sateen run -n 3' './sateen run -n 3 --survive no' \
	'./sateen run -n 1' ''; do
	for _ in 1 2 3; do
		bar "$how ./watched $scratch/fifo"
		until_true shows "$full"
		filled=$?
		finish
		ended=$?
		if [ $filled$ended != 00 ] || removed; then
			break
		fi
	done
	ok $filled "a bar reaches 100 %: ${how:-alone}"
	ok $ended "the run ends well"
	removed
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

# The programs report as many units as they have said before, however the searches
# are cut.
tells() {
	./sateen run -n 1 -w 1 "$@" >/dev/null 2>"$scratch/told"
	told=$(sed -n 's/^progress: //p' "$scratch/told")
	[ -n "$told" ] && [ "${told% of *}" = "${told#* of }" ] &&
		[ "${told% of *}" -ge "$least" ]
	told_status=$?
	[ $told_status = 0 ] || sed 's/^/# /' "$scratch/told"
	ok $told_status "all units, at least $least: $*"
}

least=30
tells ./told_nqueens 8
tells ./told_nqueens --first 8
tells ./told_nqueens --first --fixed 9
tells ./told_nqueens --first --depth 1 9
least=10
tells ./told_golomb 9
tells ./told_golomb --length 60 9
tells ./told_golomb --depth 1 9
tells ./told_setcover --generate 30
tells ./told_setcover --generate 30 --depth 1
tells ./told_setcover --generate 30 --depth 3
tells ./told_sip --count --random 60 --pattern 5
tells ./told_sip --random 100 --pattern 8 --plant
tells ./told_sip --random 100 --pattern 8 --depth 1
tells ./told_nbody --particles 300 --steps 9
tells ./told_nbody --particles 300 --steps 9 --direct
tells ./told_integrate --high 1000
tells ./told_integrate --low -1000 --high 777 --epsilon 1e-3 --threshold 10
tells ./told_nchoosek 24
tells ./told_nchoosek 24 3
tells ./told_nchoosek --threshold 5 16 14
least=4
tells ./told_integrate --high 200 --epsilon 1000
tells ./told_clique --random 60,0.9,1
least=1000
tells ./told_knapsack --generate 30
tells ./told_knapsack --generate 30 --constraints 2
least=100
tells ./told_tsp --generate 20
tells ./told_tsp "$source_directory/apps/tsp/gr17.tsp"
tells ./told_tsp --bound distances "$source_directory/apps/tsp/burma14.tsp"
tells ./told_ida --shuffle 40
tells ./told_ida --first --shuffle 40
tells ./told_ida --first --depth 2 --shuffle 30
tells ./told_jacobi --rows 100 --columns 70 --sweeps 11
tells ./told_jacobi --rows 100 --columns 70 --sweeps 11 --part-rows 9 --block 4
tells ./told_sor --rows 100 --columns 70 --sweeps 11
tells ./told_heat3d --size 20 --sweeps 7
if [ -x ./told_uts ]; then
	least=16
	tells ./told_uts T1S
	tells ./told_uts -t 1 -b 30 -d 3
	least=2000
	tells ./told_uts -t 0 -b 2000 -m 4 -q 0.1
fi

# No terminal.
start ./sateen run -n 2 ./watched "$scratch/fifo"
finish
[ ! -s "$scratch/run.err" ]
ok $? "without a terminal nothing is shown"
bar "./sateen run -n 2 ./fib 20"
wait "$watched_pid"
! shows ' % \['
ok $? "a program that reports no progress has no bar"
prints '^fib(20) = 6765$' ./sateen sim -n 4 ./fib 20 &&
	prints '^nqueens(8) = 92$' ./sateen sim -n 4 ./nqueens 8
ok $? "in a simulation, progress is ignored"

# A simulation has a line of its own, which is updated each second. Node 1 dies when
# both nodes have computed for a second.
echo '1s kill node 1' >"$scratch/events"
on_terminal "$scratch/terminal" "timeout -k 5 100 ./sateen sim -n 2 --survive no \
	--events $scratch/events ./fib 50"
perl -0777 -ne 'exit(/a second[^\r]/ || !/million events a second\r/)' \
	"$scratch/terminal"
ok $? "the cursor is in front of the progress of a simulation"
perl -0777 -ne 'exit !/\r\e\[Ksateen: node 1 died at 1\.000 s/' "$scratch/terminal"
ok $? "which is removed before the line that says why the simulation ends"
plan
