#!/bin/sh
# join_add.t: a cluster joins a run of `sateen join` while it runs, or is refused,
# and then the run goes on undisturbed.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/join_runs.sh"

export STN_GRACE=300ms
result=$held_result
joined='^sateen join .: cluster c has joined the run$'
summary='^sateen: nodes'
nodes=2

# go: a run of two clusters of two nodes, with room for two more.
go() {
	options='--max-nodes 6' begin 'a b' ./sateen run -n 2 ./held
}

# add NAME COMMAND...: another cluster, and waits until it has joined.
add() {
	add_cluster "$@"
	until_true said a "^sateen join a: cluster $1 has joined the run$"
}

# refused NAME PATTERN COMMAND...: another cluster can't join, and says so.
refused() {
	refused_name=$1
	pattern=$2
	shift 2
	(add_cluster "$refused_name" "$@"
	wait "${jobs##* }")
	status=$?
	[ $status = 1 ] && [ "$(grep -c '^sateen join ' "$scratch/$refused_name.err")" = 1 ] &&
		said "$refused_name" "$pattern" && return
	echo "# status $status"
	sed "s/^/# $refused_name: /" "$scratch/$refused_name.err"
	return 1
}

# took_part CLUSTER...: have these clusters, by number, executed tasks?
took_part() {
	for place; do
		[ "$(counted "clusters[$place].counts.executed")" -gt 0 ] || return
	done
}

export STN_STATS="json:$scratch/json"
go
add c ./sateen run -n 2 ./held
until_true has_worked c 0
check "a cluster joins, and takes part" eval '
	ends_as "0 0 0" a && said b "$joined" && said c "$joined" &&
	took_part 2'
unset STN_STATS

# Everything that is refused, in one run, which another cluster joins then.
go
(umask 77; head -c 32 /dev/urandom | base64 >"$scratch/other")
secret=$scratch/other
check "a cluster with another secret is refused" refused d \
	'no connection with cluster [ab]: .*secret' ./sateen run -n 2 ./held
secret=$scratch/secret
check "and with another program" refused d 'task' ./sateen run -n 2 ./fib 20
check "and with other settings" refused d 'node 4 has STN_BALANCER=rs' \
	env STN_BALANCER=rs ./sateen run -n 2 ./held
sed 's/settings of version/settings of another/' held >"$scratch/other_held"
chmod +x "$scratch/other_held"
check "and with another version" refused d 'built with another version of Sateen' \
	./sateen run -n 2 "$scratch/other_held"
check "and with more nodes than there is room for" refused d \
	'no room for 3 more' ./sateen run -n 3 ./held
check "and if its nodes die" refused d 'ended (status 1) before' \
	./sateen run -n 2 sh -c 'kill -9 $$'
add c ./sateen run -n 2 ./held
check "and when another one has joined" refused d \
	'as many clusters have joined the run as it has room for' \
	./sateen run -n 2 ./held
check "the run goes on meanwhile" eval '
	ends_as "0 0 0" a && said c "$joined" && ! said a "$summary"'

go
add_cluster d sleep 1000
until_true launcher d
hung=$(gateway d)
kill -STOP "$hung"
await_said a "cluster d can't join: its gateway has been silent for too long"
kill -CONT "$hung"
until_true gone "$hung" # and with it its entry, which would keep c out
add c ./sateen run -n 2 ./held
check "a cluster whose gateway hangs while it joins is left out" eval '
	ends_as "0 0 1 0" a && said c "$joined" && ! said a "$summary"'

go
add c ./sateen run -n 2 ./held
kill -TERM "$(gateway c)"
await_said c 'this cluster has left'
check "a cluster that has joined leaves" eval '
	ends_as "0 0 0" a && said a "$summary left: 2;" &&
	said c "this cluster has left"'

go
add c ./sateen run -n 2 ./held
kill -KILL "$(gateway c)"
check "or dies" eval 'ends_as "0 0 137" a && said a "$summary died: 2;"'

go
add c ./sateen run -n 2 ./held
kill -KILL "$(gateway a)"
check "the first cluster dies after that" eval '
	ends_as "137 0 0" b && said b "$summary died: 2;"'

go
add c ./sateen run -n 2 ./held
kill -KILL "$(gateway a)" "$(gateway b)"
check "or all of the first clusters" eval '
	ends_as "137 137 0" c && said c "$summary died: 4;"'

go
kill -KILL "$(gateway a)"
until_true said b 'the run goes on without its nodes'
add_cluster c ./sateen run -n 2 ./held
await_said b "$joined"
check "a cluster joins when the first one is lost" eval '
	ends_as "137 0 0" b && said b "$joined" && said b "$summary died: 2;"'

# Segments between clusters b and c are late; those by way of cluster a overtake.
relayed=$(./stranger port)
real=$(./stranger port)
new_run 2
options='--max-nodes 6' add_cluster a ./sateen run -n 2 ./held
options="--max-nodes 6 --ports $real --address 127.0.0.1:$relayed" \
	add_cluster b ./sateen run -n 2 ./held
await a b
./stranger relay "$relayed" "$real" "$scratch/between" 40 &
add c ./sateen run -n 2 ./held
check "a cluster joins over a slow link to the second one" eval '
	ends_as "0 0 0" a && said b "$joined" && said c "$joined"'

# Two clusters join, one after the other, and have two ranks each.

# go_on: a run that both have joined.
go_on() {
	options='--max-nodes 8 --max-clusters 4' begin 'a b' \
		./sateen run -n 2 ./held
	add c ./sateen run -n 2 ./held
	add d ./sateen run -n 2 ./held
}

export STN_STATS="json:$scratch/json"
go_on
until_true has_worked c 0
until_true has_worked d 0
check "two clusters join, one after the other, and take part" eval '
	ends_as "0 0 0 0" a && said d "^sateen join d: cluster d has joined" &&
	said c "^sateen join c: cluster d has joined" && took_part 2 3'
unset STN_STATS

go_on
kill -KILL "$(gateway c)"
until_true said a 'of cluster c .* the run goes on without its nodes'
kill -TERM "$(gateway d)"
check "no third one joins" refused e 'as it has room for' ./sateen run -n 1 ./held
await_said d 'this cluster has left'
check "the one that came first dies, and the other leaves" eval '
	ends_as "0 0 137 0" a && said a "$summary died: 2, left: 2;" &&
	said d "this cluster has left"'

go_on
kill -KILL "$(gateway a)" "$(gateway b)" "$(gateway c)"
check "all die but the one that came last" eval '
	ends_as "137 137 137 0" d && said d "$summary died: 6;"'

options='--max-nodes 8 --max-clusters 4' begin 'a b' ./sateen run -n 2 ./held
add c ./sateen run -n 2 ./held
kill -KILL "$(gateway c)"
until_true said a 'of cluster c .* the run goes on without its nodes'
add d ./sateen run -n 1 ./held
check "one joins when the one before it is lost" eval '
	ends_as "0 0 137 0" a && said d "has joined the run" &&
	said a "$summary died: 2;"'

nodes=
options='--max-nodes 3' begin 'a b' ./held
add c ./held
check "clusters of one process each" eval '
	ends_as "0 0 0" a && said c "$joined"'

begin 'a b' ./held
check "no cluster joins a run without --max-nodes" refused c \
	'goes on already' ./held
release
end

options='--max-nodes 2' new_run 2
options='--max-nodes 2' add_cluster a ./held
options='--max-nodes 2' add_cluster b ./held
end
check "--max-nodes is more than the number of nodes" eval '
	[ "$statuses" = "1 1" ] && said a "no room for 1 more"'

new_run 2
options='--max-nodes 3 --wait 5s' add_cluster a ./held
options='--max-nodes 4 --wait 5s' add_cluster b ./held
end
check "all clusters must have the same --max-nodes" eval '
	[ "$statuses" = "1 1" ] &&
	{ said a "give all the same" || said b "give all the same"; }'
plan
