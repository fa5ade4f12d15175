# shellcheck shell=sh
# survive.sh: nodes and agents of runs under srun are killed, and the runs go on.

. "$here/../../processes.sh"
tree='./tree -b 3 -d 5 -l 60ms --spread 50'
result='tree(3^5) = 243 leaves'

# trees: prints the processes of runs, but for those that have ended.
trees() {
	pgrep -r D,R,S -x tree
}

nothing_is_left() {
	! trees
}

node() {
	# shellcheck disable=SC2046 # a list
	node_among "$1" $(trees)
}

# agent RANK: prints the process of the agent that srun has started with that
# rank. Its parent is no tree.
agent() {
	for process in $(trees); do
		has "$process" "PMIX_RANK=$1" || continue
		parent=$(awk '{ print $4 }' "/proc/$process/stat")
		[ "$(cat "/proc/$parent/comm")" = tree ] || echo "$process"
	done
}

# begin OPTION...: starts a run of six nodes on three hosts.
begin() {
	# shellcheck disable=SC2086 # a list
	start env STN_SURVIVE=yes STN_WORKERS=1 srun -N 3 -n 6 "$@" $tree
	await_nodes 0 1 2 3 4 5
	sleep 0.5 # until the launcher knows that they have
}

# goes_on STATUS DEATHS WHAT: the run ends with that status and the right result,
# and has a line for each death.
goes_on() {
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
finish
[ $status = 0 ] && grep -q 'node 3 on n[123] left the run$' "$scratch/run.err" &&
	grep -q "$result" "$scratch/run.out" && until_true nothing_is_left || show_run
ok $? "at SIGTERM to an agent its node leaves the run (status $status)"
