#!/bin/sh
# join_leave.t: nodes and clusters of runs that `sateen join` puts together leave
# when told to, by SIGTERM or by `sateen leave`, and the runs go on.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/join_runs.sh"

export STN_GRACE=300ms
result=$held_result
parted='^sateen join .: this cluster has left the run, which goes on without it$'
summary='^sateen: nodes'

# go CLUSTERS: a run of clusters of two nodes each.
nodes=2
go() {
	begin "$1" ./sateen run -n 2 ./held
}

# nobody_died: in no cluster.
nobody_died() {
	for name in $names; do
		! grep -q 'died\|lost\|reached' "$scratch/$name.err" || return
	done
}

go 'a b'
kill -TERM "$(node b 1)"
await_said b "^sateen: node 1 of this cluster left the run$"
check "a node of the second cluster leaves" eval 'ends_as "0 0" a &&
	said b "^sateen: node 1 of this cluster left the run$" &&
	said a "$summary left: 1;" && nobody_died'

go 'a b'
kill -TERM "$(node a 0)"
await_said a "^sateen: node 0 of this cluster left the run$"
check "the root leaves, and the next node of its cluster runs main" eval '
	ends_as "0 0" a && said a "$summary left: 1;" && nobody_died'

go 'a b'
kill -TERM "$(gateway b)"
await_said b "$parted"
check "the second gateway gets SIGTERM: its cluster leaves" eval '
	ends_as "0 0" a && said b "$parted" && ! said a "$parted" &&
	said a "^sateen join a: cluster b has left the run$" &&
	said a "$summary left: 2;" && nobody_died'

go 'a b'
kill -TERM "$(gateway a)"
await_said a "$parted"
check "the first gateway gets SIGTERM, and main runs in the second cluster" \
	eval 'ends_as "0 0" b && said a "$parted" &&
	said b "^sateen join b: cluster a has left the run$" &&
	said b "$summary left: 2;" && nobody_died'

go 'a b'
kill -TERM "$(launcher b)"
await_said b "$parted"
check "a cluster's launcher gets SIGTERM: its cluster leaves" eval '
	ends_as "0 0" a && said b "$parted" && said a "$summary left: 2;" &&
	nobody_died'

go 'a b c'
kill -TERM "$(gateway a)" "$(gateway b)"
await_said a "$parted"
await_said b "$parted"
check "of three clusters two leave at once" eval '
	ends_as "0 0 0" c && said a "$parted" && said b "$parted" &&
	said c "$summary left: 4;" && nobody_died'

go 'a b c'
kill -TERM "$(gateway a)"
await_said a "$parted"
kill -TERM "$(gateway b)"
await_said b "$parted"
check "or one after the other" eval '
	ends_as "0 0 0" c && said a "$parted" && said b "$parted" &&
	said c "$summary left: 4;" && nobody_died'

go 'a b c'
leaver=$(gateway c)
victim=$(gateway a)
kill -TERM "$leaver"
kill -KILL "$victim"
await_said c "$parted"
check "a cluster leaves while the gateway with the sequencer is killed" eval '
	ends_as "137 0 0" b && said b "$summary died: [24]" && said c "$parted"'

go 'a b c'
leaver=$(gateway b)
victim=$(node b 1)
kill -TERM "$leaver"
kill -KILL "$victim"
await_said b "$parted"
check "a node dies while its cluster leaves" eval '
	ends_as "0 0 0" a && said b "$parted" &&
	said a "$summary died: 1, left: 1;"'

go 'a b'
kill -TERM "$(gateway a)" "$(gateway b)"
end
check "when all clusters are told to leave, the run fails" eval '
	[ "$statuses" = "1 1" ] &&
	said a "all nodes that live have been told to leave"'

go 'a b'
kill -INT "$(gateway b)"
end
check "SIGINT to a gateway ends the run" eval '
	[ "$statuses" = "130 130" ] && said a "cluster b: interrupted by signal 2"'

go 'a b'
kill -TERM "$(gateway b)"
kill -INT "$(gateway b)"
await_said b "$parted\|interrupted"
release
end
check "also while its cluster leaves" eval '
	case "$statuses" in
	"130 130") said b "interrupted by signal 2" ;;
	"0 130" | "0 0") said b "$parted" ;;
	*) false ;;
	esac'

# Commands of the user.
go 'a b'
gateway_b=$(gateway b)
runs_listed() {
	./sateen runs >"$scratch/runs"
	grep -q "^$gateway_b  *2 .* b of $run  *\./sateen$" "$scratch/runs"
}
check "sateen runs lists a cluster by its gateway" runs_listed
complains 1 'this is cluster b, with the nodes 0 to 1' \
	./sateen leave "$gateway_b" nowhere
ok $? "its gateway has no such nodes"
prints '^node 1 has left$' ./sateen leave "$gateway_b" node 1
ok $? "a node leaves by its gateway"
prints '^node 0 has left$' ./sateen leave "$(launcher b)" node 0
ok $? "another one by its launcher"
check "then the cluster has left" eval '
	ends_as "0 0" a && said b "$parted" && said a "$summary left: 2;"'

go 'a b'
prints '^node 0 has left$' ./sateen leave "$(gateway b)" b
ok $? "sateen leave with the name of a cluster"
check "and the run goes on" eval 'ends_as "0 0" a && said b "$parted"'

# A cluster of two hosts, by a script instead of ssh.
cat >"$scratch/ssh" <<'END'
#!/bin/sh
while [ "${1#-}" != "$1" ]; do
	shift 2
done
HOST_NAME=$1 exec sh -c "$2"
END
chmod +x "$scratch/ssh"
printf 'h1 slots=1\nh2 slots=1\n' >"$scratch/hosts"

# agent CLUSTER HOST: the process of the host's agent.
agent() {
	for process in $(children "$(launcher "$1")"); do
		tr '\0' '\n' 2>/dev/null <"/proc/$process/environ" |
			grep -qx "HOST_NAME=$2" && echo "$process" && return
	done
	return 1
}

if have_ofi; then
	begin 'a b' ./sateen run --hosts "$scratch/hosts" --ssh "$scratch/ssh" ./held
	kill -TERM "$(agent b h2)"
	await_said b "left the run$"
	check "an agent gets SIGTERM: its node leaves" eval '
		ends_as "0 0" a && said a "$summary left: 1;" &&
		said b "node 1 of this cluster on h2 left the run$"'
	begin 'a b' ./sateen run --hosts "$scratch/hosts" --ssh "$scratch/ssh" ./held
	prints '^node 0 on h1 has left$' ./sateen leave "$(launcher b)" h1
	ok $? "all nodes of a host leave"
	kill -TERM "$(gateway b)"
	await_said b "$parted"
	check "and then the whole cluster" eval '
		ends_as "0 0" a && said b "$parted" && said a "$summary left: 2;"'
else
	skip "hosts leave" libfabric
fi

# Under mpirun, whose nodes are its children.
if grep -q '^#define HAVE_PMIX' config.h && command -v mpirun >/dev/null &&
	mpirun --version | grep -q 'Open MPI'; then
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
	go_mpi() {
		begin 'a b' mpirun --oversubscribe -n 2 ./held
	}
	go_mpi
	kill -TERM "$(node b 1)"
	await_said b "node 1 of this cluster (node 3 of the run) has left"
	check "a node of mpirun gets SIGTERM" eval '
		ends_as "0 0" a && said a "$summary left: 1;" && nobody_died &&
		said b "node 1 of this cluster (node 3 of the run) has left"'
	go_mpi
	kill -TERM "$(gateway a)"
	await_said a "$parted"
	check "the gateway of an mpirun gets SIGTERM" eval '
		ends_as "0 0" b && said a "$parted" && said b "$summary left: 2;" &&
		nobody_died'
	go_mpi
	kill -TERM "$(launcher b)"
	await_said b "$parted"
	check "mpirun gets SIGTERM" eval '
		ends_as "0 0" a && said b "$parted" && said a "$summary left: 2;" &&
		nobody_died'
else
	skip "nodes of mpirun leave" "libpmix-dev or openmpi-bin"
fi

nodes=
begin 'a b c' ./held
kill -TERM "$(launcher b)"
await_said b "$parted"
check "a cluster that is one process gets SIGTERM" eval '
	ends_as "0 0 0" a && said b "$parted" && said a "$summary left: 1;" &&
	nobody_died'
begin 'a b c' ./held
kill -TERM "$(gateway a)"
await_said a "$parted"
check "or its gateway does" eval '
	ends_as "0 0 0" b && said a "$parted" && said b "$summary left: 1;" &&
	nobody_died'

plan
