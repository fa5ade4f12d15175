#!/bin/sh
# mpi.t: Open MPI's mpirun starts runs, without `sateen run` and its options.
# Settings come from STN_* variables, and mpirun reports how a run ends.
. "$(dirname "$0")/tap.sh"

if ! grep -q '^#define HAVE_PMIX' config.h; then
	skip "runs of mpirun" "libpmix-dev"
	plan
fi

# Processes of a launcher without PMIx.
for launcher in 'SLURM_STEP_NUM_TASKS=2 SLURM_PROCID' \
	'PMI_SIZE=2 PMI_RANK' 'OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK'; do
	# shellcheck disable=SC2086 # two variables
	complains 1 'one of 2 processes that .* started without PMIx.*use srun' \
		env $launcher=0 ./fib 5
	ok $? "without PMIx the first refuses to run alone (${launcher%%_S*})"
	# shellcheck disable=SC2086
	env $launcher=1 ./fib 5 >"$scratch/out" 2>&1
	[ $? = 1 ] && [ ! -s "$scratch/out" ]
	ok $? "  and so do the others, without a message"
done
prints '^fib(5) = 5$' env SLURM_JOB_ID=7 SLURM_NTASKS=16 ./fib 5
ok $? "in an allocation or a batch script a program runs alone"
complains 1 "PMIx, which PMIX_NAMESPACE announces, doesn't answer" \
	env PMIX_NAMESPACE=none PMIX_RANK=0 ./fib 5
ok $? "a launcher that is gone is reported"
prints '^fib(5) = 5$' env PMIX_NAMESPACE=none PMIX_RANK=0 ./sateen run -n 2 ./fib 5
ok $? "sateen run takes precedence over it"
complains 2 'mpirun has started this `sateen run` 3 times' env \
	OMPI_COMM_WORLD_SIZE=3 OMPI_COMM_WORLD_RANK=0 ./sateen run -n 2 ./fib 5
ok $? "but three of sateen run at once are refused"
complains 1 'leads to no launcher.*leave one of them out' env STN_NODES=2 \
	STN_TRANSPORT=shm STN_RANK=0 STN_WIREUP_FD=0 ./fib 5
ok $? "a node of mpirun inside sateen run is refused"

if ! command -v mpirun >/dev/null || ! mpirun --version | grep -q 'Open MPI'; then
	skip "runs of mpirun" "openmpi-bin"
	plan
fi

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset STN_NODES STN_CLUSTERS
noise='^\[warn\] Epoll ' # mpirun's libevent, sometimes, when a run is aborted

# refuses STATUS PATTERN NODES COMMAND...: mpirun complains.
refuses() {
	tap_expected=$1
	tap_pattern=$2
	shift 2
	complains "$tap_expected" "$tap_pattern" mpirun --oversubscribe -n "$@"
}

for nodes in 1 2 5 16; do
	prints '^nqueens(10) = 724$' mpirun --oversubscribe -n $nodes \
		./nqueens 10
	ok $? "mpirun -n $nodes ./nqueens 10"
done
[ "$(grep -c nqueens "$scratch/out")" = 1 ]
ok $? "its result is printed once"
[ ! -s "$scratch/err" ]
ok $? "and nothing else is printed"
prints 'bench latency: transport shm,' mpirun --oversubscribe -n 2 ./sateen bench latency \
	--transport shm --rounds 20 --sizes 8
ok $? "sateen bench measures between two nodes of mpirun, with its settings"
complains 1 'between two nodes, not 3' mpirun --oversubscribe -n 3 ./sateen bench latency
ok $? "and refuses three"
prints '^fib(20) = 6765$' mpirun --oversubscribe -n 3 ./fib 20
ok $? "mpirun -n 3 ./fib 20"
prints '^burma14: 3323' mpirun --oversubscribe -n 3 \
	./tsp "$source_directory/apps/tsp/burma14.tsp"
ok $? "mpirun -n 3 ./tsp burma14.tsp"


export STN_STATS="json:$scratch/json"
prints '^nqueens(11) = 2680$' env STN_CLUSTERS=2 STN_WAN=1ms,10MB/s,1ms \
	mpirun --oversubscribe -n 4 ./nqueens 11
ok $? "on two clusters, by STN_CLUSTERS and STN_WAN"
[ "$(counted run.nodes run.clusters | paste -sd' ')" = '4 2' ]
ok $? "  of four nodes together"
unset STN_STATS
prints '^nqueens(10) = 724$' env STN_NODES=4 STN_CLUSTERS=2x2 \
	mpirun --oversubscribe -n 4 ./nqueens 10
ok $? "settings may say as many nodes as there are"
if have_ofi; then
	prints '^nqueens(10) = 724$' env STN_TRANSPORT=ofi \
		mpirun --oversubscribe -n 3 ./nqueens 10
	ok $? "over libfabric"
fi

# Mistakes give one line, once, and a status.
STN_NODES=3 refuses 1 'STN_NODES says 3 nodes, but .* started 4' \
	4 ./fib 5
ok $? "STN_NODES with another number of nodes is refused"
STN_CLUSTERS=4x2 refuses 1 'STN_CLUSTERS says 8 nodes, but .* started 4' \
	4 ./fib 5
ok $? "and so is STN_CLUSTERS"
STN_CLUSTERS=5 refuses 1 '5 clusters need at least as many nodes' \
	4 ./fib 5
ok $? "more clusters than nodes are refused"
STN_TRANSPORT=loop refuses 1 'loop is for nodes of one process' 4 ./fib 5
ok $? "a transport for one process is refused"
STN_BALANCER=cilk refuses 1 'no balancer "cilk"' 4 ./fib 5
ok $? "a mistake that all nodes find is printed once"
STN_BALANCER=cilk refuses 1 'no balancer "cilk"' \
	1 sh -c 'sleep 1; exec ./fib 5' : -n 2 ./fib 5
ok $? "also if node 0 finds it late"
for other in STN_BALANCER=chs STN_STATS=1 STN_PROVIDER=tcp; do
	name=${other%=*}
	refuses 1 "node [12] has $other, node 0 has $name=.*mpirun .* -x" \
		1 ./fib 5 : -n 2 -x $other ./fib 5
	ok $? "nodes whose $name differs refuse each other"
done
refuses 1 'node 1 has STN_CLUSTERS=1, node 0 has STN_CLUSTERS=2' \
	1 -x STN_CLUSTERS=2 -x STN_WAN=1ms ./fib 5 : \
	-n 1 ./fib 5
ok $? "and so do nodes if only some emulate links"
refuses 1 'STN_SYNC(victim) comes without a STN_SPAWN' 3 ./die bare
ok $? "a mistake that one node finds is printed"
refuses 1 'node [01] has a task "[a-z]* [a-z]*(' 2 \
	sh -c '[ $PMIX_RANK = 1 ] && exec ./api; exec ./die return'
ok $? "nodes with different programs refuse each other, naming a task"

timeout -k 5 100 mpirun --oversubscribe -n 3 ./die main >"$scratch/out" \
	2>"$scratch/err"
ok $((! ($? == 7))) "exit() in main ends the run with its status"
timeout -k 5 100 mpirun --oversubscribe -n 3 ./die return >"$scratch/out" 2>&1
ok $((! ($? == 5))) "the status of node 0's main is the run's"

# Nodes that are killed.
die=$scratch/die # a name of its own, to look for
cp die "$die"
STN_SURVIVE=no timeout -k 5 100 mpirun --oversubscribe -n 3 "$die" abroad >"$scratch/out" 2>&1
status=$?
[ $status != 0 ] && [ $status != 124 ]
ok $? "STN_SURVIVE=no: a node that is killed ends the run (status $status)"
timeout -k 5 100 mpirun --oversubscribe -n 3 sh -c \
	"[ \$PMIX_RANK = 1 ] && kill -9 \$\$; exec $die return" \
	>"$scratch/out" 2>&1
status=$?
[ $status != 0 ] && [ $status != 124 ]
ok $? "and so does one that is killed before (status $status)"
mkfifo "$scratch/ready"
mpirun --oversubscribe -n 3 "$die" wait >"$scratch/ready" 2>/dev/null &
read -r _ <"$scratch/ready"
kill -TERM $!
wait $!
status=$?
[ $status != 0 ]
ok $? "SIGTERM to mpirun ends the run (status $status)"
nothing_left() {
	! pgrep -f "^$die"
}
until_true nothing_left # processes may need a moment to end
ok $? "no process is left of them"

plan
