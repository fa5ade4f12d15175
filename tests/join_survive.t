#!/bin/sh
# join_survive.t: nodes, gateways and clusters of runs that `sateen join` puts
# together are killed or cut off, and the runs go on.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/processes.sh"
. "$(dirname "$0")/gateways.sh"

until_true redis-cli -s "$redis" ping

export STN_WORKERS=1
number=0
result=$held_result

# launcher CLUSTER: the process that its gateway has started.
launcher() {
	pgrep -P "$(gateway "$1")"
}

# node CLUSTER RANK: the process of that node of the cluster, which `sateen run`
# has started.
node() {
	# shellcheck disable=SC2046 # a list
	node_among "$2" $(children "$(launcher "$1")")
}

# Have all nodes of the cluster their threads? Then they may die.
cluster_has_begun() {
	if [ -z "$nodes" ]; then
		has_threads "$(launcher "$1")"
		return
	fi
	for rank in $(seq 0 $((nodes - 1))); do
		process=$(node "$1" "$rank") && has_threads "$process" ||
			return
	done
}

launcher_is_asleep() {
	[ -z "$nodes" ] || is_asleep "$(launcher "$1")"
}

gateway_is_asleep() {
	is_asleep "$(gateway "$1")"
}

# await CLUSTER...: waits until these clusters run, and their gateways know it: the
# nodes tell their launchers and their gateways, and the gateways tell each other.
await() {
	for name; do
		until_true cluster_has_begun "$name" || echo "# $name has not begun"
	done
	for reader in launcher gateway gateway; do
		for name; do
			until_true ${reader}_is_asleep "$name"
		done
	done
}

# begin CLUSTERS COMMAND...: begins a run of clusters that are called a, b, c.
begin() {
	rm -f "$HELD_UNTIL" "$HELD_UNTIL".*
	number=$((number + 1))
	run=survive-$$-$number
	clusters=$(echo "$1" | wc -w)
	names=$1
	shift
	jobs=
	for name in $names; do
		# shellcheck disable=SC2086 # a list
		join "$name" ${options-} -- "$@" &
		jobs="$jobs $!"
	done
	# shellcheck disable=SC2086
	await $names
}

# ends_as STATUSES CLUSTER: the run, which may end now, ends so, and that cluster
# prints the result.
ends_as() {
	release
	end
	[ "$statuses" = "$1" ] && printed "$2" && return
	show
	return 1
}

# none_left: no process of the run is left.
none_left() {
	! pgrep -f "join --run $run " >/dev/null
}

# kill_cluster CLUSTER: kills its gateway, and waits until its nodes have ended, too:
# one of them may run main, and must not find out that the run may end.
kill_cluster() {
	mortal=$(children "$(launcher "$1")")
	kill -KILL "$(gateway "$1")"
	# shellcheck disable=SC2086 # a list
	until_true no_process_runs $mortal || echo "# nodes of $1 have not ended"
}

no_process_runs() {
	for process; do
		! grep -q '^State:.[^XZ]' "/proc/$process/status" || return
	done
}

nodes=2
go() {
	begin "$1" ./sateen run -n 2 ./held
}

died='of this cluster died: signal 9, Killed; the run goes on without it$'
gone='gone, or can.t be reached any more; the run goes on without its nodes$'
repeated='^sateen: nodes died:'

go 'a b'
kill -KILL "$(node b 1)"
ends_as '0 0' a && said b "node 1 $died" && said a "$repeated 1;"
ok $? "a node of the second cluster dies"

go 'a b'
kill -KILL "$(node a 0)"
ends_as '0 0' a && said a "node 0 $died" && said a "$repeated 1;"
ok $? "the root dies, and the next node of its cluster runs main"

go 'a b'
kill -KILL "$(node a 0)" "$(node b 0)"
ends_as '0 0' a && said a "$repeated 2;"
ok $? "nodes of two clusters die at once"

go 'a b'
kill -KILL "$(gateway b)"
ends_as '0 137' a && said a "cluster b is $gone" && said a "$repeated 2;"
ok $? "the second cluster's gateway is killed"

go 'a b'
kill_cluster a
ends_as '137 0' b && said b "cluster a is $gone" && said b "$repeated 2;"
ok $? "the first cluster's gateway is killed, and main runs in the second"

go 'a b'
kill -KILL "$(node a 0)" "$(node a 1)"
ends_as '1 0' b && said a 'all nodes of this cluster have died'
ok $? "all nodes of the first cluster die"

go 'a b'
kill -KILL "$(launcher b)"
ends_as '0 137' a && said b 'was killed by signal 9, Killed; the run goes on'
ok $? "a cluster's launcher is killed"

# Node 0 has counted a death when it dies, while it writes the statistics: a pipe is
# full.
mkfifo "$scratch/report"
exec 6<>"$scratch/report"
dd if=/dev/zero of="$scratch/report" bs=4096 count=1000 oflag=nonblock \
	2>"$scratch/dd"
begin 'a b' ./sateen run -n 2 --stats=json:"$scratch/report" ./held
kill -KILL "$(node b 1)"
release
until_true grep -q "^$result$" "$scratch/a.out"
living="$(node a 0) $(node a 1) $(node b 0)"
have_ended() {
	for process in $living; do
		! has_threads "$process" || return
	done
	# shellcheck disable=SC2086 # a list
	at_rest $living
}
until_true have_ended || echo "# the nodes have not ended"
kill -KILL "$(node a 0)"
cat <&6 >"$scratch/drained" &
reader=$!
ends_as '0 0' a && said a "$repeated 2;" &&
	[ "$(cat "$scratch/a.err" "$scratch/b.err" | grep -c "$repeated")" = 1 ]
status=$?
kill $reader
[ $status = 0 ] || show
ok $status "node 0 has counted a death when it dies: there is still one last line"

go 'a b c'
kill_cluster a
until_true said b "cluster a is $gone"
kill_cluster b
ends_as '137 137 0' c && said c "$repeated 4;"
ok $? "of three clusters the first dies, and then the second"

go 'a b c'
kill -KILL "$(gateway a)" "$(gateway b)"
ends_as '137 137 0' c && said c "$repeated 4;"
ok $? "or both at once"

go 'a b c'
kill -KILL "$(gateway b)" "$(node a 0)" "$(node c 1)"
ends_as '0 137 0' a && said a "$repeated 4;"
ok $? "a gateway, the root and a node of the third cluster die at once"

go 'a b'
kill -ABRT "$(node b 1)"
end
[ "$statuses" = '1 1' ] && said b 'node 1 of this cluster died .*signal 6' &&
	said a 'cluster b: .*has died, or left'
status=$?
[ $status = 0 ] || show
ok $status "a program that crashes ends the run in all clusters"

options='--silence 4s'
go 'a b'
stopped=$(gateway a)
kill -STOP "$stopped"
until_true said b 'cluster a has been silent for too long; the run goes on'
kill -CONT "$stopped"
ends_as '1 0' b && said a 'the run goes on without it'
ok $? "a gateway that was stopped finds that the run has gone on without it"

# As between hosts, nodes of different clusters ping each other here.
# shellcheck disable=SC2016 # the inner shell's
pretend='STN_SILENCE=4s STN_PRETEND_HOST=h$$ exec'
begin 'a b' sh -c "$pretend ./sateen run -n 2 ./held"
kill -STOP "$(node b 1)"
until_true said b "node 1 $died"
ends_as '0 0' a && said b "node 1 $died" && said a "$repeated 1;"
ok $? "a node that was stopped is killed by its launcher"

# Both gateways live, but only a relay connects them.
relayed=$(./stranger port)
real=$(./stranger port)
go_relayed() {
	./stranger relay "$relayed" "$real" "$scratch/between" &
	relays=$!
	rm -f "$HELD_UNTIL" "$HELD_UNTIL".*
	number=$((number + 1))
	run=survive-$$-$number
	clusters=2
	names='a b'
	join a --silence 4s --address 127.0.0.1:1 -- ./sateen run -n 2 ./held &
	jobs=$!
	# shellcheck disable=SC2086
	join b --silence 4s --ports "$real" --address "127.0.0.1:$relayed" -- \
		./sateen run -n 2 ./held &
	jobs="$jobs $!"
	await a b
}
one_goes_on() {
	said a "$cut" || said b "$cut"
}
cut='silent for too long; the run goes on without its nodes'
go_relayed
# shellcheck disable=SC2046 # a process for each connection
kill -STOP $(pgrep -P $relays)
until_true one_goes_on
release
end
kill -KILL $relays
case $statuses in
'0 1') winner=a loser=b ;;
*) winner=b loser=a ;;
esac
{ [ "$statuses" = '0 1' ] || [ "$statuses" = '1 0' ]; } &&
	grep -q "^$result$" "$scratch/$winner.out" &&
	said $winner "$cut" &&
	said $loser 'the run goes on without it'
status=$?
[ $status = 0 ] || show
ok $status "of two gateways that can't reach each other, one goes on"
until_true none_left
ok $? "no process is left"
options=

nodes=
begin 'a b c' ./held
kill -KILL "$(launcher b)"
ends_as '0 137 0' a && said b 'killed by signal 9, Killed; the run goes on'
ok $? "a cluster that is one process dies"

begin 'a b c' ./held
kill -KILL "$(launcher a)"
ends_as '137 0 0' b && said b "$repeated 1;"
ok $? "or the first one, with the root"

# The nodes of one cluster print when the file exists, and all of them live.
full=$scratch/full
nodes=2
begin 'a b' sh -c "mkdir $full.one 2>/dev/null && exec >/dev/full
	exec ./sateen run -n 2 sh -c 'until [ -e $full ]; do
		sleep 0.1
	done && echo lost & exec ./held'"
: >"$full"
end
one_reason() {
	[ "$(wc -l <"$scratch/$1.err")" = 1 ] &&
		said "$1" "can't write the nodes' output: No space left"
}
[ "$statuses" = '1 1' ] && one_reason a && one_reason b
status=$?
[ $status = 0 ] || show
ok $status "a cluster whose output can't be written ends the run"

plan
