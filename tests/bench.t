#!/bin/sh
# bench.t: sateen bench measures over each transport, writes results in every
# format, and reports errors in one line. The measured values are not checked.
. "$(dirname "$0")/tap.sh"

# parses FILE: true if the file is JSON.
parses() {
	perl -MJSON::PP -0777 -ne 'decode_json($_)' "$1"
}

# measures BENCHMARK PATH ARGUMENTS...: tests that the table has a row of that path.
# A share of the time may be negative if the machine has other load.
measures() {
	benchmark=$1
	path=$2
	shift 2
	prints "$path  *-*[0-9.][0-9.]*  *-*[0-9.]" \
		./sateen bench "$benchmark" --rounds 20 "$@"
	ok $? "$benchmark $*: the table has a row of $path"
}

# both BENCHMARKS BARE ARGUMENTS...: tests rows of Sateen and of the bare library.
both() {
	benchmarks=$1
	bare=$2
	shift 2
	for benchmark in $benchmarks; do
		measures "$benchmark" sateen "$@"
		grep -q "^  *$bare " "$scratch/out"
		ok $? "$benchmark $*: and a row of $bare"
	done
}

measures latency sateen --transport loop --sizes 8,129,64KiB
measures rate sateen --transport loop
measures overlap 'computing left' --transport loop --sizes 64KiB

if have_ofi; then
	for provider in tcp shm; do
		both 'latency rate' 'libfabric send' --provider $provider
		both throughput 'libfabric read' --provider $provider \
			--sizes 20000,1MiB --pieces 5
	done
	both 'latency throughput' 'TCP sockets' -p tcp --sizes 1,100000
	measures overlap 'sateen, computing' --provider tcp --sizes 64KiB
	measures latency sateen --provider tcp --no-bare --pin no
	! grep -q 'libfabric send' "$scratch/out"
	ok $? "--no-bare leaves the bare library out"
	grep -q 'latency: transport ofi, provider tcp, not pinned' \
		"$scratch/out"
	ok $? "the headline names the transport, the provider and the binding"
else
	skip "over libfabric" "libfabric-dev"
fi
# listens BARE ARGUMENTS...: tests that a bare path listens on --ports. Sateen's two
# nodes take two of them. Ports stay in use for a while after their connections, so no
# ports are used again.
first=$((21000 + 50 * ($$ % 200)))
listens() {
	bare=$1
	shift
	first=$((first + 20))
	prints "without $bare: can't be opened" ./sateen bench latency --rounds 20 \
		--sizes 8 --ports $first-$((first + 1)) "$@"
	ok $? "$*: without free ports there is no row of $bare"
	prints "^  *$bare " ./sateen bench latency --rounds 20 --sizes 8 \
		--ports $((first + 2))-$((first + 19)) "$@"
	ok $? "$*: with more ports there is one"
}
if have_ofi; then
	listens 'libfabric send' --provider tcp
fi
if have_ucx; then
	listens UCX --transport ucx --provider tcp
fi
both 'latency throughput rate' 'shared memory' --transport shm \
	--sizes 8,300,100000
if have_ucx; then
	both 'latency throughput rate' UCX --transport ucx --provider tcp \
		--sizes 8,300,100000
else
	skip "over UCX" "libucx-dev"
fi

if grep -q '^#define HAVE_GATEWAYS' config.h && command -v redis-server \
	>/dev/null; then
	for benchmark in latency throughput; do
		prints '^  *TLS relays  *[0-9.][0-9.]*  *[0-9.]' \
			./sateen run --gateways -n 2 --clusters 2 \
			--transport far ./sateen bench $benchmark --rounds 20 \
			--sizes 8,100000
		ok $? "$benchmark through gateways has a row of bare relays"
		! grep 'ended with status' "$scratch/err"
		ok $? "and both clusters end with status 0"
	done
else
	skip "through gateways" "libssl-dev, libhiredis-dev or redis-server"
fi

# Each call is synced just after its spawn. Only a request that is parked at that
# moment steals it.

if have_ofi; then
	measures spawn 'spawn and sync' --provider tcp
	grep -q '^  *message and answer ' "$scratch/out"
	ok $? "spawn: the table has a row of messages"
	grep -q '^spawn, array  *100000 B  *spawn and sync ' "$scratch/out"
	ok $? "spawn: the table has a row of calls with an array"
	measures steal sateen --provider tcp
	for state in computes awake asleep; do
		grep -q "^steal, $state  *sateen " "$scratch/out"
		ok $? "steal: the table has a row of a victim's state: $state"
	done
	grep -q '^  *eventfd, epoll ' "$scratch/out"
	ok $? "steal: the table has a row of bare wake-ups"
else
	skip "steals" "libfabric-dev"
fi

# Node 1 may steal none of so few calls.
if ./sateen bench spawn --transport shm -r 1 -g 0 --json "$scratch/a.json" \
	>"$scratch/out" 2>"$scratch/err"; then
	parses "$scratch/a.json" && ! grep -q 'inf\|nan' "$scratch/a.json"
else
	grep -q 'node 1 stole no call' "$scratch/err"
fi
ok $? "spawn: few calls yield numbers, or a reason"

# A stand-in for ssh starts each node in a PID namespace of its own, as in containers:
# both nodes have the same process number there.
apart='unshare --pid --fork --kill-child --mount-proc'
if have_ofi && $apart true 2>/dev/null; then
	cat >"$scratch/ssh" <<-END
		#!/bin/sh
		while [ "\${1#-}" != "\$1" ]; do
			shift 2
		done
		cd /
		exec $apart sh -c "\$2"
	END
	chmod +x "$scratch/ssh"
	printf 'h1\nh2\n' >"$scratch/hosts"
	prints '^spawn  *spawn and sync  *[0-9.]' ./sateen run --ssh "$scratch/ssh" \
		--hosts "$scratch/hosts" -n 2 --provider tcp \
		./sateen bench spawn --rounds 20
	ok $? "spawn: a node knows its calls from those of a node with its process number"
else
	skip "spawn in PID namespaces" "libfabric-dev, or the right to make namespaces"
fi
complains 2 'ROUNDS must be' ./sateen bench steal --rounds none
ok $? "steal --rounds none is refused"
complains 2 'between two nodes; leave -n out' ./sateen bench spawn -n 3
ok $? "spawn with three nodes is refused"

# Deaths. The target, 100 ms, is not checked.

number='[0-9.][0-9.]*'
prints "^shm    auto   killed, this host  *1  *$number  *$number  *100 " \
	./sateen bench death --rounds 1 --silence 200ms --transport shm
ok $? "death: the table has a row of a killed node over shm"
if have_ofi; then
	./sateen bench death --rounds 1 --silence 200ms \
		--provider net >"$scratch/out"
	for way in 'killed, this host' 'killed, another host' \
		'silent, another host'; do
		grep -q "^ofi    net    $way  *1  *$number " "$scratch/out"
		ok $? "death: over libfabric's net it has a row: $way"
	done
else
	skip "deaths over libfabric" "libfabric-dev"
fi
complains 2 'TIME must be' ./sateen bench death --silence soon
ok $? "death --silence soon is refused"
complains 1 'no such transport' ./sateen bench death --transport pigeon
ok $? "a transport that does not exist is refused"

# Other formats.

files="--csv $scratch/a.csv --json $scratch/a.json"
# shellcheck disable=SC2086 # options
measures latency sateen --transport loop --sizes 8,1KiB $files
header=benchmark,transport,provider,path,bytes,median,p99,unit,samples
[ "$(head -n 1 "$scratch/a.csv")" = $header ]
ok $? "CSV begins with the names of its columns"
[ "$(grep -c '^latency,loop,auto,sateen,[0-9]*,.*,us,20$' "$scratch/a.csv")" = 2 ]
ok $? "CSV has a row for each size"
parses "$scratch/a.json"
ok $? "the JSON file can be parsed"
fields='"sateen_bench": 1
"headline": "
"kernel": "
"benchmark": "latency", "transport": "loop", "provider": "auto"
"path": "sateen", "bytes": 1024, "median": [0-9.e-]*, "p99": [0-9.e-]*, "unit": "us", "samples": 20}'
echo "$fields" >"$scratch/fields"
while read -r field; do
	grep -q -e "$field" "$scratch/a.json"
	ok $? "JSON has $field"
done <"$scratch/fields"

# Names with commas.

measures throughput 'sateen, 7 pieces' --transport loop --pieces 7 --sizes 64KiB,1MiB \
	--csv "$scratch/a.csv"
[ "$(grep -c '^throughput,loop,auto,"sateen, 7 pieces",[0-9]*,' "$scratch/a.csv")" = 2 ]
ok $? "CSV has a name with a comma in quotes"
sed '1d; s/^/1,here,/' "$scratch/a.csv" >"$scratch/rows"
# with NAME FILE...: runs a program of the benchmarks with the functions that it needs.
with() {
	awk -v output=json -v runs=1 -v load_average=0 -v targets=/dev/null \
		-f "$source_directory/bench/csv.awk" \
		-f "$source_directory/bench/median.awk" \
		-f "$source_directory/bench/pairs.awk" \
		-f "$source_directory/bench/rows.awk" \
		-f "$source_directory/bench/$1" "$scratch/$2" ${3+"$scratch/$3"}
}
with fabric/fabric.awk rows >"$scratch/a.json"
sed -n 's/.*"path": "\([^"]*\)".*"bytes": \([0-9]*\),.*/\1|\2/p' "$scratch/a.json" \
	>"$scratch/list"
parses "$scratch/a.json" && diff - "$scratch/list" <<'END'
sateen over loop|65536
sateen over loop|1048576
sateen, 7 pieces over loop|65536
sateen, 7 pieces over loop|1048576
END
ok $? "bench-fabric reads it, and the sizes beside it"
cat >"$scratch/rows" <<'END'
1,"spawn, array",ucx,"rc,ud",spawn and sync,100000,2,2,GB/s,20
1,throughput,ucx,"rc,ud",sateen,100000,5,5,GB/s,20
1,throughput,ucx,"rc,ud",UCX,100000,4,4,GB/s,20
1,latency,ucx,"rc,ud",sateen,100000,40,40,us,20
1,latency,ucx,"rc,ud",UCX,100000,80,80,us,20
END
printf 'spawn, array|ucx|rc,ud|100000|spawn and sync|bare %s|\n' stream message \
	>"$scratch/list"
with steal/steals.awk rows list >"$scratch/ratios"
line='^spawn, array of 100 KB over ucx rc,ud / bare'
grep -q "$line stream  *2.00  *4.00 GB/s  *0.500\$" "$scratch/ratios"
ok $? "bench-steals reads names of benchmarks and providers with commas"
grep -q "$line message  *2.00  *2.50 GB/s  *0.800\$" "$scratch/ratios"
ok $? "it compares a call with half a round trip of the fabric itself"
cat >"$scratch/rows" <<'END'
1,steal,shm,auto,sateen,0,1,1,us,20
2,steal,shm,auto,sateen,0,3,3,us,20
2,steal,shm,auto,UCX,0,6,6,us,20
3,steal,shm,auto,UCX,0,1,1,us,20
END
echo 'steal|shm|auto|0|sateen|UCX|' >"$scratch/list"
with steal/steals.awk rows list | grep -q '  *2.00  *3.50 us  *0.500$'
ok $? "a ratio is that of the runs in which both were measured"

if command -v gnuplot >/dev/null; then
	measures latency sateen --transport loop --plot "$scratch/a.svg"
	grep -q '<svg' "$scratch/a.svg"
	ok $? "--plot draws SVG"
	measures throughput sateen --transport loop --sizes 64KiB \
		--plot "$scratch/a.png"
	[ -s "$scratch/a.png" ]
	ok $? "--plot draws PNG"
else
	skip "plots" "gnuplot-nox"
fi

# Programs and their sequential twins.

(
	cd "$scratch" || exit 1
	for program in fib tsp uts; do
		[ ! -x "$OLDPWD/$program" ] || ln -s "$OLDPWD/$program" .
	done
	case $source_directory in
	/*) ;;
	*) source_directory=$OLDPWD/$source_directory ;;
	esac
	"$source_directory/bench/bench-apps" --quick >table 2>err
)
prints '^tsp burma14.tsp  *[0-9.]*  *[0-9.]' cat "$scratch/table"
ok $? "bench-apps compares tsp with tsp --seq"
prints '^golomb 12  *[0-9.]* s; [0-9]* places$' \
	"$source_directory/bench/search/bench-search" --quick golomb
ok $? "bench-search gets the same answers from tasks and without them"
prints '^nqueens, 2 x 1.*  *[0-9.]*  *[0-9.]' \
	"$source_directory/bench/real/bench-real" --quick nqueens
ok $? "bench-real gets the same answers in reality and in virtual time"

# Help and errors.

prints '^  throughput ' ./sateen bench --help
ok $? "sateen bench --help lists the benchmarks"
prints '^usage: sateen bench latency' ./sateen bench latency --help
ok $? "sateen bench latency --help lists its options"

# refuses STATUS PATTERN ARGUMENTS...: tests that sateen bench refuses these.
refuses() {
	complains "$1" "$2" ./sateen bench "$3" --transport loop ${4:+"$4"} \
		${5:+"$5"}
	ok $? "refuses, naming \"$2\": $3 ${4:-} ${5:-}"
}

complains 2 'no benchmark "speed"' ./sateen bench speed
ok $? "a benchmark that does not exist is refused"
for sizes in 0 x 8,,9 -1 2GiB '8,'; do
	refuses 2 'SIZES must be' latency --sizes $sizes
done
refuses 2 'ROUNDS must be' rate --rounds 0
refuses 2 'PIECES must be' throughput --pieces 0
refuses 2 'only throughput takes --pieces' latency --pieces 2
refuses 2 "option '--frobnicate'" latency --frobnicate
refuses 2 'too many arguments' latency operand
refuses 2 'called \*.svg or \*.png' latency --plot "$scratch/a.gif"
refuses 1 'no-such-place' latency --csv "$scratch/no-such-place/a"
complains 2 'between two nodes; leave -n out' ./sateen bench latency -n 3 -t loop
ok $? "latency with three nodes is refused"
complains 1 'real time; use another transport' ./sateen bench latency -t sim
ok $? "and simulated nodes"
complains 1 'no transport "pigeon"' ./sateen bench rate --transport pigeon
ok $? "a transport that does not exist is refused"
complains 2 "option '--transport'" ./sateen bench rate --transport
ok $? "a setting without a value is refused"
complains 2 "^sateen bench spawn: bad or unfinished option '--sizes'" \
	./sateen bench spawn --sizes 8
ok $? "a wrong option of spawn is told in the command's name"
empty=$scratch/empty
mkdir "$empty"
complains 1 'install gnuplot-nox' env PATH="$empty" STN_NODES=2 \
	STN_TRANSPORT=loop ./sateen-fabric latency --plot "$scratch/b.svg"
ok $? "a missing gnuplot is reported before anything is measured"

# A node that dies.

if have_ofi; then
	./sateen bench rate --provider tcp --rounds 10000000 --sizes 8 \
		2>"$scratch/err" >/dev/null &
	run=$!
	until_true pgrep -P $run sateen-fabric
	kill -9 "$(pgrep -n -P $run sateen-fabric)"
	wait $run
	status=$?
	[ $status = 1 ] && [ "$(wc -l <"$scratch/err")" = 1 ] &&
		grep -q 'died.*signal 9' "$scratch/err"
	ok $? "if a node dies, the benchmark ends with one line"
else
	skip "a node that dies" "libfabric-dev"
fi

plan
