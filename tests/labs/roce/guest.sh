#!/bin/bash
# guest.sh: the tests of `make check-roce`, run inside the guest.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/processes.sh"
. "$lab/hosts.sh"

export STN_SLOW=1 TAP_SECONDS=400
timed() {
	read -r now _ </proc/uptime
	echo "# ${now%.*} s: $*"
}

# suite NAME TRANSPORT PROVIDER PLACE...: the conformance suite passes, and runs
# more than 80 tests, so the transport wasn't skipped.
suite() {
	local name=$1
	shift
	timeout $((TAP_SECONDS + 10)) ./conformance_on "$@" \
		>"$share/conformance-$name" 2>&1
	status=$?
	passed=$(grep -c '^ok' "$share/conformance-$name")
	[ $status = 0 ] && [ "$passed" -gt 80 ]
	status=$?
	[ $status = 0 ] || grep -v '^ok' "$share/conformance-$name" |
		tail -n 20 | sed 's/^/# /'
	ok $status "conformance over $name: $passed tests pass"
	timed "$name"
}

test_hosts() {
	make_hosts >"$share/hosts" 2>&1
	ping -c 2 -W 5 -I 10.9.0.1 10.9.0.3 >>"$share/hosts" 2>&1 &&
		[ "$(ibv_devices | grep -c rxe)" = 4 ]
	status=$?
	[ $status = 0 ] || sed 's/^/# /' "$share/hosts"
	ok $status "four hosts with RoCE devices reach each other"
	timed "hosts"
}

test_conformance() {
	suite verbs verbs auto rxe1 rxe2 rxe3
	suite ofi-verbs ofi verbs 10.9.0.1 10.9.0.2 10.9.0.3
	suite ucx-rc ucx rc_v rxe1:1 rxe2:1 rxe3:1
}

# answers NAME OPTIONS...: programs run right on four nodes, one on each host.
answers() {
	local name=$1
	shift
	set -- ./sateen run -n 4 --workers 1 "$@" "$lab/at.sh"
	prints '^nqueens(11) = 2680$' "$@" ./nqueens 11
	ok $? "n-queens over $name: $(head -n 1 "$scratch/out")"
	timed "n-queens over $name"
	prints '^burma14: 3323$' "$@" ./tsp \
		"$source_directory/apps/tsp/burma14.tsp"
	ok $? "the travelling salesman over $name finds its answer"
	timed "the travelling salesman over $name"
}

test_programs() {
	answers verbs --transport verbs
	answers "libfabric's verbs" --transport ofi --provider verbs
	answers "UCX's rc_verbs" --transport ucx --provider rc_v
}

# show FILE: prints it as TAP comments.
show() {
	sed 's/^/# /' "$1"
}

# figures NAME ARGUMENTS...: measures between two hosts, next to the bare fabric, and
# appends the rows, with the number of the run, to $share/rows, which fabric.awk reads.
figures() {
	local name=$1
	shift
	timeout 100 ./sateen run -n 2 "$@" --csv "$scratch/csv" >"$scratch/out" \
		2>"$scratch/err" && grep -q sateen "$scratch/out" &&
		sed "1d; s/^/$run,soft RoCE,/" "$scratch/csv" >>"$share/rows"
	status=$?
	show "$scratch/out"
	[ $status = 0 ] || show "$scratch/err"
	ok $status "figures of $name"
	timed "figures of $name"
}

# bench NAME SETTINGS...: latency and throughput of one transport.
bench() {
	local name=$1
	shift
	figures "$name: latency" "$@" "$lab/at.sh" ./sateen-fabric latency \
		-S 64,1KiB,64KiB -r 300
	figures "$name: throughput" "$@" "$lab/at.sh" ./sateen-fabric \
		throughput -S 64KiB,1MiB -r 20
}

# perftest PROGRAM OPTIONS...: prints its figures, once its server listens.
perftest() {
	local program=$1
	shift
	timeout 60 "$program" -d rxe2 -x 1 -F "$@" >/dev/null 2>&1 &
	for try in 1 2 3 4 5 6 7 8 9 10; do
		timeout 60 "$program" -d rxe1 -x 1 -F "$@" 10.9.0.2 \
			>"$scratch/out" 2>&1 && break
		sleep 0.2
	done
	wait
	echo "# $program $*:"
	awk '/#bytes/ { last = NR + 1 }
	     /#bytes/ || NR == last { print "#" $0 }' "$scratch/out"
}

test_bench() {
	uname -sr >"$share/kernel"
	perftest ib_send_lat -s 64 -n 1000
	perftest ib_read_bw -s 1048576 -n 30
	for ((run = 1; run <= runs; run++)); do
		bench verbs --transport verbs
		bench "libfabric's verbs" --transport ofi --provider verbs
		bench "UCX's rc_verbs" --transport ucx --provider rc_v
	done
}

# The cable between the clusters, as netem and --wan describe it, and the time
# in microseconds that a large payload takes longer over netem's cable.
latency=40ms
netem_rate=8mbit
rate=1MB/s
detour=80000

# agree EMULATED REAL: prints both, what is subtracted from REAL, and their
# difference; fails above 5 %.
agree() {
	paste -d ' ' "$1" "$2" | awk -v detour=$detour '
		{
			less = $4 == "large" ? detour : 0
			real = $6 - less
			off = 100 * ($3 / real - 1)
			printf "# %-6s %2d: emulated %8.2f ms, netem %8.2f ms",
				$1, $2, $3 / 1000, $6 / 1000
			if (less)
				printf " less %.2f ms for the rendezvous",
					less / 1000
			printf ", %+.1f %%\n", off
			if (off < 0)
				off = -off
			if (off > most)
				most = off
			bad = bad || $1 != $4 || $2 != $5
		}
		END {
			printf "# they differ by %.1f %% at most\n", most
			exit bad || NR < 4 || most > 5
		}'
}

# measure FILE HEADERS ARGUMENTS...: runs roce-arrivals over both links.
measure() {
	local file=$1 headers=$2
	shift 2
	timeout 100 chrt -i 0 ./roce-arrivals "$@" $latency,$rate \
		>"$file-emulated" 2>"$file-error" &&
		slow_link $latency $netem_rate $headers 2>>"$file-error" &&
		timeout 100 chrt -i 0 ./roce-arrivals "$@" >"$file-netem" \
			2>>"$file-error" &&
		agree "$file-emulated" "$file-netem" >"$file"
	status=$?
	fast_link 2>>"$file-error"
	return $status
}

# arrivals NAME HEADERS TRANSPORT PROVIDER PLACE PLACE: compares the two links.
#
# netem counts the headers of each packet, the emulated link doesn't: netem is
# told to leave out HEADERS bytes. netem also counts the bytes before each
# message: 16 bytes of ours over verbs, some 105 of ours and libfabric's over
# tcp, which are 1.3 % of a message of 8000 bytes. A large payload crosses the
# emulated link with its offer (HACKING, "Links"); over netem's the offer, its
# answer and the payload go one after the other. The two latencies more are
# subtracted, and the line says so.
#
# Another program may have used the processors for a while; so there are three
# tries.
arrivals() {
	local name=$1
	shift
	for try in 1 2 3; do
		measure "$share/arrivals-$name" "$@"
		status=$?
		[ $status != 0 ] || break
	done
	cat "$share/arrivals-$name"
	[ $status = 0 ] || sed 's/^/# /' "$share/arrivals-$name-error"
	ok $status "messages over $name arrive at the same times as over netem's link, within 5 %"
	timed "arrivals over $name, at try $try"
}

# Headers: Ethernet 14, IP 20, UDP 8, RoCE 16; and Ethernet 14, IP 20, TCP 32.
test_arrivals() {
	arrivals verbs 58 verbs auto rxe1 rxe3
	arrivals tcp 66 ofi tcp 10.9.0.1 10.9.0.3
}

# sent: prints how many packets each device has sent.
sent() {
	for host in 1 2 3 4; do
		echo "rxe$host $(cat \
			/sys/class/infiniband/rxe$host/ports/1/hw_counters/sent_pkts)"
	done
}

# uses DEVICES OPTIONS...: two nodes of one host send by these devices only.
uses() {
	local devices=$1 used
	shift
	sent >"$scratch/sent"
	prints '^fib(24) = 46368$' ./sateen run -n 2 --workers 1 "$@" ./fib 24
	status=$?
	used=$(sent | paste -d ' ' - "$scratch/sent" |
		awk '$2 != $4 { print $1 }' | xargs)
	[ $status = 0 ] && [ "$used" = "$devices" ]
	ok $? "nodes of one host use $used: $*"
	timed "$*"
}

# Nodes without options choose a transport. They pretend to be on several hosts,
# and all find the same devices.
test_choice() {
	prints 'rxe4:1 *RoCE *active, .* west2' ./sateen info
	ok $? "sateen info shows devices, their states, and their interfaces"
	timed "sateen info"
	show "$scratch/out" | sed -n '/between hosts, best/,/^# $/p'
	prints '^fib(20) = 6765$' ./sateen run -n 3 --workers 1 \
		sh -c 'STN_PRETEND_HOST=$STN_RANK exec ./fib 20' &&
		grep -q '3 nodes on 3 hosts: verbs on rxe1:1' "$scratch/err"
	ok $? "a run between hosts chooses verbs: $(cat "$scratch/err")"
	prints '^fib(20) = 6765$' ./sateen run -n 4 --workers 1 sh -c \
		'STN_PRETEND_HOST=$((STN_RANK / 2)) exec ./fib 20' &&
		grep -q 'verbs on rxe1:1, rxe2:1 ' "$scratch/err"
	ok $? "the nodes of each host share its devices: $(cat "$scratch/err")"
	uses 'rxe1 rxe2' --transport verbs
	uses 'rxe1 rxe2' --transport ofi --provider verbs
	uses rxe4 --provider verbs --device rxe4:1
	uses rxe3 --transport verbs --interface west1
	uses rxe3 --transport ucx --provider rc_v --device rxe3
	timed "choice"
}

# dying NAME TRANSPORT PROVIDER PLACE...: nodes die and stop while messages of all
# sizes are under way, and no scenario is skipped.
dying() {
	local name=$1
	shift
	timeout $((TAP_SECONDS + 10)) ./mortal_on "$@" >"$share/mortal-$name" 2>&1
	status=$?
	passed=$(grep -c '^ok' "$share/mortal-$name")
	[ $status = 0 ] && [ "$passed" = 9 ] &&
		! grep -q '# SKIP' "$share/mortal-$name"
	status=$?
	[ $status = 0 ] || sed 's/^/# /' "$share/mortal-$name"
	ok $status "deaths over $name: $passed scenarios"
	timed "deaths over $name"
}

node() {
	# shellcheck disable=SC2046 # a list
	node_among "$1" $(children "$launcher")
}

# loses SIGNAL RANK LINE WRAPPER OPTIONS...: in a run of four hosts over verbs, a node
# gets the signal, and the run prints the line. WRAPPER starts the nodes.
loses() {
	local signal=$1 victim=$2 line=$3 wrapper=$4
	shift 4
	start ./sateen run -n 4 --workers 1 "$@" $wrapper ./held
	await_work 0 1 2 3
	until_true is_asleep "$launcher"
	strike $signal $victim
	until_true has_lines 1 "$line"
	finish
	grep '^sateen: 4 nodes on 4 hosts' "$scratch/run.err" >"$scratch/chosen"
	sed -i '/^sateen: 4 nodes on 4 hosts/d' "$scratch/run.err"
	show "$scratch/chosen"
	grep -q verbs "$scratch/chosen"
}

options() {
	echo "${*:-without options}"
}

# survives RANK WRAPPER OPTIONS...: a node is killed.
result=$held_result
survives() {
	loses KILL $1 "node $1 died" "${@:2}" && survived 1 || show_run
	ok $? "$(options "${@:3}"): node $1 dies, and the run goes on"
	timed "node $1 dies"
}

# parts_with RANK WRAPPER OPTIONS...: a node is told to leave.
parts_with() {
	loses TERM $1 "node $1 left the run" "${@:2}" && [ $status = 0 ] &&
		grep -qx "$result" "$scratch/run.out" &&
		grep -q '^sateen: nodes left: 1; ' "$scratch/run.err" || show_run
	ok $? "$(options "${@:3}"): node $1 leaves, and the run goes on"
	timed "node $1 leaves"
}

test_survive() {
	printf '#!/bin/sh\nSTN_PRETEND_HOST=$STN_RANK exec "$@"\n' \
		>"$scratch/pretend"
	chmod +x "$scratch/pretend"
	survives 2 "$scratch/pretend"
	survives 0 "$scratch/pretend"
	parts_with 1 "$scratch/pretend"
	parts_with 0 "$scratch/pretend"
	survives 2 "$lab/at.sh" --transport ofi --provider verbs
	dying verbs verbs auto rxe1 rxe2 rxe3 rxe4
	dying ofi-verbs ofi verbs 10.9.0.1 10.9.0.2 10.9.0.3 10.9.0.4
}

test_run() {
	bash "$share/run"
	ok $? "the script of STN_LAB_RUN succeeds"
}

test_hosts
[ $# -gt 0 ] || set -- programs choice survive conformance bench arrivals
for test; do
	declare -F "test_$test" >/dev/null || {
		ok 1 "there is a test $test"
		continue
	}
	"test_$test"
done
plan
