#!/bin/sh
# stats.t: the statistics of a run add up, and sateen-stats(5) describes them.
. "$(dirname "$0")/tap.sh"

# run OPTIONS...: runs a program with statistics; tests that all sums hold.
run() {
	timeout 100 ./sateen run --stats=json:"$scratch/json" "$@" \
		>"$scratch/out" 2>"$scratch/err" </dev/null
	ok $? "a run succeeds with $*"
	[ "$(counted sums.hold)" = true ] && [ ! -s "$scratch/err" ]
	ok $? "  the sums hold"
}

# equal A B SENTENCE: tests that two numbers are equal.
equal() {
	[ "$1" = "$2" ]
	ok $? "  $3 ($1, $2)"
}

# some NUMBER SENTENCE: tests that a number is not zero.
some() {
	[ "$1" -gt 0 ]
	ok $? "  $2 ($1)"
}

# adds TOTAL SENTENCE MEMBER...: tests that the sum of the members is the total.
adds() {
	total=$1 sentence=$2 sum=0
	shift 2
	for member; do
		sum=$((sum + $(counted "$member")))
	done
	equal "$sum" "$(counted "$total")" "$sentence"
}

# Two texts in one file would make neither readable.
twice() {
	pattern=$1
	shift
	complains 2 "$pattern" ./sateen run -n 2 "$@" ./fib 5
	ok $? "a file has one use: $*"
}
twice "both --trace and --stats .*$scratch/both; name another" \
	--trace "$scratch/both" --stats=json:"$scratch/both"
twice 'both --trace and --stats' \
	--trace tasks:"$scratch/both" --stats=json:"$scratch/both"
twice 'both --message-log and --trace' \
	--message-log "$scratch/log" --trace "$scratch/log.1"
twice 'both --message-log and --stats' \
	--message-log "$scratch/log" --stats=json:"$scratch/log.0"
[ ! -e "$scratch/both" ] && [ ! -e "$scratch/log.0" ]
ok $? "and no file is written"
prints '= 5$' ./sateen run -n 2 --trace /dev/null --stats=json:/dev/null ./fib 5
ok $? "but /dev/null has many"
complains 2 'write --stats=json:x$' ./sateen run --stats json:x ./fib 5
ok $? "statistics whose value is in the next word are refused"
complains 2 'write --stats=1$' ./sateen run -s 1 ./fib 5
ok $? "also a number"

# fib(n) spawns once in each call with n above 1: F(n + 1) - 1 times.
run -n 1 --workers 1 ./fib 20
equal "$(counted total.spawned)" 10945 "fib(20) spawns 10945 tasks"
equal "$(counted total.executed)" 10945 "all of its tasks are executed"
equal "$(counted total.stolen_node)" 0 "one worker steals nothing"
equal "$(counted total.messages_lan)" 0 "one node sends nothing"
some "$(counted total.overhead_ns)" "spawns and syncs take time"
equal "$(counted total.idle_ns)" 0 "a single worker is never idle"
equal "$(counted total.communicating_ns)" 0 "a single worker is never communicating"

run -n 1 --slots 3 --workers 1 ./fib 20
equal "$(counted total.executed)" 10945 "calls that are run in place are counted, too"

# The leaves take long enough for all workers to get some.
run -n 1 --workers 3 ./tree -b 4 -d 3 -l 20ms
equal "$(counted total.executed)" 84 "a tree of 4^3 leaves has 84 calls"
some "$(counted total.stolen_node)" "workers steal from each other"

run -n 4 --clusters 2 --wan 1ms --transport loop --balancer crs --workers 1 \
	./tree -b 4 -d 4 -l 3ms
cp "$scratch/json" "$scratch/clusters"
equal "$(counted total.executed)" 340 "on two clusters each call is executed"
equal "$(counted total.spawned)" 340 "each call is counted once"
some "$(counted total.stolen_wan)" "some calls are stolen by the other cluster"
some "$(counted total.stolen_lan)" "some calls are stolen inside a cluster"
some "$(counted total.messages_wan)" "there are messages between clusters"
some "$(counted total.asked_async_wan)" "requests between clusters are asynchronous"
equal "$(counted total.asked_sync_wan)" 0 "no request between clusters is synchronous"
equal "$(counted total.asked_async_lan)" 0 "no request inside a cluster is asynchronous"
for count in spawned executed asked_sync_lan messages_wan bytes_lan \
	working_ns; do
	adds total.$count "the clusters' $count add up to the total" \
		clusters[0].counts.$count clusters[1].counts.$count
	adds clusters[1].counts.$count "the nodes' $count add up to their cluster's" \
		nodes[2].counts.$count nodes[3].counts.$count
done
adds total.messages_wan "the messages of all kinds add up to the total" \
	total.sent.request.wan_messages total.sent.grant.wan_messages \
	total.sent.refuse.wan_messages total.sent.result.wan_messages \
	total.sent.exit.wan_messages
for kind in grant result; do
	equal "$(counted total.sent.$kind.wan_bytes)" \
		"$(counted total.received.$kind.wan_bytes)" \
		"as many bytes of $kind are received as sent"
done

# 256 leaves sleep for 1 ms or more.
[ "$(counted total.working_ns)" -ge 256000000 ]
ok $? "the time of the leaves counts as working"
run -n 2 --workers 1 ./tree -b 1 -d 1 -l 200ms
lost=$(($(counted total.idle_ns) + $(counted total.communicating_ns)))
[ $((2 * lost)) -gt "$(counted total.working_ns)" ]
ok $? "while one node works alone, the other is idle or communicating"

for transport in shm loop; do
	run --clusters 3,1 --wan 1ms --transport $transport --workers 1 \
		./tree -b 4 -d 4 -l 3ms
	equal "$(counted run.nodes)" 4 "clusters of 3 and 1 have 4 nodes"
	equal "$(counted 'run.cluster_sizes[0]')" 3 "the first cluster has 3 nodes"
	equal "$(counted 'nodes[2].cluster')" 0 "node 2 is in the first cluster"
	equal "$(counted 'nodes[3].cluster')" 1 "node 3 is in the second cluster"
	adds total.executed "the two clusters execute all tasks" \
		clusters[0].counts.executed nodes[3].counts.executed
	some "$(counted nodes[3].counts.executed)" "the second cluster executes some"
	adds total.asked_sync_lan "a node alone in its cluster asks no neighbours" \
		clusters[0].counts.asked_sync_lan
done

run -n 4 --clusters 4 --wan 1ms --transport loop --balancer rs --workers 1 \
	./tree -b 4 -d 3 -l 1ms
equal "$(counted total.messages_lan)" 0 "clusters of one node have no inner messages"
equal "$(counted total.asked_sync_lan)" 0 "clusters of one node have no inner requests"

# Arrays: FILL, two sweeps, a sum and a maximum of 12 parts of 10 x 10 points each.
run -n 3 --workers 1 --scheduler restless \
	./jacobi -r 30 -c 40 -n 2 --block 1 --part-rows 10 --part-columns 10
equal "$(counted total.arrays)" 1 "jacobi makes one array"
equal "$(counted total.turns)" 60 "its 12 parts have five turns each"
some "$(counted total.pieces_lan)" "pieces of halos go to other nodes"
some "$(counted total.given)" "parts move to other nodes"
equal "$(counted total.given)" "$(counted total.taken)" "and all of them arrive"

# Bounds. The leaves take long enough for both nodes to get some.
run -n 2 --workers 1 ./incumbents -n 1000000 -d 4
equal "$(counted total.bounds)" 1 "a search makes one bound"
some "$(counted total.improvements)" "its tasks improve the bound"
some "$(counted total.incumbents_sent)" "nodes tell each other"
grep -q '"incumbents": {' "$scratch/json" && grep -q '"bounds": {' "$scratch/json"
ok $? "there are sums for bounds"
rm "$scratch/json"
timeout 100 ./sateen sim -n 4 --cost counted --stats=json:"$scratch/json" \
	./incumbents -n 300000 -d 5 -r 4 >"$scratch/out" 2>"$scratch/err"
some "$(counted total.incumbents_late)" "some come too late to be better"
run -n 1 --workers 1 ./incumbents -d 3
equal "$(counted total.incumbents_sent)" 0 "a single node tells no other"
run -n 3 --workers 1 ./sharing -n 1000000
some "$(counted total.constants_made)" "tasks make constants"
some "$(counted total.constants_arrived)" "other nodes get them"
some "$(counted total.constants_bytes)" "with their data"

run -n 4 --transport loop --balancer crs --workers 1 ./tree -b 4 -d 3 -l 1ms
equal "$(counted total.asked_async_wan)" 0 "a single cluster asks no other cluster"

# The format.

perl "$source_directory/tests/stats.pl" describe \
	"$source_directory/man/sateen-stats.5" "$scratch/json" \
	"$scratch/clusters"
ok $? "the man page describes every member of the JSON, and no others"
equal "$(counted schema)" sateen-stats/1 "the schema has a name and a version"
run -n 1 ./fib '17'
equal "$(counted 'run.command[1]')" 17 "the JSON has the command with its arguments"
timeout 100 env STN_STATS=json:"$scratch/json" ./fib 18 >"$scratch/out"
equal "$(counted 'run.command[1]')" 18 "so has the JSON of a program that runs alone"
run -n 2 --trace "$scratch/trace" ./ordinary shorten argument
equal "$(counted 'run.command[2]')" argument \
	"the JSON has all arguments of a program that shortens argv"
grep -q '"argument"' "$scratch/trace"
ok $? "so has its trace"
echo '5ms kill node 0' >"$scratch/events"
prints '^removed: shorten$' ./sateen sim -n 2 --survive yes --cost counted \
	--events "$scratch/events" ./ordinary shorten argument
ok $? "main gets all arguments when it runs again in a simulation"

prints 'fib(20)' ./sateen run -n 4 --clusters 2 --stats ./fib 20
grep -q '^statistics: 4 nodes, 2 clusters' "$scratch/err" &&
	grep -q '^tasks spawned  *10945 ' "$scratch/err" &&
	grep -q '^share of the tasks executed ' "$scratch/err"
ok $? "--stats prints the table on stderr"
prints 'fib(20)' ./sateen run -n 4 --stats=0 ./fib 20
[ ! -s "$scratch/err" ]
ok $? "--stats=0 prints nothing"

# The table needs more memory than such a stack has.
prints 'fib' ./sateen sim -n 2 --stack 64KiB --stats=1 ./fib 15 &&
	grep -q '^tasks' "$scratch/err"
ok $? "simulated nodes with small stacks print statistics"

plan
