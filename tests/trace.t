#!/bin/sh
# trace.t: the file of --trace has what the nodes did, on one time axis.
. "$(dirname "$0")/tap.sh"

file=$scratch/trace.json

trace() {
	what=$1
	shift
	perl "$source_directory/tests/trace.pl" "$what" "$file" "$@"
}

# well_formed HOW
well_formed() {
	trace check
	ok $? "$1, spans are nested, and messages join two nodes"
}

# equal A B SENTENCE
equal() {
	[ "$1" = "$2" ]
	ok $? "$3 ($1, $2)"
}

# agrees HOW: the trace has as many events as the statistics of the same run count.
# Messages that are under way when the workers have ended may be missing.
agrees() {
	for kind in grant result exit; do
		sent=$(($(counted total.sent.$kind.lan_messages) + \
			$(counted total.sent.$kind.wan_messages)))
		equal "$(trace count send $kind)" "$sent" "$1, each $kind is there"
		equal "$(trace count take $kind)" "$sent" "$1, and where it arrives"
	done
	for way in sync async; do
		for net in lan wan; do
			granted=$((granted + $(counted total.granted_${way}_$net)))
		done
	done
	equal "$(trace count steal)" "$granted" "$1, each steal is there"
	granted=0
	equal "$(trace count 'stolen call')" \
		$(($(counted total.stolen_lan) + $(counted total.stolen_wan))) \
		"$1, each stolen call is there"
	equal "$(trace count "neighbour's call")" "$(counted total.stolen_node)" \
		"$1, each call of another worker"
	equal "$(trace count main)" 1 "$1, main is there"
	equal "$(trace about lost_events)" 0 "$1, no event is lost"
}
granted=0

# traced PATTERN COMMAND...: runs it with a trace, and statistics.
traced() {
	pattern=$1
	shift
	prints "$pattern" "$@" && [ -s "$file" ]
}

# in_format HOW: the trace keeps the rules of its format.
in_format() {
	if ! command -v jq >/dev/null; then
		skip "$1, the trace keeps the rules of its format" "jq"
		return
	fi
	equal "$(jq -c -f "$source_directory/tests/trace_format.jq" "$file")" '[]' \
		"$1, the trace keeps the rules of its format"
}

set -- --trace "$file" --stats=json:"$scratch/json"
traced '^tree(4^4) = 256' ./sateen sim --clusters 2x3 --wan 2ms,1MB/s \
	--cost counted "$@" ./tree -b 4 -d 4 -l 5ms
ok $? "a simulated run writes a trace"
well_formed "in virtual time"
in_format "in virtual time"
agrees "in virtual time"
cp "$file" "$scratch/first"
traced '^tree(4^4) = 256' ./sateen sim --clusters 2x3 --wan 2ms,1MB/s \
	--cost counted "$@" ./tree -b 4 -d 4 -l 5ms && cmp "$scratch/first" "$file"
ok $? "and the same trace again"

traced '^nqueens(10) = 724' ./sateen run -n 3 -w 2 "$@" ./nqueens 10
ok $? "a real run writes a trace"
well_formed "in real time"
agrees "in real time"

export STN_ADDRESS=127.0.0.1
traced '^nqueens(10) = 724' ./sateen run -n 3 -w 1 "$@" \
	sh -c 'STN_PRETEND_HOST=h$STN_RANK exec ./nqueens 10'
ok $? "nodes of several hosts write a trace"
well_formed "with several hosts"
agrees "with several hosts"
error=$(trace about clock_error_ns)
[ "$error" -gt 0 ] && [ "$error" -lt 1000000000 ]
ok $? "the file says how well the clocks of hosts were compared ($error ns)"

# Node 1 sleeps in its only call when it dies.
printf '50ms kill node 1\n' >"$scratch/events"
traced '^tree(4^4) = 256' ./sateen sim --clusters 2x3 --wan 2ms,1MB/s --survive yes \
	--silence 20ms --cost counted --events "$scratch/events" "$@" \
	./tree -b 4 -d 4 -l 5ms
ok $? "a run in which a node dies writes a trace"
well_formed "with a death"
equal "$(trace count 'a node has died')" 5 "each of the others knows of the death"

traced '^tree(4^5) = 1024' ./sateen sim -n 60 --cost counted --trace-memory 64KiB \
	"$@" ./tree -b 4 -d 5 -l 5ms
ok $? "a trace may need more memory than it has"
well_formed "with little memory"
lost=$(trace about lost_events)
[ "$lost" -gt 0 ] &&
	grep -qx "sateen: the trace lacks the $lost oldest events; raise --trace-memory" \
		"$scratch/err"
ok $? "then it says how many events are missing"
equal "$(trace count main)" 1 "and has the newest ones"

traced '^golomb(9) = 44' ./sateen sim -n 2 --cost counted "$@" ./golomb 9
ok $? "a search writes a trace"
trace events 'better solution' >"$scratch/events"
tail -n 1 "$scratch/events" | grep -q ' better solution value=44$'
ok $? "the last better solution is the best"

traced '^jacobi(' ./sateen sim -n 2 --clusters 2x1 --speed 1,3 --cost counted "$@" \
	./jacobi -r 400 -c 100 -n 20
ok $? "a program with arrays writes a trace"
well_formed "with arrays"
equal "$(trace count 'move of a part')" "$(counted total.taken)" \
	"each move of a part is there"
equal "$(trace count part)" "$(counted total.turns)" "and all work on parts"

# Work and span. fib(20) spawns 10945 calls, 19 of them on the longest path.
graph() {
	echo "$(trace about work_ns) $(trace about span_ns)"
}
# graph_of HOW EXPECTED OPTIONS...: work and span of fib(20) in a simulation
graph_of() {
	how=$1
	expected=$2
	shift 2
	traced '^fib(20) = 6765' ./sateen sim --cost counted --task-cost 1us \
		--trace "$file" "$@" ./fib 20
	equal "$(graph)" "$expected" "$how: work and span are exact"
}
graph_of "one node" "10945000 19000" -n 1
graph_of "one node of half the speed" "10945000 19000" -n 1 --speed 0.5
# fib(18), called while the only slot is full, has its 4180 spawns in place.
graph_of "one slot" "10945000 4181000" -n 1 --slots 1
for balancer in crs lrs chs; do
	graph_of "six nodes with $balancer" "10945000 19000" --clusters 3x2 \
		--wan 100us -b $balancer
done
graph_of "three threads" "10945000 19000" --clusters 3x2 --wan 100us --threads 3

# The leaves of this tree sleep, for 2.5 to 7.5 ms.
unequal="./tree -b 4 -d 3 -l 5ms --spread 50"
# shellcheck disable=SC2086 # words
traced '^tree(4^3) = 64' ./sateen sim -n 1 --cost counted --task-cost 0s \
	--trace "$file" $unequal
# shellcheck disable=SC2046 # two words
set -- $(graph)
for how in "-n 1 -w 1" "-n 1 -w 3" "-n 4 -w 1"; do
	# shellcheck disable=SC2086 # words
	traced '^tree(4^3) = 64' ./sateen run $how --trace "tasks:$file" $unequal
	ok $? "$how: a real run measures work and span"
	well_formed "$how"
	graph >"$scratch/graph"
	read -r work span <"$scratch/graph"
	[ "$work" -ge "$1" ] && [ "$span" -ge "$2" ] && [ "$span" -lt "$work" ]
	ok $? "$how: they are at least those of the sleeping leaves ($work, $span)"
done

# no_graph HOW: the trace has neither
no_graph() {
	[ -s "$file" ] && ! grep -q 'work_ns\|span_ns' "$file"
	ok $? "$1 has neither work nor span"
}

# writes_no_graph HOW PATTERN COMMAND...: the trace of the command has neither
writes_no_graph() {
	how=$1
	shift
	rm -f "$file"
	traced "$@"
	ok $? "$how writes a trace"
	no_graph "$how"
}
writes_no_graph "a real run without tasks:" '^fib(20) = 6765' \
	./sateen run -n 2 --trace "$file" ./fib 20
writes_no_graph "a run with arrays" '^jacobi(' \
	./sateen sim -n 2 --cost counted --trace "$file" ./jacobi -r 40 -c 10 -n 2
printf '5ms kill node 1\n' >"$scratch/events"
writes_no_graph "a run in which a node has died" '^tree(4^3) = 64' \
	./sateen sim -n 2 --survive yes --cost counted \
	--events "$scratch/events" --trace "$file" ./tree -b 4 -d 3 -l 5ms
complains 2 'trace is "tasks"; name a file: tasks:FILE' \
	./sateen run --trace=tasks ./fib 5
ok $? "--trace=tasks needs a file"

# An interrupted run writes what there is.
. "$(dirname "$0")/processes.sh"
node() {
	# shellcheck disable=SC2046 # a list
	node_among "$1" $(children "$launcher")
}
# interrupted NODES OPTIONS...: interrupts a run by the @signal when all its nodes have
# had work; it has the exit status @expected.
interrupted() {
	nodes=$1
	shift
	rm -f "$file"
	start env $default ./sateen run -n "$nodes" "$@" --trace "$file" ./held
	# shellcheck disable=SC2046 # a list
	await_work $(seq 0 $((nodes - 1)))
	kill -"$signal" "$launcher"
	wait "$run"
	[ $? = $expected ] && [ -s "$file" ]
	ok $? "a run with $nodes nodes writes a trace after SIG$signal"
	equal "$(trace about interrupted)" 1 "it says so"
	equal "$(trace count main)" 1 "it has main so far"
	well_formed "after an interruption"
	no_graph "an interrupted run"
}
# has_steals NODES: whether the trace has steals of each of these nodes.
has_steals() {
	for rank in $1; do
		trace events steal | grep -q "^[0-9]* $rank " || return 1
	done
}
default=--default-signal=INT
signal=INT expected=130
interrupted 3 -w 2
# Nodes that do not answer within a second, on a busy machine, are left out.
for _ in 1 2 3 4; do
	has_steals "1 2" && break
	interrupted 3 -w 2
done
has_steals "1 2"
ok $? "it has the steals of nodes 1 and 2"
interrupted 1 -w 2
interrupted 2 --survive no
# Shells start background jobs with SIGINT ignored.
default=--ignore-signal=INT
signal=TERM expected=143
interrupted 3 -w 2
signal=HUP expected=129
interrupted 2 --survive no

rm -f "$file"
env --default-signal=INT ./sateen sim -n 3 --cost counted --trace "$file" ./fib 60 \
	>"$scratch/out" 2>"$scratch/err" &
run=$!
await_simulation $run
kill -INT $run
wait $run
[ $? = 130 ] && [ -s "$file" ] && [ "$(trace count main)" = 1 ]
ok $? "an interrupted simulation writes a trace"
[ "$(trace about interrupted)" = 1 ] && [ "$(trace count send)" -gt 0 ]
ok $? "it has the messages so far ($(trace count send))"

complains 1 "can't write the trace $scratch/no/file: No such file" \
	./sateen run --trace "$scratch/no/file" ./fib 5
ok $? "a file that can't be opened is refused"
complains 1 "can't write the trace /dev/full: No space left" \
	./sateen run --trace /dev/full ./fib 5
ok $? "a full disk fails the run, with a line"

plan
