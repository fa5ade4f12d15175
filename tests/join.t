#!/bin/sh
# join.t: runs of several clusters on this host, each joined by `sateen join`:
# how they go, how they end, and what strangers can do to them.
. "$(dirname "$0")/tap.sh"

if ! grep -q '^#define HAVE_GATEWAYS' config.h; then
	skip "sateen join" "libssl-dev or libhiredis-dev"
	plan
fi
if ! command -v redis-server >/dev/null; then
	skip "sateen join" "redis-server"
	plan
fi

data=$source_directory/tests/data
strangers=$data/strangers
redis=$scratch/redis
relays=
(umask 77; head -c 32 /dev/urandom | base64 >"$scratch/secret")
(umask 77; head -c 32 /dev/urandom | base64 >"$scratch/other")
start_redis() {
	redis-server --port 0 --unixsocket "$redis" --save '' --appendonly no \
		--dir "$scratch" >"$scratch/redis.log" 2>&1 &
	redis_pid=$!
}
start_redis
tidy() {
	for pid in $redis_pid $relays; do
		kill "$pid" 2>/dev/null
	done
	rm -rf "$scratch"
}
trap tidy EXIT

until_true redis-cli -s "$redis" ping
ok $? "a Redis server of our own"

# Here nodes share two cores, not a cluster.
export STN_WORKERS=1
number=0

# join CLUSTER OPTIONS... -- COMMAND...: one cluster's part in run $run, with
# what it says in files.
join() {
	cluster=$1
	shift
	${limit-timeout 100} ./sateen join --run "$run" --at "$redis" \
		--secret-file "$scratch/secret" --cluster "$cluster" \
		--clusters "$clusters" --wait 30s "$@" \
		>"$scratch/$cluster.out" 2>"$scratch/$cluster.err" </dev/null
}

# begin N: a new run of N clusters.
begin() {
	number=$((number + 1))
	run=run-$$-$number # others may run this test, too
	clusters=$1
}

# run_all COMMAND...: each cluster of $names runs it; $statuses gets how.
run_all() {
	pids=
	for name in $names; do
		join "$name" $options -- "$@" &
		pids="$pids $!"
	done
	statuses=
	for pid in $pids; do
		wait "$pid"
		statuses="$statuses$?"
	done
	case $statuses in
	*[!0]*) echo "# statuses $statuses" ;;
	esac
}

# silent: nobody said anything on stderr.
silent() {
	cat "$scratch"/[a-z]*.err | sed 's/^/# /'
	! grep -q . "$scratch"/[a-z]*.err
}

# result FILE: what a program printed, but for the time it took.
result() {
	grep -v '^time' "$1"
}

# said CLUSTER PATTERN: one line is all it said, and it matches.
said() {
	[ "$(wc -l <"$scratch/$1.err")" = 1 ] &&
		grep -q -e "$2" "$scratch/$1.err"
	said_status=$?
	[ $said_status = 0 ] || sed "s/^/# $1: /" "$scratch/$1.err"
	return $said_status
}

# left_there CLUSTER WORD: what its gateway has left at the meeting point.
left_there() {
	redis-cli -s "$redis" get "sateen:$run:$1" | grep "$2"
}

# nothing_there: no gateway of any run has left anything.
nothing_there() {
	[ "$(redis-cli -s "$redis" dbsize)" = 0 ]
}

# gateway CLUSTER: its process.
gateway() {
	pgrep -f "^./sateen join --run $run .*--cluster $1"
}

# forget: what was said is not for the next run.
forget() {
	rm -f "$scratch"/[a-z]*.out "$scratch"/[a-z]*.err
}

options=

# Runs.

begin 2
names="amsterdam berlin"
run_all ./sateen run -n 2 ./nqueens 11
[ "$statuses" = 00 ] && grep -q '= 2680$' "$scratch/amsterdam.out" &&
	[ ! -s "$scratch/berlin.out" ]
ok $? "two clusters of two nodes; the first by name prints the result"
silent
ok $? "and nobody says anything else"
forget

begin 2
names="amsterdam berlin"
STN_TRANSPORT=far run_all ./sateen run -n 3 ./nqueens 11
[ "$statuses" = 00 ] && grep -q '= 2680$' "$scratch/amsterdam.out" && silent
ok $? "all messages may go by way of the gateways"
forget

begin 3
names="amsterdam berlin chemnitz"
run_all ./sateen run -n 2 ./tsp "$source_directory/apps/tsp/burma14.tsp"
./tsp "$source_directory/apps/tsp/burma14.tsp" >"$scratch/alone"
[ "$statuses" = 000 ] && [ "$(result "$scratch/amsterdam.out")" = \
	"$(result "$scratch/alone")" ] && silent
ok $? "three clusters solve a travelling salesman's problem"
forget

if [ -x ./raytracer ]; then
	scene=$source_directory/apps/raytracer/balls2.nff
	begin 3
	run_all ./sateen run -n 1 ./raytracer -o "$scratch/far.png" "$scene"
	./raytracer -o "$scratch/near.png" "$scene" >/dev/null
	[ "$statuses" = 000 ] && cmp "$scratch/far.png" "$scratch/near.png"
	ok $? "and draw a scene, each dot of it right"
	forget
else
	skip "three clusters draw a scene" "libpng-dev"
fi

begin 2
names="amsterdam berlin"
run_all ./nqueens 10
[ "$statuses" = 00 ] && grep -q '= 724$' "$scratch/amsterdam.out" && silent
ok $? "a cluster may be one node, which needs no launcher"
forget

begin 2
options='--ports 9000-x'
complains 2 'ports, such as 9000-9010' ./sateen join --run "$run" \
	--at "$redis" --secret-file "$scratch/secret" --cluster a \
	--clusters 2 $options -- true
ok $? "a range of ports that is none is refused"
options=

begin 2
options='--silence 30s' # a crowd is one process, which reads for one at a time
run_all ./crowd 200 4096
options=
megabytes=$(cat "$scratch/amsterdam.out")
[ "$statuses" = 00 ] && [ "$megabytes" -lt 100 ] && silent
ok $? "400 nodes' cards reach them all, in $megabytes MB of a gateway's memory"
forget

# Addresses.

refused_at() {
	complains 1 "$1" ./sateen join --run "$run" --at "$2" --address "$3" \
		--secret-file "$scratch/secret" --cluster a --clusters 2 -- true
}
begin 2
refused_at 'is no IP address' "$redis" 2001:db8::1::2
ok $? "--address wants an IP address, of either version"
refused_at 'leads nowhere but on its own link' "$redis" fe80::1
ok $? "that others can call"
refused_at 'is not HOST:PORT of a Redis server' ::1:6379 ::1
ok $? "an IPv6 address with a port has brackets"

begin 2
join berlin --wait 30s -- ./nqueens 8 &
pid=$!
until_true left_there berlin waits
left_there berlin waits >"$scratch/entry"
sed 's/^/# /' "$scratch/entry"
if [ "$(ip -o address show up scope global 2>/dev/null | wc -l)" = 0 ]; then
	skip "others aren't told the loopback's address" "another interface"
else
	! grep -q '127\.0\.0\.1\|\[::1\]\|\[fe80' "$scratch/entry"
	ok $? "others are told neither the loopback's address nor a link's"
fi
kill "$(gateway berlin)"
wait $pid
forget

cat >"$scratch/by-ipv6" <<'END'
#!/bin/sh
# The command of a cluster whose nodes reach the gateway over IPv6.
STN_GATEWAY=${STN_GATEWAY%%@*}@[::1]:${STN_GATEWAY##*:}
export STN_GATEWAY
exec "$@"
END
chmod +x "$scratch/by-ipv6"
six=$(./stranger port)
redis-server --port "$six" --bind ::1 --save '' --appendonly no \
	--dir "$scratch" >"$scratch/redis6.log" 2>&1 &
six_pid=$!
relays="$relays $six_pid"
if ! until_true grep -q 'Ready to accept\|Could not create' \
	"$scratch/redis6.log" || ! redis-cli -h ::1 -p "$six" ping >/dev/null; then
	skip "two clusters meet, and join, over IPv6" "the address ::1"
	skip "so do nodes and their gateway" "the address ::1"
else
	begin 2
	options="--at [::1]:$six --address ::1"
	run_all ./nqueens 10
	[ "$statuses" = 00 ] && grep -q '= 724$' "$scratch/amsterdam.out" &&
		silent
	ok $? "two clusters meet, and join, over IPv6"
	forget
	begin 2
	options="--at [::1]:$six --interface lo"
	run_all "$scratch/by-ipv6" ./sateen run -n 2 ./nqueens 10
	[ "$statuses" = 00 ] && grep -q '= 724$' "$scratch/amsterdam.out" &&
		silent
	ok $? "so do nodes and their gateway; it may be on an interface only"
	forget
fi
kill $six_pid
options=

prints '= 2680$' ./sateen run --gateways -n 5 --clusters 2,1,2 ./nqueens 11
ok $? "sateen run --gateways brings all that takes"
failed=0
for _ in 1 2 3 4 5 6; do
	prints '= 352$' ./sateen run --gateways -n 6 --clusters 3 ./nqueens 9 ||
		failed=1
	[ ! -s "$scratch/err" ] || failed=1
done
ok $failed "time and again: some are ahead of others by a round"
complains 1 'joins clusters of a program' ./sateen run --gateways ./nqueens 5
ok $? "and wants clusters"
complains 2 'no option --silense' ./sateen join --run x --silense 5s
ok $? "an option that isn't there is named"

# Who may not join.

chmod 644 "$scratch/other"
complains 2 'others can read the secret' ./sateen join --run x --at "$redis" \
	--secret-file "$scratch/other" --cluster a --clusters 2 -- true
ok $? "a secret that others can read is refused"
chmod 600 "$scratch/other"
(umask 77; echo short >"$scratch/short")
complains 2 'too short' ./sateen join --run x --at "$redis" \
	--secret-file "$scratch/short" --cluster a --clusters 2 -- true
ok $? "so is a short one"
head -c 4097 /dev/zero | tr '\0' x >"$scratch/long-secret"
chmod 600 "$scratch/long-secret"
complains 2 'too long' ./sateen join --run x --at "$redis" \
	--secret-file "$scratch/long-secret" --cluster a --clusters 2 -- true
ok $? "nor is one of which some would be left out"
complains 2 'Is a directory' ./sateen join --run x --at "$redis" \
	--secret-file "$scratch" --cluster a --clusters 2 -- true
ok $? "nor a directory"
complains 1 "can't reach the Redis server at $scratch/none" ./sateen join \
	--run x --at "$scratch/none" --secret-file "$scratch/secret" \
	--cluster a --clusters 2 -- true
ok $? "without a meeting point there is no run"
complains 2 'wants a name' ./sateen join --run 'a b' --at "$redis" \
	--secret-file "$scratch/secret" --cluster a --clusters 2 -- true
ok $? "names are letters and digits"

begin 2
join amsterdam --wait 10s -- ./nqueens 8 &
pid=$!
join berlin --wait 10s --secret-file "$scratch/other" -- ./nqueens 8
two=$?
wait $pid
one=$?
[ $one$two = 11 ] && grep -q 'no connection.*berlin' \
	"$scratch/amsterdam.err" && grep -q 'no connection.*amsterdam' \
	"$scratch/berlin.err"
ok $? "who has another secret doesn't get in, and both sides say so"
grep -q 'give all the same --secret-file' "$scratch/amsterdam.err"
ok $? "and what to do"
grep -q 'refused a connection.*secret is another' "$scratch/amsterdam.err"
ok $? "the refusals are logged"
[ ! -s "$scratch/amsterdam.out" ]
ok $? "and nothing was run"
forget

begin 2
join amsterdam --wait 1s -- ./nqueens 8
[ $? = 1 ] && said amsterdam 'of 2 clusters, 1 have come within 1 s'
ok $? "who is alone gives up after a while, and says what to do"
forget

begin 2
join berlin -- ./nqueens 8 &
pid=$!
until_true left_there berlin waits
mv "$scratch/berlin.err" "$scratch/first.err"
join berlin -- ./nqueens 8
[ $? = 1 ] && said berlin 'a cluster "berlin" has joined the run'
ok $? "a second cluster of the same name is refused"
join amsterdam -- ./nqueens 8
one=$?
wait $pid
[ $one$? = 00 ] && grep -q '= 92$' "$scratch/amsterdam.out"
ok $? "and does no harm to the first"
nothing_there
ok $? "when a run is over, nothing is left at the meeting point"
forget

# A program of our own, to be found by its name.
cp ./die "$scratch/long"
names="amsterdam berlin"
run_all ./nqueens 8
[ "$statuses" = 00 ] && grep -q '= 92$' "$scratch/amsterdam.out" && silent
ok $? "so its name can be used again"
join amsterdam -- "$scratch/long" wait &
pid=$!
join berlin -- "$scratch/long" wait &
two=$!
until_true left_there amsterdam runs
until_true left_there berlin runs
mv "$scratch/berlin.err" "$scratch/first.err"
join berlin -- ./nqueens 8
[ $? = 1 ] && said berlin 'a run ".*" goes on already, in cluster'
ok $? "but not while it goes on"
kill $redis_pid
wait $redis_pid
start_redis
until_true left_there amsterdam runs && until_true left_there berlin runs
ok $? "a meeting point that was restarted hears of it again"
join chemnitz -- ./nqueens 8
[ $? = 1 ] && said chemnitz 'a run ".*" goes on already, in cluster'
ok $? "by no other cluster either"
kill -KILL "$(gateway amsterdam)" "$(gateway berlin)"
left_there berlin runs
left=$?
[ $left = 0 ] || echo "# nothing is left there"
wait $pid $two
forget
for name in $names; do # so that this doesn't take them all
	redis-cli -s "$redis" expire "sateen:$run:$name" 2 >/dev/null
done
run_all ./nqueens 8
[ $left$statuses = 000 ] && grep -q '= 92$' "$scratch/amsterdam.out" && silent
ok $? "what killed gateways have left keeps it for some seconds only"
forget

begin 2
clusters=3 join amsterdam --wait 5s -- ./nqueens 8 &
pid=$!
join berlin --wait 5s -- ./nqueens 8
two=$?
wait $pid
[ $?$two = 11 ] && grep -h 'give all the same --clusters' \
	"$scratch/amsterdam.err" "$scratch/berlin.err" >/dev/null
ok $? "clusters that disagree on how many there are don't begin"
forget

begin 2
join amsterdam -- ./nqueens 8 &
pid=$!
join berlin -- ./fib 10
two=$?
wait $pid
[ $?$two = 11 ] && said amsterdam 'another program\|task' && said berlin task
ok $? "clusters that run different programs say so, each in one line"
forget

begin 2
join amsterdam -- env STN_BALANCER=chs ./sateen run -n 2 ./nqueens 8 &
pid=$!
join berlin -- ./sateen run -n 2 ./nqueens 8
two=$?
wait $pid
[ $?$two = 11 ] && said amsterdam 'node 2 has STN_BALANCER=crs, node 0 has .*chs' &&
	said berlin 'node 2 has STN_BALANCER=crs'
ok $? "and so do clusters with different balancers"
forget

begin 2
join amsterdam -- ./sateen run -n 2 --transport loop ./nqueens 8 &
pid=$!
join berlin -- ./sateen run -n 2 ./nqueens 8
two=$?
wait $pid
[ $?$two = 11 ] && grep -q 'transport loop is for' "$scratch/amsterdam.err"
ok $? "nodes of a cluster can't be threads of one process"
forget

# How runs end before their time.

# left NAME: processes of a program that still run.
nothing_left() {
	! pgrep -f "^$scratch/$1" >/dev/null
}

# long SILENCE: a run that takes long.
long() {
	begin 2
	join amsterdam --silence $1 -- ./sateen run -n 2 "$scratch/long" wait &
	one=$!
	join berlin --silence $1 -- ./sateen run -n 2 "$scratch/long" wait &
	two=$!
	until_true grep -q ready "$scratch/amsterdam.out"
}

# ends: both clusters of the long run end.
ends() {
	wait $one
	one=$?
	wait $two
	two=$?
}

# choose: $victim is one of berlin's nodes.
choose() {
	launcher=$(pgrep -P "$(gateway berlin)")
	victim=$(pgrep -P "$launcher" -f "^$scratch/long" | tail -n 1)
}

# blames_victim: both clusters do, its launcher knows how, and that is all.
blames_victim() {
	died="of cluster berlin (node . of the run) has died"
	killed='^sateen: node . of this cluster died during the run: signal 9'
	sed 's/^/# amsterdam: /' "$scratch/amsterdam.err"
	sed 's/^/# berlin: /' "$scratch/berlin.err"
	[ $one$two = 11 ] && [ "$(cat "$scratch"/*.err | wc -l)" = 3 ] &&
		grep -q "$died" "$scratch/amsterdam.err" &&
		grep -q "$died" "$scratch/berlin.err" &&
		grep -q "$killed" "$scratch/berlin.err"
}

long 2s
choose
kill -KILL "$victim"
ends
blames_victim
ok $? "when a node is killed, each site says so, and one how"
until_true nothing_left long
ok $? "and nothing is left running"
forget

long 60s
choose
kill -STOP "$(gateway amsterdam)" "$(gateway berlin)"
kill -KILL "$victim"
until_true sh -c "[ \$(pgrep -c -f '^$scratch/long') = 2 ]"
kill -CONT "$(gateway amsterdam)" "$(gateway berlin)"
ends
blames_victim
ok $? "and so they do if it is the last that the gateways hear of"
until_true nothing_left long
forget

long 2s
kill -KILL "$(gateway amsterdam)"
ends
[ $two = 1 ] && said berlin 'the gateway of cluster amsterdam is gone'
ok $? "when a gateway is killed, the others say so"
until_true nothing_left long
ok $? "and nothing is left running, on its side neither"
forget

long 2s
kill -STOP "$(gateway amsterdam)"
stopped=$(gateway amsterdam)
wait $two
[ $? = 1 ] && said berlin 'amsterdam has been silent for too long'
ok $? "nor does a run wait for a gateway that is stopped"
kill -KILL "$stopped"
wait $one
until_true nothing_left long
forget

trap '' HUP # as nohup does
limit='' long 2s # without the command timeout, which would undo it
trap - HUP
kill -HUP "$(gateway berlin)"
kill -TERM "$(gateway berlin)"
ends
[ $two = 143 ] && grep -q 'interrupted by signal 15' "$scratch/berlin.err" &&
	grep -q 'interrupted' "$scratch/amsterdam.err"
ok $? "an interrupted run ends everywhere, but not by what is ignored"
until_true nothing_left long
ok $? "with nothing left running"
forget

begin 2
join amsterdam -- ./nqueens 8 &
pid=$!
join berlin -- ./no-such-program
two=$?
wait $pid
[ $? = 1 ] && [ $two = 127 ] && grep -q "can't run ./no-such" \
	"$scratch/berlin.err" && said amsterdam 'cluster berlin: ./no-such'
ok $? "a command that isn't there ends the run, too"
forget

# fails HOW: berlin's command does, when its part of the run is over.
fails() {
	begin 2
	join amsterdam -- ./nqueens 8 &
	pid=$!
	join berlin -- sh -c './nqueens 8; "$@"' sh "$@"
	two=$?
	wait $pid && [ ! -s "$scratch/amsterdam.err" ]
}

fails sh -c 'kill -KILL $PPID' && [ $two = 137 ] &&
	said berlin 'sh was killed by signal 9'
ok $? "a command that is killed after the run is told of"
forget
fails exit 4 && [ $two = 4 ] &&
	said berlin 'sh ended with status 4 after the run'
ok $? "so is one that fails where no main has returned that status"
forget

# Strangers.

begin 2
out=$(./stranger port)
join amsterdam --wait 90s --ports "$out" -- ./nqueens 8 &
pid=$!
until_true sh -c "[ \"\$(./stranger flood '$out' 1)\" = 1 ]"
./stranger send "$out" "$strangers/half-a-hello" &
half=$!
./stranger sit "$out" 100 &
sits=$!
for file in garbage http client-hello; do
	./stranger send "$out" "$strangers/$file"
	ok $? "who sends $file is hung up on"
done
wait $half
ok $? "so is who stalls in the middle of a handshake"
wait $sits
ok $? "so are a hundred who send nothing"
./stranger crowd "$out" 100
ok $? "who is alone on its host is not, for another host's hundred"
count=$(./stranger flood "$out" 10000)
[ "$count" -gt 9000 ]
ok $? "and 10000 may come and go ($count did)"
kill -0 $pid
ok $? "the gateway is still there"
[ "$(wc -l <"$scratch/amsterdam.err")" -lt 20 ] &&
	grep -q 'refused a connection from 127.0.0.1' "$scratch/amsterdam.err"
ok $? "and has said so in few lines"
join berlin -- ./nqueens 8
[ $? = 0 ] && wait $pid && grep -q '= 92$' "$scratch/amsterdam.out"
ok $? "the run begins and ends as ever"
forget

begin 2
join amsterdam --ports "$out" -- ./tree -b 2 -d 11 -l 10ms & # for 10 s
pid=$!
join berlin -- ./tree -b 2 -d 11 -l 10ms &
two=$!
until_true left_there amsterdam runs
./stranger flood "$out" 10000 >"$scratch/reached" &
crowd=$!
./stranger send "$out" "$strangers/garbage" &
noise=$!
wait $crowd $noise
wait $two && wait $pid &&
	grep -q '^tree(2^11) = 2048 leaves$' "$scratch/amsterdam.out"
ok $? "a run goes on while 10000 strangers come and go"
# Who comes after its end reaches nobody.
count=$(cat "$scratch/reached")
[ "$count" -gt 9000 ]
ok $? "and most of them while it does ($count)"
forget

cat >"$scratch/visited" <<'END'
#!/bin/sh
# The command of a cluster at whose inner door strangers knock first.
port=${STN_GATEWAY##*:}
strangers=$1
shift
./stranger send "$port" "$strangers/garbage" &&
	./stranger send "$port" "$strangers/../fuzz/segment/control" &&
	exec "$@"
END
chmod +x "$scratch/visited"
begin 2
join amsterdam -- "$scratch/visited" "$strangers" ./nqueens 8 &
pid=$!
join berlin -- ./nqueens 8
[ $? = 0 ] && wait $pid && grep -q '= 92$' "$scratch/amsterdam.out" &&
	grep -q 'it is no node' "$scratch/amsterdam.err" &&
	grep -q "its token is not this run's" "$scratch/amsterdam.err"
ok $? "who isn't of the run is refused inside a cluster, too"
forget

# What can be read between gateways, and between a gateway and its nodes.

inner=$(./stranger port)
cat >"$scratch/inside" <<'END'
#!/bin/sh
# The command of a cluster whose nodes reach the gateway by way of a relay.
token=${STN_GATEWAY%%@*}
port=${STN_GATEWAY##*:}
relay=$1
record=$2
shift 2
./stranger relay "$relay" "$port" "$record" &
STN_GATEWAY=$token@127.0.0.1:$relay
export STN_GATEWAY
"$@"
status=$?
kill $!
exit $status
END
chmod +x "$scratch/inside"
watched() {
	relayed=$(./stranger port)
	real=$(./stranger port)
	./stranger relay "$relayed" "$real" "$scratch/between" &
	relays="$relays $!"
	join amsterdam --address 127.0.0.1:1 -- "$scratch/inside" "$inner" \
		"$scratch/within" ./nqueens 10 &
	pid=$!
	join berlin --ports "$real" --address "127.0.0.1:$relayed" -- \
		./nqueens 10
	two=$?
	wait $pid
}
begin 2
watched
[ $?$two = 00 ] && grep -q '= 724$' "$scratch/amsterdam.out"
ok $? "a run by way of relays, opened from the one side that can"
cat "$scratch/within" "$scratch/within.back" >"$scratch/all-within"
cat "$scratch/between" "$scratch/between.back" >"$scratch/all-between"
grep -q queens "$scratch/all-within"
ok $? "inside a cluster the names of tasks can be read"
[ -s "$scratch/all-between" ] && ! grep -q queens "$scratch/all-between"
ok $? "between clusters they can't"
forget

# The same names and secret once more, and what was said the last time.
redis-cli -s "$redis" flushall >/dev/null
join berlin --ports "$real" -- ./nqueens 8 &
pid=$!
until_true sh -c "[ \"\$(./stranger flood '$real' 1)\" = 1 ]"
./stranger send "$real" "$scratch/between"
ok $? "who sends what an earlier gateway sent is hung up on"
join amsterdam -- ./nqueens 8
[ $? = 0 ] && wait $pid && grep -q '= 92$' "$scratch/amsterdam.out" &&
	grep -q refused "$scratch/berlin.err"
ok $? "and refused; the true one gets in"

plan
