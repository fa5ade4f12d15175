#!/bin/sh
# join_late.t: nodes join a run of `sateen run` while it runs.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/processes.sh"

XDG_RUNTIME_DIR=$scratch
export XDG_RUNTIME_DIR
result=$held_result

# Stands for the program. $scratch/first runs before the nodes of rank 2 and
# above, and may end or replace the process.
cat >"$scratch/program" <<'END'
#!/bin/sh
[ "${STN_RANK:-0}" -lt 2 ] || [ ! -e "${0%/*}/first" ] || . "${0%/*}/first"
exec "$@"
END
chmod +x "$scratch/program"

# is_listed: the run can be reached.
is_listed() {
	./sateen runs | grep -q "^$launcher "
}

# begin OPTIONS...: starts a run of two nodes. Their program is $program, or `held`.
program=
begin() {
	rm -f "$scratch/json"
	# shellcheck disable=SC2086 # a command
	start ./sateen run -n 2 --workers 1 --survive yes \
		--stats=json:"$scratch/json" "$@" "$scratch/program" \
		${program:-./held}
	until_true is_listed || echo "# the run is not listed"
}

# add N OPTIONS...: adds nodes; true if all have joined.
add() {
	./sateen add "$launcher" --nodes "$@" >"$scratch/said" 2>&1
}

# ends LINES: the run ends well, with so many lines on standard error.
ends() {
	finish
	[ $status = 0 ] && [ "$(grep -c "^$result$" "$scratch/run.out")" = 1 ] &&
		[ "$(wc -l <"$scratch/run.err")" = "$1" ] && return
	show_run
	sed 's/^/# /' "$scratch/said"
	return 1
}

# has_run RANK: the node has run tasks.
has_run() {
	[ "$(counted "nodes.$1.counts.executed")" -gt 0 ]
}

# The nodes are children of the launcher, or of agents.
node() {
	# shellcheck disable=SC2046 # lists
	node_among "$1" $(children "$launcher") \
		$(for agent in $(children "$launcher"); do children "$agent"; done)
}

# work RANK...: the run ends well, with two lines on standard error, when these nodes
# have run tasks, as its statistics say.
work() {
	await_work "$@"
	ends 2 || return
	for rank; do
		has_run "$rank" || return
	done
}

# said_joined WHAT WHERE NOW: has the run printed this line about nodes that joined?
said_joined() {
	grep -q "^sateen: $1 joined$2; the run has $3 now\$" "$scratch/run.err"
}

# joins WHAT OPTIONS...: tests that nodes join a run with these options, twice.
joins() {
	what=$1
	shift
	begin --max-nodes 5 "$@"
	add 2 && add 1 && work 2 3 4 &&
		said_joined '2 nodes have' '' 4 && said_joined '1 node has' '' 5
	ok $? "$what: nodes join, twice, and work"
}

joins 'shared memory'
joins 'CHS' -b chs
if have_ofi; then
	joins 'libfabric' --transport ofi --provider net
	joins 'both' --transport shm+ofi --provider net
else
	skip 'libfabric: nodes join' libfabric
	skip 'both: nodes join' libfabric
fi

# Ranks 2 to 4 are those of cluster 0, and 5 and 6 those of cluster 1.
for balancer in cls lrs chs; do
	begin --max-nodes 7 -b $balancer --clusters 2 --wan 1ms
	add 2 && add 1 --cluster 1 && work 2 5 6 &&
		said_joined '2 nodes have' \
			': 1 in cluster 0, 1 in cluster 1' 4 &&
		said_joined '1 node has' ': 1 in cluster 1' 5
	ok $? "$balancer: nodes join each cluster, or the one that is named"
done

begin --max-nodes 6 --clusters 2
! add 3 --cluster 1 &&
	grep -q 'this cluster has room for 2 more nodes' "$scratch/said" &&
	! add 1 --cluster 2 && grep -q 'are 0 to 1' "$scratch/said" &&
	add 2 --cluster 1 && add 2 && ends 2 &&
	said_joined '2 nodes have' ': 2 in cluster 1' 4 &&
	said_joined '2 nodes have' ': 2 in cluster 0' 6
ok $? "nodes join a cluster that has room for them"

begin --max-nodes 6 --clusters 2
add 1 --cluster 1 && strike KILL 0 1 && until_true add 1 --cluster 1 &&
	! add 1 --cluster 0 && grep -q 'room for 0 more' "$scratch/said" &&
	ends 5
ok $? "no node joins whose rank is below that of the root"

begin -n 1 --max-nodes 2
add 1 && await_work 1 && ends 1 && has_run 1
ok $? "a node joins a run that one node has begun"

begin --max-nodes 4
add 2 && strike KILL 3 1 && ends 4
ok $? "a node that has joined dies, and one of the first"

# sleeps RANK: prints how often the threads of the node have slept.
sleeps() {
	cat "/proc/$(node "$1")"/task/*/status |
		awk '/^voluntary/ { sum += $2 } END { print sum }'
}

# While node 1 is stopped and node 0 visits leaves, the one record that RP lets node 0
# have in transit is on its way to node 1.
begin --max-nodes 3 -b rp --rp-threshold 1 --rp-limit 1 --silence 0s
await_work 1 && strike STOP 1 && slept=$(sleeps 0) &&
	until_true eval '[ "$(sleeps 0)" -gt $((slept + 200)) ]' &&
	strike KILL 1 && until_true has_lines 1 'node 1 died' &&
	add 1 && await_work 2 && ends 3 && has_run 2
ok $? "RP: a record is not in transit to a node that has died"

begin --max-nodes 4
add 2 && strike KILL 0 1 && ends 4
ok $? "all nodes die that did not join"

begin --max-nodes 4
add 1 && strike KILL 2 && add 1 && await_work 3 && ends 4 && has_run 3
ok $? "another node joins when a node that joined has died"
begin --max-nodes 4 --grace 200ms
add 2 && ./sateen leave "$launcher" node 3 >"$scratch/said" &&
	./sateen leave "$launcher" node 0 >"$scratch/said" &&
	await_work 2 && ends 4 && has_run 2
ok $? "a node that has joined leaves, and node 0 after it"

# refused FIRST PATTERN: tests that new nodes can't join, when the shell has run
# FIRST in them, and that the run goes on.
refused() {
	echo "$1" >"$scratch/first"
	begin --max-nodes 4
	! add 1 && grep -q "$2" "$scratch/said" && rm "$scratch/first" &&
		add 1 && work 3 &&
		grep -q "^sateen: node 2 can't join: .*$2.*; the run goes on without it$" \
			"$scratch/run.err"
	ok $? "a new node is refused: $2"
	rm -f "$scratch/first"
}

refused 'kill -9 $$' 'it died: signal 9, Killed'
refused 'exit 3' 'it has ended with status 3'
refused 'exec ./fib 20' 'task'
refused 'STN_FUSE=no; export STN_FUSE' 'no fused multiply-add'
refused 'STN_TRANSPORT=ofi STN_PROVIDER=net; export STN_TRANSPORT STN_PROVIDER' \
	'use one provider on all nodes'

make_ssh
cat >"$scratch/ssh.first" <<'END'
case $1 in
nowhere*)
	echo "ssh: Could not resolve hostname nowhere" >&2
	exit 255
	;;
old)
	echo "sateen agent 0.0.1/1: 1 nodes"
	exit
	;;
esac
END
printf 'h1 slots=1\nh2 slots=1\n' >"$scratch/hosts"

# begin_hosts OPTION...: starts a run of the hosts in $scratch/hosts, which have two nodes.
begin_hosts() {
	begin -n 2 --hosts "$scratch/hosts" --ssh "$scratch/ssh" --max-nodes 6 "$@"
}

# add_hosts LINE...: adds the hosts in the lines; true if all have joined.
add_hosts() {
	printf '%s\n' "$@" >"$scratch/more"
	./sateen add "$launcher" --hosts "$scratch/more" >"$scratch/said" 2>&1
}

# is_begun: all nodes have begun, so that the launcher calls other hosts.
is_begun() {
	! add_hosts 'h slots=1 cluster=none' &&
		! grep -q 'not begun' "$scratch/said"
}

if have_ofi; then
	begin_hosts
	until_true add_hosts 'h3 slots=2'
	add_hosts 'h4 slots=1' && work 2 3 4
	ok $? "hosts join a run on several hosts"

	begin_hosts
	until_true add_hosts 'h3 slots=1'
	# shellcheck disable=SC2046 # more names than the launcher calls at a time
	! add_hosts $(seq -f nowhere%.0f 9) 'h4 slots=1' &&
		grep -q '1 node has joined, .*Could not resolve' "$scratch/said" &&
		! add_hosts 'old slots=1' &&
		grep -q 'version 0.0.1/1' "$scratch/said" && await_work 3 &&
		ends 12 && has_run 3
	ok $? "hosts that can't be reached, or have another version, are left out"

	echo 'kill -9 $$' >"$scratch/first"
	begin_hosts
	until_true is_begun
	! add_hosts 'h3 slots=1' && rm "$scratch/first" &&
		! add_hosts 'h4 slots=9' && grep -q 'no room' "$scratch/said"
	await_work 3 5
	finish
	[ $status = 0 ] && grep -q "^$result$" "$scratch/run.out" &&
		has_run 3 && has_run 5
	ok $? "a node on a new host dies, and others join; no more than fit"
	rm -f "$scratch/first"

	mkfifo "$scratch/fifo"
	begin_hosts --silence 2s
	until_true is_begun
	complains 1 'is no regular file' timeout 20 \
		./sateen add "$launcher" --hosts "$scratch/fifo" && ends 0
	ok $? "a pipe instead of a file of hosts does not block the launcher"

	begin_hosts
	until_true add_hosts 'h3 slots=1'
	! add_hosts 'c slots=1 cluster=x' &&
		grep -q 'a run without clusters' "$scratch/said" &&
		! add 1 && grep -q 'name hosts' "$scratch/said" && ends 1
	ok $? "hosts of a cluster can't join a run without clusters"

	printf 'h1 slots=1 cluster=a\nh2 slots=1 cluster=b\n' >"$scratch/hosts"
	begin_hosts
	until_true add_hosts 'h3 slots=2 cluster=a'
	add_hosts 'h4 slots=2' && work 2 4 &&
		said_joined '2 nodes have' ': 2 in cluster a' 4 &&
		said_joined '2 nodes have' ': 2 in cluster b' 6
	ok $? "hosts join the cluster in their file, or one with room"

	begin_hosts
	until_true is_begun
	! add_hosts 'h3 slots=1 cluster=c' &&
		grep -q 'no cluster c' "$scratch/said" &&
		./sateen add "$launcher" --hosts "$scratch/hosts" --cluster b \
			>"$scratch/said" 2>&1 && ends 1 &&
		said_joined '2 nodes have' ': 1 in cluster a, 1 in cluster b' 4
	ok $? "the file's clusters count more than the option"
else
	skip "hosts join" libfabric
fi

# shellcheck disable=SC2016 # the new node's shell expands it
echo ': >"$HELD_UNTIL"; exec sleep 100' >"$scratch/first"
begin --max-nodes 4
! add 1 && ends 1 && grep -q 'the run is ending' "$scratch/said"
ok $? "a run does not wait for a node that has not joined"
rm "$scratch/first"

begin --max-nodes 3
complains 1 'has no node "2"' ./sateen leave "$launcher" node 2
ok $? "a node that has not joined can't leave"
! ./sateen add "$launcher" --hosts "$scratch/hosts" 2>"$scratch/said" &&
	grep -q 'start it with --hosts' "$scratch/said" &&
	! add 2 && grep -q 'room for 1 more' "$scratch/said" && add 1 && ! add 1 &&
	grep -q 'room for 0 more' "$scratch/said" && ends 1
ok $? "no more nodes join than --max-nodes says"

begin
! add 1 && grep -q 'start it with --max-nodes' "$scratch/said" && ends 0
ok $? "no nodes join a run without --max-nodes"
for number in x 0; do
	complains 2 "nodes: \"$number\" is not a number of nodes" \
		./sateen add 1 --nodes $number
	ok $? "a number of nodes that is none is refused: $number"
done
complains 1 'no run\|has no\|is no' ./sateen add 1 --nodes 1
ok $? "no nodes join a run that does not exist"
complains 2 'max-nodes lets nodes join' \
	./sateen run -n 2 --survive no --max-nodes 3 ./fib 10
ok $? "nodes can't join a run that does not survive deaths"
complains 2 'max-nodes is 2, and the run has 3' \
	./sateen run -n 3 --survive yes --max-nodes 2 ./fib 10
ok $? "--max-nodes is at least the number of nodes"

# Nodes join at the end of a run, too.
failures=0
program='./tree -b 4 -d 5 -l 600us' result='tree(4^5) = 1024 leaves'
for pause in 0 0.05 0.1 0.15 0.2 0.25 0.3 0.35 0.4; do
	begin --max-nodes 4
	sleep $pause
	add 2
	wait "$run" && grep -q "^$result$" "$scratch/run.out" ||
		failures=$((failures + 1))
done
[ $failures = 0 ]
ok $? "nodes that join at the end of a run do not disturb it"
plan
