# shellcheck shell=sh
# mpi.sh: mpirun on the front-end starts nodes on two hosts, and one of them can't
# be reached any more. The run goes on; mpirun waits for its daemon on that host.

mpi_lost() {
	grep -q '^sateen: node 1 on a2 is lost with its agent; the run goes on' \
		"$scratch/err"
}

# no_mpi_left: has every process ended?
no_mpi_left() {
	[ -z "$(leftovers a1)$(leftovers a2)$(pgrep -x mpirun)" ]
}

if grep -q '^#define HAVE_PMIX' config.h && command -v mpirun >/dev/null; then
	: >"$scratch/err" # the scenario before has left its own line there
	on a env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
		timeout -k 5 100 mpirun --host a1,a2 \
		--mca plm_rsh_agent "$lab/bin/ssh" \
		--mca oob_tcp_if_include 10.1.0.0/24 -x STN_SURVIVE=yes \
		-x STN_WORKERS=1 ./tree -b 2 -d 9 -l 20ms \
		>"$scratch/out" 2>"$scratch/err" </dev/null &
	mpi=$!
	until_true grep -q '^sateen: 2 nodes on 2 hosts' "$scratch/err"
	ip -n a2 link set lan0 down
	until_true mpi_lost
	ok $? "mpirun: a host is lost, and its node with it"
	until_true grep -qx 'tree(2^9) = 512 leaves' "$scratch/out"
	ok $? "  the run goes on, and prints its result"
	sed 's/^/# /' "$scratch/out" "$scratch/err"
	kill -0 $mpi
	ok $? "  mpirun itself does not end"
	pkill -KILL -x mpirun
	ip -n a2 link set lan0 up
	until_true no_mpi_left
	ok $? "  no process is left when mpirun is killed and the host is back"
	wait $mpi 2>/dev/null
else
	skip "mpirun loses a host" "libpmix-dev or openmpi-bin"
fi
