# shellcheck shell=sh
# survive.sh: nodes and agents of runs under srun are killed, and the runs go on.

. "$here/../../processes.sh"
result=$held_result

# living: prints the processes of runs, but for those that have ended.
living() {
	pgrep -r D,R,S -x held
}

nothing_is_left() {
	! living
}

node() {
	# shellcheck disable=SC2046 # a list
	node_among "$1" $(living)
}

# agent RANK: prints the process of the agent that srun has started with that
# rank. Its parent is none of these processes.
agent() {
	for process in $(living); do
		has "$process" "PMIX_RANK=$1" || continue
		parent=$(awk '{ print $4 }' "/proc/$process/stat")
		[ "$(cat "/proc/$parent/comm")" = held ] || echo "$process"
	done
}

agent_is_asleep() {
	is_asleep "$(agent "$1")"
}

# begin OPTION...: starts a run of six nodes on three hosts. When they have begun, their
# agents tell that process 0, the launcher of the run.
begin() {
	start env STN_SURVIVE=yes STN_WORKERS=1 srun -N 3 -n 6 "$@" ./held
	await_nodes 0 1 2 3 4 5
	for waited in 1 2 3 4 5 0; do
		until_true agent_is_asleep $waited
	done
}

# goes_on STATUS DEATHS WHAT: the run ends with that status and the right result,
# and has a line for each death.
goes_on() {
	until_true has_lines "$2" "on n[123] $3; the run goes on"
	finish
	[ $status = "$1" ] && [ "$(grep -c "^$result$" "$scratch/run.out")" = 1 ] &&
		[ "$(grep -c "on n[123] $3; the run goes on" \
			"$scratch/run.err")" = "$2" ] &&
		grep -q "^sateen: nodes died: $2; records run again: " \
			"$scratch/run.err" && until_true nothing_is_left || show_run
}

for mpi in '' '--mpi=pmix'; do
	# shellcheck disable=SC2086 # perhaps none
	begin $mpi
	strike KILL 1
	goes_on 0 1 'died: signal 9, Killed'
	ok $? "srun $mpi: a node dies, and the run goes on"
	# shellcheck disable=SC2086
	begin $mpi
	strike KILL 0 5
	goes_on 0 2 'died: signal 9, Killed'
	ok $? "  node 0 dies, and a node of another host at once"
	# The status says that a process of srun's was killed.
	# shellcheck disable=SC2086
	begin $mpi -K0
	kill -9 "$(agent 4)"
	goes_on 137 1 'is lost with its agent'
	ok $? "  with -K0 an agent dies, its node dies, and the run goes on"
	sed 's/^/# /' "$scratch/run.err"
done

begin -K0
kill -9 "$(agent 0)"
finish
[ $status != 0 ] && [ $status != 124 ] && until_true nothing_is_left
ok $? "the death of process 0 ends the run (status $status)"
begin
kill -TERM "$(agent 3)"
until_true has_lines 1 'node 3 on n[123] left the run$'
finish
[ $status = 0 ] && grep -q 'node 3 on n[123] left the run$' "$scratch/run.err" &&
	grep -q "$result" "$scratch/run.out" && until_true nothing_is_left || show_run
ok $? "at SIGTERM to an agent its node leaves the run (status $status)"

# A run can be watched on the host of its process 0.
on_first() {
	srun --overlap --jobid "$(squeue -h -o %A -n held)" -N 1 -n 1 -r 0 "$@"
}
begin -J held
watched=$(on_first ./sateen top | sed -n 's/^\([0-9][0-9]*\) .*held$/\1/p')
on_first ./sateen top --once "$watched" >"$scratch/table"
sed 's/^/# /' "$scratch/table"
grep -q 'held: 6 nodes' "$scratch/table" && grep -q '^node 5 ' "$scratch/table"
ok $? "srun --overlap sateen top shows the run"
finish
ok "$status" "and the run ends well"
