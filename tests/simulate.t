#!/bin/sh
# simulate.t: `sateen sim`: programs have the same results in virtual time, and take
# the time that arithmetic predicts. Runs with counted costs are the same each time.
. "$(dirname "$0")/tap.sh"

. "$(dirname "$0")/matrix.sh"
golden=$source_directory/tests/data/sim
# Sanitizers limit the number of nodes: they enlarge each node's stack.
nodes=1000 clusters=10
if sanitized; then
	nodes=100
fi

# virtual OPTIONS...: prints the virtual time that the run took, in seconds.
virtual() {
	timeout 100 ./sateen sim --cost counted "$@" 2>&1 >"$scratch/out" |
		sed -n 's/^sateen: simulated .* nodes for \(.*\) s in .*/\1/p'
}

# compare TRACE EXPECTED: true if they are equal; prints the first lines that differ.
compare() {
	diff "$1" "$2" >"$scratch/diff" && return
	sed 's/^/# /' "$scratch/diff" | head -n 8
	return 1
}

for balancer in $balancers; do
	prints '^nqueens(9) = 352$' ./sateen sim --clusters 4x4 -b "$balancer" \
		--wan 10ms,1000KB/s --stats=json:"$scratch/json" ./nqueens 9 &&
		grep -q '"hold": true' "$scratch/json"
	ok $? "16 nodes with balancer $balancer: result and sums are right"
done

list small
wrong=0
while IFS='|' read -r command expected <&3; do
	# shellcheck disable=SC2086 # words
	timeout 100 ./sateen sim --clusters 2x2 --wan 1ms,100MB/s ./$command \
		>"$scratch/out" 2>"$scratch/err" </dev/null &&
		grep -qxF -e "$expected" "$scratch/out" && continue
	echo "# $command: not \"$expected\", but"
	sed 's/^/# /' "$scratch/out" "$scratch/err"
	wrong=1
done 3<"$scratch/programs"
ok $wrong "$(wc -l <"$scratch/programs") programs print the same results in virtual time"

# Node 1 asks at time 0. Its request, the record and the result take 10 us each, the
# leaf 10 ms.
virtual -n 2 --lan 10us --overhead 0s --task-cost 0s --message-log \
	"$scratch/two" ./tree -b 2 -d 1 -l 10ms >"$scratch/time"
taken=$(awk '$4 == "result" { print $1 }' "$scratch/two.0")
[ "$taken" = 10030000 ]
ok $? "the result of a leaf of 10 ms, stolen over 10 us, arrives after 10.03 ms"

virtual -n 1 --task-cost 1us --overhead 0s ./fib 20 >"$scratch/time"
# fib(20) spawns 10945 calls, fib(n + 1) - 1.
[ "$(cat "$scratch/time")" = 0.010945 ]
ok $? "10945 spawns of 1 us take 10.945 ms"

virtual -n 1 --speed 0.5 --task-cost 1us --overhead 0s ./fib 20 >"$scratch/time"
[ "$(cat "$scratch/time")" = 0.021890 ]
ok $? "10945 spawns of 1 us take twice as long at half the speed"

# 1.31 s of work: clusters of speeds 1 and 0.25 take 1.05 s, two of speed 1 0.66 s.
slow=$(virtual --clusters 2x1 --speed 1,0.25 --task-cost 10us \
	--wan 1ms ./tree -b 2 -d 16 -l 0ms)
same=$(virtual --clusters 2x1 --speed 1,1 --task-cost 10us \
	--wan 1ms ./tree -b 2 -d 16 -l 0ms)
[ "$(echo "$slow" "$same" | awk '{ print (NF == 2 && $1 > 1.3 * $2) }')" = 1 ]
ok $? "a second cluster a quarter as fast helps less: $slow s, not $same s"

# Nodes 1 to 3 are a cluster. @at has the time at which each message was sent.
virtual --clusters 1,3,1x2 --wan 7ms --lan 10us --overhead 0s -b rs \
	--message-log "$scratch/sizes" ./tree -b 6 -d 2 -l 3ms >"$scratch/time"
cat "$scratch"/sizes.? | sort -n | awk '
	$3 == "send" { at[$2, $5, $4, $6] = $1 }
	$3 == "take" {
		home = $2 >= 4 ? 2 : $2 >= 1
		away = $5 >= 4 ? 2 : $5 >= 1
		took = $1 - at[$5, $2, $4, $6]
		count[home == away]++
		if (home == away ? took >= 1000000 : took != 7000000)
			print "took", took ":", $0
	}
	END { if (!count[0] || !count[1]) print "no messages" }' \
	>"$scratch/wrong"
[ ! -s "$scratch/wrong" ]
ok $? "messages take 7 ms between clusters of 1, 3 and 2 nodes, but not inside"
sed 's/^/# /' "$scratch/wrong" | head -n 8

for balancer in $balancers; do
	rm -f "$scratch"/log.*
	virtual --clusters 2x3 --wan 1ms,1MB/s -b "$balancer" \
		--rp-threshold 2 --message-log "$scratch/log" \
		./tree -b 3 -d 3 -l 1ms --spread 50 >"$scratch/time"
	cat "$scratch"/log.? >"$scratch/$balancer"
	[ -z "${STN_GOLDEN:-}" ] || cp "$scratch/$balancer" "$golden/$balancer"
	compare "$scratch/$balancer" "$golden/$balancer"
	ok $? "$balancer: the message log of a counted run equals the golden log"
done

# never SENTENCE PROGRAM: tests that the awk program finds nothing @bad in the logs
# of 16 nodes that share a tree by CHS, and sees @many grants.
never() {
	awk "$2"' END { exit bad || many < 500 }' "$scratch"/tree.*
	ok $? "$1"
}

virtual --clusters 4x4 --wan 1ms,1MB/s -b chs --message-log "$scratch/tree" \
	./tree -b 3 -d 7 -l 1ms --spread 50 >"$scratch/time"
# If an idle node passed a record on, its worker would wake up and send a request
# right after.
never "CHS: no idle node passes on a record that it was granted" '
$3 == "take" && $4 == "grant" { many++; taken = $1; passed = 0; next }
$3 == "send" && $4 == "grant" && $1 == taken { passed = $1; next }
$3 == "send" && $4 == "request" && passed && $1 > passed &&
	$1 < passed + 10000 { bad = 1 }
{ taken = passed = 0 }'
never "CHS: a node with a record to run sends no request before the record spawns" '
$3 == "take" && $4 == "grant" { many++; taken = $1; next }
$3 == "send" && $4 == "request" && taken && $1 == taken { bad = 1 }
{ taken = 0 }'

# Over a link of 100 KB/s a record's data take longer to cross than its work takes.
multiply() {
	virtual --lan 18us,50MB/s --unit-cost 50us "$@" ./matmul -l 48 768
}
alone=$(multiply -n 8)
far=$(multiply --clusters 2x8 --wan 100ms,100KB/s -b lrs)
near=$(multiply --clusters 2x8 --wan 1ms,50MB/s -b lrs)
crs=$(multiply --clusters 2x8 --wan 100ms,100KB/s -b crs)
[ "$(echo "$alone" "$far" "$crs" |
	awk '{ print (NF == 3 && $2 < 1.02 * $1 + 0.5 && $3 > 2 * $1) }')" = 1 ]
ok $? "lrs: a second cluster behind a slow link costs no time: $far s, alone $alone s; crs: $crs s"
[ "$(echo "$alone" "$near" | awk '{ print (NF == 2 && $2 < 0.75 * $1) }')" = 1 ]
ok $? "lrs: a second cluster behind a fast link saves time: $near s"

# One node computes for 30 s, and all others are idle.
idle=10000
if sanitized; then
	idle=100
fi
./sateen sim -n $idle -b lrs --cost counted --task-cost 0s --unit-cost 30s \
	./fib_threshold -t 2 2 \
	2>"$scratch/idle" >/dev/null
messages=$(sed -n 's/.* s: \([0-9]*\) messages.*/\1/p' "$scratch/idle")
[ "$messages" -lt $((idle * 300)) ]
ok $? "lrs: of $idle nodes, idle ones send less than ten messages a second each: $messages in 30 s"

# sent KIND: prints how many messages of that kind a run has sent.
sent() {
	perl -MJSON::PP -0777 -ne 'print decode_json($_)->{total}{sent}{'"$1"'}
		{lan_messages}' "$scratch/short"
}
for balancer in lrs crs; do
	prints '^uts(T1S) = 16000 nodes' ./sateen sim -n 4 -b $balancer --cost counted \
		--task-cost 1us --stats=json:"$scratch/short" ./uts T1S
	ok $? "$balancer: many short calls on four nodes"
	all="$(sent request) requests, $(sent grant) grants, $(sent bundle) bundles, \
$(sent result) and $(sent results) times results"
	case $balancer in
	lrs) [ "$(sent bundle)" -gt 0 ] && [ "$(sent results)" -gt 0 ] ;;
	crs) [ "$(sent bundle)$(sent results)" = 00 ] ;;
	esac
	ok $? "$balancer: only lrs sends several records or results at once: $all"
	grep -q '"hold": *true' "$scratch/short"
	ok $? "$balancer: each of them is counted at both ends"
done

# kept LONG EARLY: node 1 steals short calls and, among them, a long one; prints the
# time in us from the arrival of node 1's first bundle until it sends the results that
# it kept.
kept() {
	rm -f "$scratch"/kept.*
	virtual -n 2 -b lrs --lan 10us --overhead 0s --task-cost 0s --unit-cost 1us \
		--message-log "$scratch/kept" ./kept "$@" >"$scratch/time"
	awk '$3 == "take" && $4 == "bundle" && !came { came = $1 }
		$3 == "send" && $4 == "results" && came && !left { left = $1 }
		END { print int((left - came) / 1000) }' "$scratch/kept.1"
}
us=$(kept 50000 0)
[ "$us" -ge 900 ] && [ "$us" -le 1010 ]
ok $? "lrs: results that wait for others leave after 1 ms: $us us"
us=$(kept 50000 300)
[ "$us" -ge 300 ] && [ "$us" -le 320 ]
ok $? "lrs: such results leave when the next call spawns, after 300 us: $us us"
us=$(kept 0 0)
[ "$us" -gt 0 ] && [ "$us" -le 20 ]
ok $? "lrs: such results leave when the last call of their bundle has ended: $us us"

prints 'tree(4^6) = 4096 leaves' ./sateen sim -n $nodes --clusters $clusters \
	--wan 10ms,1MB/s --cost counted ./tree -b 4 -d 6 -l 10ms
ok $? "a simulation of $nodes nodes has the right result"

prints '^tree(4^6) = 4096 leaves' ./sateen sim -n 2 ./tree -b 4 -d 6 -l 10s
ok $? "leaves that sleep for eleven hours of virtual time take no real time"

if sanitized; then
	skip "a node that runs out of its stack" "a build without sanitizers"
elif [ -x ./uts ]; then
	complains 1 'ran out of its stack of 131072 bytes' \
		./sateen sim -n 2 --stack 128KiB ./uts T3
	ok $? "a node that runs out of its stack ends the run with a line"
fi
# interrupt OPTIONS...: starts a simulation, and interrupts it by a signal.
interrupt() {
	env --default-signal=INT ./sateen sim --cost counted "$@" ./fib 60 \
		>"$scratch/out" 2>"$scratch/err" &
	simulation=$!
	await_simulation $simulation
	awaited=$?
	kill -TERM $simulation
	wait $simulation
	[ $? = 143 ] && [ $awaited = 0 ] && grep -qx 'sateen: interrupted by signal 15' "$scratch/err"
}

interrupt -n 1
ok $? "a signal ends the simulation of a single node"
interrupt --clusters 3,1 --stats=json:"$scratch/json" &&
	grep -q '^sateen: simulated 4 nodes for' "$scratch/err"
ok $? "a signal ends the simulation of several nodes, which prints its virtual time"
[ "$(wc -l <"$scratch/err")" = 2 ]
ok $? "the interrupted simulation prints no other lines on stderr"
counted() {
	perl "$source_directory/tests/stats.pl" get "$scratch/json" "$1"
}
[ "$(counted interrupted)" = true ] && [ "$(counted total.executed)" -gt 0 ]
ok $? "the statistics of an interrupted simulation count its tasks so far"
life=$(sed -n 's/.* for \(.*\)\.\(.*\) s in .*/\1\2/p' "$scratch/err")
for node in 0 1 2 3; do
	for part in working_ns communicating_ns idle_ns; do
		counted "nodes[$node].counts.$part"
	done
done | awk -v "life=$life" '{ sum += $1 }
	END { exit sum / 4 < life * 1000 - 1000 || sum / 4 > life * 1000 + 1000 }'
ok $? "each worker's times add up to the virtual time, $life us"
perl "$source_directory/tests/stats.pl" get "$scratch/json" sums.hold \
	>"$scratch/out" 2>&1
[ $? != 0 ]
ok $? "the statistics of an interrupted simulation have no sums"
# A leaf takes 100 ms or more.
env --default-signal=INT ./sateen sim -n 1 --cost counted ./fib_threshold -t 38 60 \
	>"$scratch/out" 2>"$scratch/err" &
simulation=$!
await_simulation $simulation
kill -TERM $simulation
ended() { ! kill -0 "$1" 2>/dev/null; }
until_true ended $simulation || kill -KILL $simulation
wait $simulation
[ $? = 143 ]
ok $? "a signal ends a simulation of long leaves at the next event"
complains 2 'cost is "guessed"; it can be measured, counted or hollow' \
	./sateen sim --cost guessed ./fib 10
ok $? "a cost model that does not exist is refused"
# The request takes 7 ms, the record 1 ms.
cat >"$scratch/links" <<'END'
# from to
* *	none
0 1	1ms	# there
1 0	7ms
END
virtual --clusters 2x1 --links "$scratch/links" --overhead 0s --message-log \
	"$scratch/far" --task-cost 0s -b rs ./tree -b 2 -d 1 -l 10ms \
	>"$scratch/time"
awk '$3 == "take" && $4 == "grant" { begin = $1 }
	$3 == "send" && $4 == "result" { print begin, $1 }' "$scratch/far.1" \
	>"$scratch/times"
[ "$(cat "$scratch/times")" = "8000000 18000000" ]
ok $? "a file of links: requests take 7 ms, records 1 ms"
prints '^fib(18) = 2584$' ./sateen run --clusters 2x1 --links \
	"$scratch/links" ./fib 18
ok $? "a real run accepts the same file of links"
for seed in 1 2 1; do
	virtual --clusters 2x2 --wan 5ms,1MB/s,3ms --seed $seed -b cls \
		./tree -b 3 -d 5 -l 1ms
done >"$scratch/times"
[ "$(sort "$scratch/times" | uniq -c | wc -l)" = 2 ]
ok $? "with jitter, equal seeds give equal runs, other seeds other runs: \
$(tr '\n' ' ' <"$scratch/times")s"
prints '^fib(18) = 2584$' ./sateen run --clusters 2x1 --wan 1ms,1MB/s,2ms \
	./fib 18
ok $? "a real run with jitter has the right result"
# Request, answer, leaf and result take 160 ms if no packet is lost.
for seed in 1 2 3 4 5 6 7 8; do
	virtual --clusters 2x1 --wan 20ms,none,0s,30% --overhead 0s \
		--seed $seed --task-cost 0s -b rs ./tree -b 2 -d 1 -l 100ms
done | sort -n >"$scratch/times"
awk '{ late += $1 > 0.35 }
	NR == 1 && $1 < 0.16 { early = 1 }
	END { exit early || !late }' "$scratch/times"
ok $? "with loss, messages wait for timeouts: $(tr '\n' ' ' <"$scratch/times")s"
prints '^fib(18) = 2584$' ./sateen run --clusters 2x1 \
	--wan 1ms,1MB/s,0s,5% ./fib 18
ok $? "a real run with loss has the right result"
# The links are the same, but the result, sent at 18 ms, takes 40 ms.
cat >"$scratch/links" <<'END'
1 0	7ms
0 1	1ms
@ 18ms
1 0	40ms
END
virtual --clusters 2x1 --links "$scratch/links" --overhead 0s --message-log \
	"$scratch/day" --task-cost 0s -b rs ./tree -b 2 -d 1 -l 10ms \
	>"$scratch/time"
awk '$3 == "take" && $4 == "result" { print $1 }' "$scratch/day.0" \
	>"$scratch/times"
[ "$(cat "$scratch/times")" = 58000000 ]
ok $? "a message sent when the links change at 18 ms uses the new links"
# In a real run a request and its answer take 150 ms each after the change.
cat >"$scratch/links" <<'END'
* *	none
@ 1us
* *	150ms
@ 1000s
* *	none
END
prints '^tree(2^1) = 2 leaves$' ./sateen run --clusters 2x1 -b rs --links \
	"$scratch/links" --message-log "$scratch/real" ./tree -b 2 -d 1 -l 400ms
awk '$3 == "send" && $4 == "request" { at[$6] = $1 }
	$3 == "take" && ($4 == "grant" || $4 == "refuse") {
		count++
		early += $1 - at[$6] < 300000000
	}
	END { exit !count || early }' "$scratch/real.1"
ok $? "links change in a real run, too"
for time in day late lossy night; do
	prints '^fib(22) = 17711$' ./sateen sim --clusters 8,2,4,2,8,16 \
		--speed 1,0.523,0.454,0.307,1.525,0.062 --links \
		"$source_directory/emul/links/gridlab-$time.links" ./fib 22
	ok $? "40 nodes of the GridLab testbed have the right result ($time)"
done
# A request and its answer take 100 ms or more by day, and 25 ms at most by night.
virtual --clusters 2x1 -b rs --task-cost 0s --message-log "$scratch/hours" --links \
	"$source_directory/emul/links/day-and-night.links" \
	./tree -b 64 -d 2 -l 1s >"$scratch/time"
awk '$3 == "send" && $4 == "request" { at[$6] = $1 / 1e9 }
	$3 == "take" && ($4 == "grant" || $4 == "refuse") {
		night = at[$6] >= 720 && at[$6] < 1439
		count[night]++
		took = $1 / 1e9 - at[$6]
		wrong += night ? took > 0.025 : took < 0.1
	}
	END { exit wrong || !count[0] || !count[1] }' "$scratch/hours.1"
ok $? "the links of day-and-night.links change by day and by night"
# refuse_links TEXT PATTERN: tests that a file of links is refused.
refuse_links() {
	printf '%b' "$1" >"$scratch/links"
	complains 2 "$2" ./sateen sim --clusters 2x1 --links "$scratch/links" \
		./fib 10
	ok $? "a bad file of links is refused: $2"
}
refuse_links '* * 1ms\n@\n' 'line 2: not @ TIME, such as @ 60s'
refuse_links '@ 5\n' 'line 1: not @ TIME'
for line in 'name * brno' 'name 1' 'name -1 brno' 'name 1 brno berlin' \
	"name 1 $(printf '%064d' 0)"; do
	refuse_links "$line\n" 'line 1: not .* or name CLUSTER NAME, with clusters from 0'
done
refuse_links '@ 1s 2s\n' 'line 1: not @ TIME'
refuse_links '@ 2s\n@ 2s\n' 'line 2: this time is not after the one before'
printf 'name 1 brno\n* * 1ms\nname 1 berlin\nname 2 lecce\n' >"$scratch/links"
./sateen sim --clusters 2x1 --links "$scratch/links" --trace "$scratch/trace" \
	./fib 10 >"$scratch/out" &&
	grep -q '"node 1, cluster 1 (berlin)"' "$scratch/trace" &&
	grep -q '"node 0, cluster 0"' "$scratch/trace"
ok $? "a file of links names clusters in a trace"
STN_CLUSTER_NAMES='delft paris' ./sateen sim --clusters 2x1 --links "$scratch/links" \
	--trace "$scratch/trace" ./fib 10 >"$scratch/out" &&
	grep -q '"node 1, cluster 1 (paris)"' "$scratch/trace"
ok $? "names that a launcher or a gateway has given take precedence"
echo '0 2 1ms' >"$scratch/links"
complains 2 'links, line 1: the run has clusters 0 to 1, and no cluster 2; raise' \
	./sateen run --clusters 2x1 --links "$scratch/links" ./fib 10
ok $? "a link to a cluster that does not exist is refused"
complains 1 "can't read links from ./nowhere: No such file" \
	./sateen sim --clusters 2x1 --links ./nowhere ./fib 10
ok $? "a file of links that can't be read is refused"

# Files of links that come with Sateen need no path.
if [ -d ../emul/links ]; then
	for command in run sim; do
		complains 2 'no file of links "nowhere" .*: day-and-night, gridlab-day,.*-night$' \
			./sateen $command -n 2 --clusters 2 --links nowhere ./fib 10
		ok $? "a name of links that does not exist gets the list (sateen $command)"
	done
	# changes NAME: the virtual time of a run that has these links
	changes() {
		virtual --clusters 2x1 --links "$1" -b rs --task-cost 0s ./tree -b 8 \
			-d 1 -l 1s
	}
	by_path=$(changes ../emul/links/day-and-night.links)
	for name in day-and-night day-and-night.links; do
		[ "$by_path" ] && [ "$(changes $name)" = "$by_path" ]
		ok $? "$name is the file of the source"
	done
	prints '^fib(22) = 17711$' ./sateen run --clusters 2x1 -w 1 --links \
		day-and-night ./fib 22
	ok $? "nodes of a real run find it"
	cp .libs/fib "$scratch/fib" 2>/dev/null || cp fib "$scratch/fib"
	for command in run sim; do
		prints '^fib(22) = 17711$' ./sateen $command --clusters 2x1 -w 1 --links \
			day-and-night "$scratch/fib" 22
		ok $? "also if their program is elsewhere (sateen $command)"
	done
	echo wrong >"$scratch/day-and-night"
	here=$PWD
	(cd "$scratch" && complains 2 '^sateen: day-and-night, line 1: not FROM' \
		"$here/sateen" sim --clusters 2x1 --links day-and-night "$here/fib" 10)
	ok $? "a file of the directory comes first"
else
	skip "names of links" "a build directory inside the source"
fi
# 10.945 ms of work: 10 ms at speed 1, nothing for 15 ms, the rest at speed 0.5.
printf '%s\n' '@ 10ms' '0 0' '@ 25ms' '* 0.5' >"$scratch/speeds"
virtual -n 1 --speeds "$scratch/speeds" --task-cost 1us --overhead 0s ./fib 20 \
	>"$scratch/time"
[ "$(cat "$scratch/time")" = 0.026890 ]
ok $? "the cost of computing follows a file of speeds: $(cat "$scratch/time") s"
echo '1 1' >"$scratch/speeds"
complains 2 'speeds, line 1: not NODES SPEED.* with nodes from 0 to 0' \
	./sateen sim --speeds "$scratch/speeds" ./fib 10
ok $? "the speed of a node that does not exist is refused"
complains 2 'speeds are for virtual time only' \
	./sateen run --speeds "$scratch/speeds" ./fib 10
ok $? "a real run refuses a file of speeds"
for kind in paper004 planetlab; do
	./loads --kind $kind --nodes 3 --seed 7 --duration 9000s \
		>"$scratch/loads"
	prints '^fib(18) = 2584$' ./sateen sim -n 3 --speeds "$scratch/loads" \
		./fib 18 && [ "$(wc -l <"$scratch/loads")" -gt 100 ]
	ok $? "loads makes a file of speeds: $kind"
	./loads --kind $kind --nodes 2 --seed 7 --duration 9000s |
		grep '^1 ' >"$scratch/fewer"
	grep '^1 ' "$scratch/loads" | cmp -s - "$scratch/fewer"
	ok $? "the speeds of a node depend on the seed and its rank only: $kind"
done
complains 2 'no kind "nowhere"' ./loads --kind nowhere
ok $? "loads refuses a kind that does not exist"
for speed in 1,2 x 0 "1," ",1" 1,,1 1e9 -1; do
	complains 2 "speed is \"$speed\"; it must be a number" \
		./sateen sim --clusters 3x1 --speed "$speed" ./fib 10
	ok $? "a speed of $speed for three clusters is refused"
done
# refuse_events TEXT PATTERN: tests that a file of events is refused.
refuse_events() {
	printf '%b' "$1" >"$scratch/events"
	complains 2 "$2" ./sateen sim --clusters 2x2 \
		--events "$scratch/events" ./fib 10
	ok $? "a bad file of events is refused: $2"
}
refuse_events '\n1s murder node 1\n' 'events, line 2: after the time write kill'
refuse_events '1s kill node 4\n' 'line 1: .*nodes are from 0 to 3'
complains 1 "can't read events from nowhere: No such file" \
	./sateen sim -n 2 --events nowhere ./fib 10
ok $? "a file of events that can't be read is refused"
complains 2 'events happen in virtual time only' \
	./sateen run -n 2 --events "$scratch/events" ./fib 10
ok $? "a real run refuses events"
# ends_by EVENT PATTERN: tests that the event ends the run with a line.
ends_by() {
	echo "$1" >"$scratch/events"
	complains 1 "$2" ./sateen sim --survive no --clusters 2x2 --wan 1ms \
		--cost counted --events "$scratch/events" \
		./tree -b 3 -d 5 -l 1ms
	ok $? "an event of a simulation: $1"
}
ends_by '1500us kill node 3' \
	"node 3 died at 0.002 s; this run can't go on without it"
ends_by '20ms vanish cluster 1' \
	"node 2 vanished at 0.020 s; this run can't go on without it"
for what in suspect leave join; do
	ends_by "3ms $what node 2" "node 2 is .* at 0.003 s; this run's nodes can't change"
done
echo '2ms kill nodes 0-3' >"$scratch/events"
./sateen sim --clusters 2x2 --wan 1ms --cost counted --events \
	"$scratch/events" ./tree -b 3 -d 5 -l 1ms 2>"$scratch/err"
[ $? = 1 ] && grep -q '^sateen: all nodes have died' "$scratch/err"
ok $? "a run whose nodes all die ends, but not well"
echo '10s kill nodes 0-3' >"$scratch/events"
prints '^fib(18) = 2584$' ./sateen sim --clusters 2x2 --cost counted \
	--events "$scratch/events" ./fib 18
ok $? "an event after the end of the run has no effect"
complains 1 'use another transport than loop or sim' \
	./sateen bench steal --transport sim
ok $? "a benchmark of the machine refuses to be simulated"
complains 2 'has its own transport; leave --transport out' \
	./sateen sim -t shm ./fib 10
ok $? "sateen sim refuses a transport"
complains 2 'lan: "0s" is not' ./sateen sim --lan 0s ./fib 10
ok $? "a network without latency is refused"
complains 2 'lan: "none" is not a link that takes time, such as 10us' \
	./sateen sim --lan none ./fib 10
ok $? "no network is none that takes time"
complains 2 'a run in virtual time has no metrics' \
	./sateen sim --metrics 0 ./fib 10
ok $? "a run in virtual time has no metrics"
prints '^fib(10) = 55' ./sateen sim --clusters 20x1 \
	--speed "$(yes 0.125 | head -n 20 | tr '\n' , | sed 's/,$//')" ./fib 10
ok $? "20 clusters have speeds of their own"
log=$scratch/$(printf '%0200d' 0)
mkdir "$log"
prints '^fib(10) = 55' ./sateen sim -n 2 \
	--message-log "$log/$(printf '%0200d' 0)" ./fib 10 &&
	[ "$(find "$log" -type f | wc -l)" = 2 ]
ok $? "a message log has a long name, and each node has its own"
complains 2 'clusters: "2x" is not' ./sateen sim --clusters 2x ./fib 10
ok $? "clusters of 2x are refused"
for sizes in 1,0 ,1 "1," 99999,2 1x,2; do
	complains 2 "clusters: \"$sizes\" is not" \
		./sateen sim --clusters "$sizes" ./fib 10
	ok $? "clusters of $sizes are refused"
done
many=$(yes 2 | head -n 600 | tr '\n' , | sed 's/,$//')
complains 2 'is not .*1023 letters at most' \
	./sateen sim --clusters "$many" ./fib 10
ok $? "a list of clusters that is too long is refused"
for order in '-n 3 --clusters 2,2' '--clusters 2,2 -n 3' \
	'--clusters 2x2 -n 3'; do
	# shellcheck disable=SC2086 # words
	complains 2 'have 4 nodes, and -n says 3; leave it out' \
		./sateen run $order ./fib 10
	ok $? "contradicting numbers of nodes are refused: $order"
done
plan
