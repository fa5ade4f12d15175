#!/bin/sh
# parts_survive.t: grids have the same values as plain loops, whichever nodes die,
# leave and join meanwhile.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/processes.sh"

# simulated EVENTS OPTION...: simulates all shapes of tests/toy/grids.c on 5 nodes,
# to which the events happen: lines as of --events, where the shell expands \n. The
# run takes some 150 ms. True if all shapes are right.
simulated() {
	printf '%b\n' "$1" >"$scratch/events"
	shift
	prints ': right$' ./sateen sim -n 5 --cost counted --unit-cost 1us \
		--survive yes --silence 5ms --once-after 2 --smooth-every 2 \
		--events "$scratch/events" "$@" ./grids &&
		! grep -q WRONG "$scratch/out" &&
		[ "$(sort -u "$scratch/out" | grep -c right)" = 25 ]
}

for scheduler in settle equal once smooth factoring af fractiling restless; do
	simulated '40ms kill node 2\n90ms kill node 0' --scheduler $scheduler &&
		grep -q '^sateen: nodes died: 2;' "$scratch/err"
	ok $? "$scheduler: a node dies, and then node 0"
	simulated '40ms leave node 3\n80ms leave node 0' --grace 100ms \
		--scheduler $scheduler &&
		grep -q '^sateen: nodes left: 2;' "$scratch/err"
	ok $? "$scheduler: a node leaves, and then node 0"
	simulated '30ms join node 5\n60ms join node 6\n100ms kill node 1' \
		--max-nodes 7 --scheduler $scheduler
	ok $? "$scheduler: nodes join, and one dies after that"
done
simulated '40ms kill node 0\n45.05ms kill node 1\n45.3ms kill node 4'
ok $? "two nodes die while the death of a third is repaired"
simulated '40ms leave node 0\n40.2ms kill node 1\n41ms leave node 2' \
	--grace 100ms
ok $? "a node dies while others leave"
# A worker sweeps a part at that moment, so the parts return to earlier versions later.
simulated '32.553ms kill node 1\n32.553ms leave node 2\n85.814ms join node 5\n85.814ms kill node 0' \
	--max-nodes 7 --grace 30ms --scheduler fac2
ok $? "a node joins when node 0 dies, and gets parts"
simulated '40ms kill node 3\n40.1ms leave node 0' --grace 20ms
ok $? "a part that has returned to an earlier version moves before it is swept"
simulated '40ms leave nodes 0-1' --grace 0s
ok $? "nodes leave without any time for it"
simulated '0ms kill node 4\n0.02ms kill node 1'
ok $? "nodes die when the first grid is made"
# In one of these milliseconds a grid is made: a node that has not heard of it yet
# learns first that node 3 is gone.
for ms in 41 42 43 44 45; do
	simulated "${ms}ms leave node 3" -n 6 -c 2 --wan 1ms,20MB/s --silence 20ms \
		--grace 100ms || break
done
ok $? "a node leaves while a grid is made on two clusters"
simulated '20ms leave node 0\n30ms leave node 1\n40ms leave node 2\n50ms leave node 3' \
	--grace 20ms
ok $? "all nodes but the last leave"
simulated '20ms join node 5\n40ms leave nodes 0-4' --max-nodes 6 --grace 50ms
ok $? "all first nodes leave; one that has joined remains"

# moved MS: node 2 of 4 is told to leave then, while all parts move at each sweep;
# prints the sum. At the times below, a part is on its way to node 2 when it tells
# where its parts are.
moved() {
	printf '%sms leave node 2\n' "$1" >"$scratch/events"
	timeout 100 ./sateen sim -n 4 --cost counted --unit-cost 2ns --survive yes \
		--scheduler restless --events "$scratch/events" ./jacobi -r 100 \
		-c 100 -n 400 --part-rows 10 2>"$scratch/err" |
		sed -n 's/^sum = //p'
}
alone=$(moved 100)
for ms in 1.03 2.44 2.83 4.66; do
	[ -n "$alone" ] && [ "$(moved $ms)" = "$alone" ]
	ok $? "a node leaves after $ms ms, and gets a part meanwhile"
done

# Node 2 tells where its parts are before node 1, whose link is busy, knows that it
# leaves. Then node 1 gives it a part.
printf '5.031ms leave node 2\n12.376ms leave node 0\n' >"$scratch/events"
prints '^jacobi(200 x 200, 40 sweeps): error' timeout 20 ./sateen sim -n 3 \
	--clusters 3 --wan 1ms,10MB/s --cost counted --survive yes \
	--scheduler restless --silence 50ms --grace 50ms \
	--events "$scratch/events" ./jacobi -r 200 -c 200 -n 40 &&
	grep -q '^sateen: nodes left: 2;' "$scratch/err"
ok $? "a node gets a part when it has told where its parts are"

# sweep EVENTS OPTION...: simulates jacobi on 4 nodes, some 365 ms; prints the sum.
# The grid goes to $file, if that is set.
file=
sweep() {
	printf '%b\n' "$1" >"$scratch/events"
	shift
	rm -f "$scratch/json"
	timeout 100 ./sateen sim -n 4 --cost counted --unit-cost 2ns \
		--survive yes --silence 5ms --events "$scratch/events" \
		--stats=json:"$scratch/json" "$@" ./jacobi -r 400 -c 400 \
		-n 4000 --part-rows 10 ${file:+--write "$file"} >"$scratch/out" 2>"$scratch/err" &&
		sed -n 's/^sum = //p' "$scratch/out" | tail -n 1
}

# end_ms: how long the last run took.
end_ms() {
	sed -n 's/^sateen: simulated .* nodes for \(.*\) s in .*/\1/p' \
		"$scratch/err" | awk '{ print int($1 * 1000) }'
}

alone=$(sweep '')
[ -n "$alone" ] && [ "$(counted total.copied_versions)" -ge 2 ]
ok $? "parts are copied: $(counted total.copied_versions) versions"
whole=$(end_ms)
sweep '' --survive no >"$scratch/sum"
[ "$(cat "$scratch/sum")" = "$alone" ] && [ "$(counted total.copies)" = 0 ] &&
	[ "$whole" -le $(($(end_ms) * 101 / 100)) ]
ok $? "copying costs 1 % at most: $whole ms, without copies $(end_ms) ms"
# busy SURVIVE SCHEDULER: how long 4 nodes take whose links are in use for most of the time, in us.
busy() {
	./sateen sim -n 4 --lan 18us,50MB/s --scheduler "$2" --survive "$1" \
		--cost hollow ./jacobi -n 3000 2>"$scratch/err" >"$scratch/out" &&
		sed -n 's/^sateen: simulated .* nodes for \(.*\) s in .*/\1/p' \
			"$scratch/err" | awk '{ print int($1 * 1000000) }'
}
for scheduler in settle equal; do
	with=$(busy yes $scheduler)
	without=$(busy no $scheduler)
	[ "$with" -le $((without * 101 / 100)) ]
	ok $? "$scheduler: the same on busy links: $with us, without copies $without us"
done
[ "$(sweep '300ms kill node 2')" = "$alone" ] &&
	[ "$(counted total.returned)" -gt 0 ] && [ "$(end_ms)" -lt 600 ]
ok $? "after a death not all is repeated: $(end_ms) ms; else over 740"
bytes=$(counted total.sent.notices.lan_bytes)
[ "$bytes" -lt 4000 ]
ok $? "notices are about runs of parts: $bytes bytes; one for each part took 13192"
[ "$(sweep '300ms kill node 0\n320ms kill node 3')" = "$alone" ]
ok $? "node 0 dies, and then a node that has copies of its parts"
[ "$(sweep '200ms leave node 2\n300ms kill node 1' --grace 100ms)" = "$alone" ]
ok $? "a node that leaves hands its copies over"
# The first death interrupts the first copies, and the second one comes when these are
# complete, after some 112 ms. If one is incomplete, all sweeps are repeated.
[ "$(sweep '30.5ms kill node 2\n125ms kill node 0')" = "$alone" ] &&
	[ "$(counted total.turns)" -lt 184500 ]
ok $? "copies that a death has interrupted are made once more: \
$(counted total.turns) turns, not 186836"

# Copies of the version after the last sweep are complete, but the call has not
# returned: each message between clusters takes 10 ms.
ended() {
	printf '%s\n' "$1" >"$scratch/events"
	shift
	prints '^sum' timeout 20 ./sateen sim -n 7 -c 3 --wan 10ms,1MB/s \
		--cost counted --unit-cost 0.1us --survive yes --grace 1ms \
		--events "$scratch/events" ./jacobi -r 20 -c 20 -n 100 --block 2 \
		--part-rows 20 && sed -n 's/^sum = //p' "$scratch/out"
}
sum=$(ended '')
for at in 43.2 46 50 56; do
	[ "$(ended "${at}ms kill node 6")" = "$sum" ] && [ -n "$sum" ]
	ok $? "a node dies when all sweeps have ended, after $at ms"
done

# Node 4 joins after half of the time.
sweep "$((whole / 2))ms join node 4" --max-nodes 5 >"$scratch/sum"
counted nodes.0.counts.last_sweep_ns nodes.4.counts.last_sweep_ns |
	awk '{ t[NR] = $1 } END { exit !(t[2] > 0 && t[2] < 0.7 * t[1]) }'
ok $? "the sweeps of a node that joins begin when it joins"

# Node 3 is slow, and has a third of the parts when another node is gone: without new
# cuts the run takes 1580 ms.
echo '3 0.3' >"$scratch/speeds"
for scheduler in once smooth; do
	for event in 'leave node 1' 'kill node 1' 'kill node 0'; do
		sweep "40ms $event" --scheduler $scheduler --once-after 100 \
			--grace 50ms --cost hollow --speeds "$scratch/speeds" \
			>"$scratch/sum" && [ "$(end_ms)" -lt 760 ]
		ok $? "$scheduler cuts anew: $event, $(end_ms) ms"
	done
	sweep '40ms join node 4\n60ms join node 5' --max-nodes 6 --once-after 100 \
		--scheduler $scheduler --cost hollow >"$scratch/sum" &&
		[ "$(end_ms)" -lt 320 ]
	ok $? "$scheduler gives parts to nodes that join: $(end_ms) ms, not 370"
done
# If no chunks were handed out after a death, both would take 1585 ms, too. After a leave
# the nodes become different later, and both would take 1610 to 1890 ms.
printf '* 1\n@ 150ms\n3 0.2\n' >"$scratch/later"
for scheduler in fac2 awf; do
	for event in 'kill node 1' 'kill node 0'; do
		sweep "40ms $event" --scheduler $scheduler --cost hollow \
			--speeds "$scratch/speeds" >"$scratch/sum" &&
			[ "$(end_ms)" -lt 1200 ]
		ok $? "$scheduler hands out chunks again: $event, $(end_ms) ms"
	done
	for event in 'leave node 1' 'leave node 0'; do
		sweep "40ms $event" --scheduler $scheduler --cost hollow \
			--grace 50ms --speeds "$scratch/later" \
			>"$scratch/sum" && [ "$(end_ms)" -lt 1400 ]
		ok $? "$scheduler hands out chunks again: $event, $(end_ms) ms"
	done
	[ "$(sweep '40ms join node 4\n60ms join node 5' --max-nodes 6 \
		--scheduler $scheduler)" = "$alone" ] &&
		for node in 1 4 5; do
			counted "nodes.$node.counts.points"
		done | sort -n | awk '{ n[NR] = $1 }
			END { exit !(n[1] > n[3] / 2) }'
	ok $? "$scheduler gives as many parts to nodes that join as to others"
done
# A slow node was told to send its part away, and then to sweep it once more and to send
# it to another node, before it had sent it away at all.
printf '1 0.2\n3 1\n5 0.1\n' >"$scratch/uneven"
for time in 119.5 120 120.5 121; do
	printf '%sms join node 8\n' $time >"$scratch/events"
	prints '^time: ' ./sateen sim -n 8 -c 2 --cost counted --unit-cost 1us \
		--survive yes --wan 0.2ms,100MB/s --lan 20us,50MB/s \
		--scheduler awf --max-nodes 9 --speeds "$scratch/uneven" \
		--events "$scratch/events" \
		./jacobi -r 60 -c 50 -n 30 --block 1 --part-rows 20
	ok $? "a node joins after $time ms, and a slow home has two heirs"
done
[ "$(sweep '200ms kill node 2\n300ms kill node 0' --cost hollow)" = 0 ]
ok $? "grids without data"

# Points outside of the grid are computed in the last 10 shapes.
simulated '150ms kill node 2\n250ms kill node 0'
ok $? "nodes die while points outside of grids are computed"
simulated '150ms join node 5\n200ms leave nodes 0-4' --max-nodes 6 --grace 50ms
ok $? "a node that joins computes points outside of grids"

# tasks EVENTS ARGUMENTS: simulates tests/toy/grid_tasks.c on 5 nodes, some 8 ms.
tasks() {
	printf '%b\n' "$1" >"$scratch/events"
	shift
	set -- ./sateen sim -n 5 --cost counted --unit-cost 1us --survive yes \
		--silence 5ms --grace 20ms --events "$scratch/events" \
		./grid_tasks "$@"
	timeout 30 "$@" >"$scratch/out" 2>"$scratch/err"
}
for events in '1ms kill node 2' '3.556ms kill node 2' '2ms kill node 0' \
	'0.982ms kill node 1\n5.341ms kill node 0\n6.158ms kill node 2' \
	'1ms leave node 0\n2ms leave node 3'; do
	tasks "$events" 5 own && grep -q ': right$' "$scratch/out"
	ok $? "tasks with grids of their own: $events"
done
# A message from node 0 to node 1, the next root, takes 20 ms: node 1 has not heard of a
# grid that a task on another node makes, and that this node has made.
printf '%s\n' '* * 200us' '0 1 20ms' >"$scratch/links"
for ms in 21.3 120.4; do
	printf '%sms kill node 0\n' $ms >"$scratch/events"
	prints ': right$' timeout 30 ./sateen sim -n 5 -c 5 --wan 200us \
		--links "$scratch/links" --cost counted --unit-cost 1us \
		--survive yes --silence 5ms --events "$scratch/events" \
		./grid_tasks 5 own
	ok $? "node 0 dies after $ms ms, while a task makes a grid"
done
# The new node steals tasks that use grids, while other tasks make grids.
for ms in 1.5 5 8 20 30; do
	printf '%sms join node 5\n' $ms >"$scratch/events"
	prints ': right$' timeout 30 ./sateen sim -n 5 -c 2 --wan 200us \
		--max-nodes 6 --survive yes --cost counted --unit-cost 1us \
		--events "$scratch/events" ./grid_tasks 5
	ok $? "a node joins after $ms ms, and runs tasks with grids of others"
done
tasks '1ms kill node 2' 3
[ $? = 1 ] && grep -q 'a task has used a grid that another' "$scratch/err"
ok $? "a line says that tasks have shared grids"
tasks '0.2ms kill node 2' 1 lend
[ $? = 1 ] && grep -q 'a task has used a grid that another' "$scratch/err"
ok $? "also if these tasks run on one node"

# calls EVENTS HOW OPTION...: simulates tests/toy/many_calls.c on 4 nodes, some 340 ms;
# prints the sums.
calls() {
	printf '%b\n' "$1" >"$scratch/events"
	how=$2
	shift 2
	timeout 100 ./sateen sim -n 4 --cost counted --unit-cost 1us \
		--survive yes --silence 5ms --grace 20ms \
		--events "$scratch/events" "$@" ./many_calls "$how" \
		>"$scratch/out" 2>"$scratch/err" &&
		sed -n 's/^sums: //p' "$scratch/out"
}
sums=$(calls '' get)
late=$(($(end_ms) - 15))ms
[ -n "$sums" ] && [ "$(calls "$late kill node 0" get)" = "$sums" ]
ok $? "a grid that main makes again begins without a boundary kernel"
[ "$(calls "$late join node 4" lend --max-nodes 5)" = "$sums" ]
ok $? "a node joins when nodes have forgotten the orders of a task"
[ "$(calls "$late leave node 2" lend)" = "$sums" ]
ok $? "a node leaves then that has called nothing"
! calls "$late leave node 0" lend &&
	grep -q 'a task has used a grid that another' "$scratch/err"
ok $? "the task's node leaves then: a line says that tasks have shared grids"

# On four clusters, 5 ms apart. Main frees the grid 10 ms before the run ends, when all
# nodes have sent their notices of the death, but have not got those of the others.
pause() {
	calls "$1" pause -c 4 --wan 5ms,20MB/s --silence 30ms
}
sums=$(pause '')
end=$(end_ms)
for before in 30 34; do
	[ -n "$sums" ] &&
		[ "$(pause "$((end - before))ms kill node 2")" = "$sums" ] &&
		grep -q '^sateen: nodes died: 1;' "$scratch/err"
	ok $? "a grid is freed between notices, $((before - 10)) ms after a death"
done

if grep -q '^#define NETCDF_SONAME' config.h; then
	file=$scratch/grid.nc
	[ "$(sweep '')" = "$alone" ] && cksum "$file" >"$scratch/sum"
	[ "$(sweep '200ms kill node 0')" = "$alone" ] &&
		cksum "$file" | cmp -s - "$scratch/sum"
	ok $? "node 0 dies, and the grid is written once"
	printf '0.3ms kill node 2\n' >"$scratch/events"
	timeout 30 ./sateen sim -n 5 --cost counted --unit-cost 1us \
		--survive yes --silence 5ms --events "$scratch/events" \
		./files types "$file" >"$scratch/out" 2>"$scratch/err"
	[ $? = 1 ] && grep -q "can't be read again" "$scratch/err"
	ok $? "a line says that a grid was read from a file"
fi

# In a real run.
node() {
	# shellcheck disable=SC2046 # a list
	node_among "$1" $(children "$launcher")
}

# lose SIGNAL RANK LINE: starts a run of three nodes, and sends one of them the signal
# when all have begun. If the run ends before it prints the line about the loss, begins
# again with a longer one. Its error shows that parts have returned and all operations
# were repeated. True if the run ends well.
sweeps=8000
lose() {
	until begin && strike "$1" "$2" && is_told "$3"; do
		finish
		[ $sweeps -lt 1000000 ] || return
		sweeps=$((4 * sweeps))
	done
	finish
	[ $status = 0 ] && grep -q "^jacobi(400 x 400, $sweeps sweeps): error" \
		"$scratch/run.out" || show_run
}

have_begun() {
	has_begun 0 && has_begun 1 && has_begun 2 && is_asleep "$launcher"
}

begin() {
	start ./sateen run -n 3 --workers 1 ./jacobi -r 400 -c 400 \
		-n $sweeps --part-rows 50
	until_true over_or have_begun
	! gone "$run"
}

is_told() {
	until_true over_or has_lines 1 "$1"
	has_lines 1 "$1"
}

lose KILL 1 'node 1 died: signal 9'
ok $? "a node is killed"
lose KILL 0 'node 0 died: signal 9'
ok $? "node 0 is killed"
lose TERM 2 'node 2 left the run'
ok $? "a node is told to leave"

# Nodes 0 and 1 are on one host, and node 2 on another one.
# two_hosts SWEEPS: true if the run ends well.
two_hosts() {
	# shellcheck disable=SC2016 # the shell of each node expands it
	timeout 100 ./sateen run -n 3 --workers 1 --address 127.0.0.1 \
		--survive yes --stats=json:"$scratch/json" sh -c \
		'STN_PRETEND_HOST=h$((STN_RANK / 2)) exec ./jacobi -r 400 \
		-c 400 -n "$0" --part-rows 50' "$1" \
		>"$scratch/out" 2>"$scratch/err"
}

# copies NODE: the messages with copies that it has got.
copies() {
	counted "nodes.$1.counts.received.copy.lan_messages"
}

are_copied() {
	[ "$(copies 0)" -gt 0 ] && [ "$(copies 2)" -gt 0 ]
}

# A longer run copies more often.
sweeps=4000
while two_hosts $sweeps && ! are_copied && [ $sweeps -lt 1000000 ]; do
	sweeps=$((4 * sweeps))
done
are_copied && [ "$(copies 1)" = 0 ]
ok $? "second copies go to another host"
plan
