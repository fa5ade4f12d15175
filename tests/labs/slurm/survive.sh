# shellcheck shell=sh
# survive.sh: nodes and agents of runs under srun are killed, and the runs go on.

tree='./tree -b 3 -d 5 -l 60ms --spread 50'
result='tree(3^5) = 243 leaves'

# trees: prints the processes of runs, but for those that have ended.
trees() {
	pgrep -r D,R,S -x tree
}

nothing_is_left() {
	! trees
}

# has PROCESS NAME=VALUE: is this variable in the environment of the process?
has() {
	grep -zqx "$2" "/proc/$1/environ" 2>/dev/null
}

# node RANK: prints the process of that node.
node() {
	for process in $(trees); do
		has "$process" "STN_RANK=$1" && echo "$process"
	done
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

# Has each node threads for its worker, the network, and views?
have_begun() {
	for rank in 0 1 2 3 4 5; do
		process=$(node $rank)
		[ -n "$process" ] &&
			[ "$(find "/proc/$process/task" -mindepth 1 \
				-maxdepth 1 | wc -l)" -ge 4 ] || return 1
	done
}

# begin OPTION...: starts a run of six nodes on three hosts.
begin() {
	# shellcheck disable=SC2086 # a list
	STN_SURVIVE=yes STN_WORKERS=1 timeout 100 srun -N 3 -n 6 "$@" $tree \
		>"$scratch/out" 2>"$scratch/err" &
	run=$!
	until_true have_begun || echo "# not all nodes have begun"
	sleep 0.5 # until the launcher knows that they have
}

# goes_on STATUS DEATHS WHAT: the run ends with that status and the right result,
# and has a line for each death.
goes_on() {
	wait $run
	status=$?
	[ $status = "$1" ] && [ "$(grep -c "^$result$" "$scratch/out")" = 1 ] &&
		[ "$(grep -c "on n[123] $3; the run goes on" \
			"$scratch/err")" = "$2" ] &&
		grep -q "^sateen: nodes died: $2; records run again: " \
			"$scratch/err" && until_true nothing_is_left && return
	echo "# status $status"
	sed 's/^/# /' "$scratch/out" "$scratch/err"
	return 1
}

for mpi in '' '--mpi=pmix'; do
	# shellcheck disable=SC2086 # perhaps none
	begin $mpi
	kill -9 "$(node 1)"
	goes_on 0 1 'died: signal 9, Killed'
	ok $? "srun $mpi: a node dies, and the run goes on"
	# shellcheck disable=SC2086
	begin $mpi
	kill -9 "$(node 0)" "$(node 5)"
	goes_on 0 2 'died: signal 9, Killed'
	ok $? "  node 0 dies, and a node of another host at once"
	# The status says that a process of srun's was killed.
	# shellcheck disable=SC2086
	begin $mpi -K0
	kill -9 "$(agent 4)"
	goes_on 137 1 'is lost with its agent'
	ok $? "  with -K0 an agent dies, its node dies, and the run goes on"
	sed 's/^/# /' "$scratch/err"
done

begin -K0
kill -9 "$(agent 0)"
wait $run
status=$?
[ $status != 0 ] && [ $status != 124 ] && until_true nothing_is_left
ok $? "the death of process 0 ends the run (status $status)"
begin
kill -TERM "$(agent 3)"
wait $run
status=$?
[ $status = 0 ] && said | grep -q 'node 3 on n[123] left the run$' &&
	grep -q "$result" "$scratch/out" && until_true nothing_is_left
term=$?
[ $term = 0 ] || sed 's/^/# /' "$scratch/err"
ok $term "at SIGTERM to an agent its node leaves the run (status $status)"
