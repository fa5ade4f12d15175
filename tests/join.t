#!/bin/sh
# join.t: runs of several clusters on this host, each joined by `sateen join`:
# successful runs, failures, and strangers who connect to a gateway.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/gateways.sh"

data=$source_directory/tests/data
strangers=$data/strangers
(umask 77; head -c 32 /dev/urandom | base64 >"$scratch/other")

until_true redis-cli -s "$redis" ping
ok $? "a Redis server of our own"

# All nodes of these clusters share this host's cores.
export STN_WORKERS=1 STN_SURVIVE=no
number=0

# begin N: begins a new run of N clusters.
begin() {
	number=$((number + 1))
	run=run-$$-$number # unique, as this test may run twice at once
	clusters=$1
}

# run_all COMMAND...: each cluster of $names runs COMMAND; $statuses gets their
# exit statuses.
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

# silent: no cluster has printed anything on stderr.
silent() {
	cat "$scratch"/[a-z]*.err | sed 's/^/# /'
	! grep -q . "$scratch"/[a-z]*.err
}

# result FILE: what a program printed, except for the time it took.
result() {
	grep -v '^time' "$1"
}

# said CLUSTER PATTERN: the cluster has printed one line on stderr, which matches.
said() {
	[ "$(wc -l <"$scratch/$1.err")" = 1 ] &&
		grep -q -e "$2" "$scratch/$1.err"
	said_status=$?
	[ $said_status = 0 ] || sed "s/^/# $1: /" "$scratch/$1.err"
	return $said_status
}

# left_there CLUSTER WORD: prints the cluster's entry at the meeting point if it
# has this WORD.
left_there() {
	redis-cli -s "$redis" get "sateen:$run:$1" | grep "$2"
}

# nothing_there: the meeting point has no entry of any run.
nothing_there() {
	[ "$(redis-cli -s "$redis" dbsize)" = 0 ]
}

# forget: removes the output of this run.
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
ok $? "and no cluster prints anything else"
forget

# The run begins in amsterdam, so berlin gets work only through the gateways.
begin 2
run_all ./sateen run -n 2 --stats="json:$scratch/json" ./tree -b 2 -d 7 -l 10ms
[ "$statuses" = 00 ] && grep -qx 'tree(2^7) = 128 leaves' \
	"$scratch/amsterdam.out" && silent
ok $? "two clusters visit a tree whose leaves sleep"
members='total.stolen_wan clusters[1].counts.executed'
# shellcheck disable=SC2086 # a list
perl "$source_directory/tests/stats.pl" get "$scratch/json" $members \
	>"$scratch/crossed"
sed 's/^/# /' "$scratch/crossed"
[ "$(grep -c '^[1-9]' "$scratch/crossed")" = 2 ]
ok $? "work crosses the gateways, and the second cluster runs it"
forget

begin 2
names="amsterdam berlin"
STN_TRANSPORT=far run_all ./sateen run -n 3 ./nqueens 11
[ "$statuses" = 00 ] && grep -q '= 2680$' "$scratch/amsterdam.out" && silent
ok $? "all messages may go through the gateways"
forget

begin 3
names="amsterdam berlin chemnitz"
run_all ./sateen run -n 2 ./tsp "$source_directory/apps/tsp/burma14.tsp"
./tsp "$source_directory/apps/tsp/burma14.tsp" >"$scratch/alone"
[ "$statuses" = 000 ] && [ "$(result "$scratch/amsterdam.out")" = \
	"$(result "$scratch/alone")" ] && silent
ok $? "three clusters solve a travelling salesman problem"
forget

if [ -x ./raytracer ]; then
	scene=$source_directory/apps/raytracer/balls2.nff
	begin 3
	run_all ./sateen run -n 1 ./raytracer -o "$scratch/far.png" "$scene"
	./raytracer -o "$scratch/near.png" "$scene" >/dev/null
	[ "$statuses" = 000 ] && cmp "$scratch/far.png" "$scratch/near.png"
	ok $? "and draw a scene with every pixel right"
	forget
else
	skip "three clusters draw a scene" "libpng-dev"
fi

begin 2
names="amsterdam berlin"
run_all ./nqueens 10
[ "$statuses" = 00 ] && grep -q '= 724$' "$scratch/amsterdam.out" && silent
ok $? "a cluster of one node needs no launcher"
forget

begin 2
names="amsterdam berlin"
limit='prlimit --nofile=200:2000 timeout -k 5 100'
run_all sh -c 'ulimit -Sn; exec ./nqueens 8'
limit='timeout -k 5 100'
[ "$statuses" = 00 ] && grep -q '^200$' "$scratch/amsterdam.out" &&
	grep -q '^200$' "$scratch/berlin.out"
ok $? "the command has the limit of open files that the gateway was started with"
forget

begin 2
options='--ports 9000-x'
complains 2 'ports, such as 9000-9010' ./sateen join --run "$run" \
	--at "$redis" --secret-file "$scratch/secret" --cluster a \
	--clusters 2 $options -- true
ok $? "a malformed range of ports is refused"
options=

begin 2
options='--silence 30s' # crowd is one process, which reads for one node at a time
run_all ./crowd 200 4096
options=
megabytes=$(cat "$scratch/amsterdam.out")
[ "$statuses" = 00 ] && [ "$megabytes" -lt 100 ] && silent
ok $? "400 nodes' cards reach all nodes; a gateway uses $megabytes MB"
forget

# A gateway without a launcher ends its nodes' connections when the run fails, that
# of the node whose frame it handles, too.
for wrong in malformed twice early; do
	begin 2
	join amsterdam -- ./crowd 3 4 $wrong &
	pid=$!
	join berlin -- ./crowd 3 4
	two=$?
	wait $pid
	[ $?$two = 11 ] && said amsterdam 'node 0 has another version' &&
		grep -q 'cluster amsterdam: node 0 has another version' \
			"$scratch/berlin.err"
	ok $? "both clusters report wrong frames of a node ($wrong)"
	forget
done

# The second cluster's gateway stops reading its trunk while its node is full, for
# longer than the first one's --silence, and then counts the node as dead.
begin 2
join amsterdam --silence 5s -- ./crowd 1 4 sends &
pid=$!
join berlin --silence 12s -- ./crowd 1 4 hangs
two=$?
wait $pid
[ $?$two = 11 ] && said berlin 'node 1: it has not read what was sent' &&
	said amsterdam 'cluster berlin: node 1: it has not read what was sent'
ok $? "a node that hangs is the only one that is lost, not its whole cluster"
forget

# Addresses.

refused_at() {
	complains "$4" "$1" ./sateen join --run "$run" --at "$2" --address "$3" \
		--secret-file "$scratch/secret" --cluster a --clusters 2 -- true
}
begin 2
refused_at 'is not an IP address' "$redis" 2001:db8::1::2 1
ok $? "--address accepts only IP addresses, of either version"
refused_at 'is a link-local address' "$redis" fe80::1 1
ok $? "but no link-local address"
refused_at '^sateen join: --at: wants HOST:PORT of a Redis' ::1:6379 ::1 2
ok $? "an IPv6 address with a port must have brackets"
refused_at '^sateen join: --at: wants HOST:PORT of a Redis' h:99999 ::1 2
ok $? "a port that does not exist is refused"

begin 2
join berlin --wait 30s -- ./nqueens 8 &
pid=$!
until_true left_there berlin waits
left_there berlin waits >"$scratch/entry"
sed 's/^/# /' "$scratch/entry"
if [ "$(ip -o address show up scope global 2>/dev/null | wc -l)" = 0 ]; then
	skip "the entry has no loopback address" "another interface"
else
	! grep -q '127\.0\.0\.1\|\[::1\]\|\[fe80' "$scratch/entry"
	ok $? "the entry has no loopback address and no link-local one"
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
	ok $? "so do nodes and their gateway, with --interface as well"
	forget
fi
kill $six_pid
options=

prints '= 2680$' ./sateen run --gateways -n 5 --clusters 2,1,2 ./nqueens 11
ok $? "sateen run --gateways starts a Redis server, gateways and clusters"
prints '= 4$' env STN_REDIS_PASSWORD=other \
	./sateen run --gateways -n 2 --clusters 2 ./nqueens 6
ok $? "also if the password of another Redis server is set"
failed=0
for _ in 1 2 3 4 5 6; do
	prints '= 352$' ./sateen run --gateways -n 6 --clusters 3 ./nqueens 9 ||
		failed=1
	[ ! -s "$scratch/err" ] || failed=1
done
ok $failed "and does so six times, where clusters may be a round ahead of others"
# Both clusters' launchers write to the same file or pipe all the time.
output_of() {
	timeout -k 5 100 ./sateen run --gateways -n 4 --clusters 2 --survive yes \
		sh -c "$1; exec ./fib 5" 2>"$scratch/err"
}
line=$(seq -s , 4000)
output_of "yes $line | head -n 200" >"$scratch/out"
[ "$(grep -c -x -F "$line" "$scratch/out")" = 800 ]
ok $? "lines of 19 KB of several clusters stay whole in a file"
line=$(seq -s , 40)
found=$(output_of "yes $line | head -n 100000" | grep -c -x -F "$line")
[ "$found" = 400000 ]
ok $? "and lines of 110 bytes in a pipe"
complains 2 'joins clusters of a program' ./sateen run --gateways ./nqueens 5
ok $? "and requires several clusters"
complains 2 'from 2 to 256 clusters$' \
	./sateen run --gateways -n 257 --clusters 257 ./nqueens 5
ok $? "and no more than gateways can join"
complains 1 "can't make a directory in $scratch/none: No such file" \
	env TMPDIR="$scratch/none" \
	./sateen run --gateways -n 2 --clusters 2 ./nqueens 5
ok $? "and a directory for temporary files, which a message names"
# unfit PATTERN WORD...: sateen refuses to begin this with gateways
unfit() {
	pattern=$1
	command=$2
	shift 2
	complains 2 "$pattern" ./sateen "$command" --gateways -n 2 --clusters 2 \
		"$@" ./nqueens 5
	ok $? "sateen $command --gateways refuses ${*:-to simulate}"
}
unfit 'a simulation has no gateways; .*sateen run --gateways' sim
unfit 'leave --hosts out' run --hosts "$scratch/nohosts"
unfit 'leave --links out' run --links day-and-night
unfit 'leave --wan out' run --wan 1ms
unfit 'leave --max-nodes out' run --max-nodes 3
unfit 'write --metrics 0' run --metrics 9100
unfit 'metrics is "x", but it must be a port' run --metrics x
complains 1 "can't run redis-server: .*; install redis-server" \
	env PATH=/nowhere ./sateen run --gateways -n 2 --clusters 2 ./nqueens 5
ok $? "and Redis"
complains 2 'no option --silense' ./sateen join --run x --silense 5s
ok $? "an unknown option is named in the message"
complains 2 '--clusters: .* from 2 to 256$' ./sateen join --run x --at "$redis" \
	--cluster a --clusters 257 -- true
ok $? "so are the limits of --clusters"
complains 2 '--max-clusters: .* 256 at most' ./sateen join --run x --at "$redis" \
	--cluster a --clusters 2 --max-nodes 9 --max-clusters 257 -- true
ok $? "and of --max-clusters"

# Clusters that may not join.

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
ok $? "a secret that is too long is refused"
complains 2 'Is a directory' ./sateen join --run x --at "$redis" \
	--secret-file "$scratch" --cluster a --clusters 2 -- true
ok $? "so is a directory"
complains 1 "can't reach the Redis server at $scratch/none" ./sateen join \
	--run x --at "$scratch/none" --secret-file "$scratch/secret" \
	--cluster a --clusters 2 -- true
ok $? "without a meeting point the run fails"
# As with a server of another service, nobody answers.
kill -STOP $redis_pid
complains 1 "the Redis server at $redis: it has not answered for 5 s" \
	env STN_REDIS_PASSWORD=hush timeout -s KILL 30 ./sateen join --run x --at "$redis" \
	--secret-file "$scratch/secret" --cluster a --clusters 2 -- true
ok $? "so does it if the Redis server doesn't answer when a gateway logs in"
kill -CONT $redis_pid
complains 2 'wants a name' ./sateen join --run 'a b' --at "$redis" \
	--secret-file "$scratch/secret" --cluster a --clusters 2 -- true
ok $? "a name with a space is refused"

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
ok $? "a gateway with another secret can't connect, and both sides report it"
grep -q 'give all the same --secret-file' "$scratch/amsterdam.err"
ok $? "and say what to do"
grep -q 'refused a connection.*secret differs' "$scratch/amsterdam.err"
ok $? "the refusals are logged"
[ ! -s "$scratch/amsterdam.out" ]
ok $? "and nothing was run"
forget

begin 2
join amsterdam --wait 1s -- ./nqueens 8
[ $? = 1 ] && said amsterdam 'of 2 clusters, 1 have come within 1 s'
ok $? "a cluster without others gives up, and says what to do"
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
ok $? "and doesn't disturb the first"
nothing_there
ok $? "when a run is over, the meeting point has no entries"
forget

# A program with a name of its own, by which its processes are found.
cp ./die "$scratch/long"
names="amsterdam berlin"
run_all ./nqueens 8
[ "$statuses" = 00 ] && grep -q '= 92$' "$scratch/amsterdam.out" && silent
ok $? "so the run's name can be used again"
join amsterdam -- "$scratch/long" wait &
pid=$!
join berlin -- "$scratch/long" wait &
two=$!
until_true left_there amsterdam runs
until_true left_there berlin runs
mv "$scratch/berlin.err" "$scratch/first.err"
join berlin -- ./nqueens 8
[ $? = 1 ] && said berlin 'a run ".*" goes on already, in cluster'
ok $? "but not while the run goes on"
kill $redis_pid
wait $redis_pid
start_redis
until_true left_there amsterdam runs && until_true left_there berlin runs
ok $? "a restarted meeting point gets the entries again"
join chemnitz -- ./nqueens 8
[ $? = 1 ] && said chemnitz 'a run ".*" goes on already, in cluster'
ok $? "another cluster can't join the run then either"
kill -KILL "$(gateway amsterdam)" "$(gateway berlin)"
left_there berlin runs
left=$?
[ $left = 0 ] || echo "# there is no entry"
wait $pid $two
forget
for name in $names; do # in place of MEETING_EXPIRES, to save time
	redis-cli -s "$redis" expire "sateen:$run:$name" 2 >/dev/null
done
run_all ./nqueens 8
[ $left$statuses = 000 ] && grep -q '= 92$' "$scratch/amsterdam.out" && silent
ok $? "killed gateways' entries keep the name for some seconds only"
forget

begin 2
clusters=3 join amsterdam --wait 5s -- ./nqueens 8 &
pid=$!
join berlin --wait 5s -- ./nqueens 8
two=$?
wait $pid
[ $?$two = 11 ] && grep -h 'give all the same --clusters' \
	"$scratch/amsterdam.err" "$scratch/berlin.err" >/dev/null
ok $? "clusters with different --clusters don't begin"
forget

begin 2
join amsterdam -- ./nqueens 8 &
pid=$!
join berlin -- ./fib 10
two=$?
wait $pid
[ $?$two = 11 ] && said amsterdam 'another program\|task' && said berlin task
ok $? "clusters with different programs report that, each in one line"
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

# Runs that fail.

# nothing_left NAME: no process of this program runs any more.
nothing_left() {
	! pgrep -f "^$scratch/$1" >/dev/null
}

# long SILENCE: starts a run that lasts until it is ended. A process that gets no
# processor for so long counts as dead.
long() {
	begin 2
	join amsterdam --silence $1 -- ./sateen run -n 2 "$scratch/long" wait &
	one=$!
	join berlin --silence $1 -- ./sateen run -n 2 "$scratch/long" wait &
	two=$!
	until_true grep -q ready "$scratch/amsterdam.out"
}

# ends: waits for both clusters of the long run.
ends() {
	wait $one
	one=$?
	wait $two
	two=$?
}

# choose: sets $victim to a node of berlin.
choose() {
	launcher=$(pgrep -P "$(gateway berlin)")
	victim=$(pgrep -P "$launcher" -f "^$scratch/long" | tail -n 1)
}

# blames_victim: both clusters report the victim's death, its launcher reports
# how it died, and nothing else is printed.
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

long 60s
choose
kill -KILL "$victim"
ends
blames_victim
ok $? "when a node is killed, each cluster reports it, and one of them how"
until_true nothing_left long
ok $? "and nothing is left running"
forget

long 60s
choose
kill -STOP "$(gateway amsterdam)" "$(gateway berlin)"
kill -KILL "$victim"
until_true sh -c "[ \$(pgrep -c -f '^$scratch/long') -le 2 ]" # berlin's nodes have ended
kill -CONT "$(gateway amsterdam)" "$(gateway berlin)"
ends
blames_victim
ok $? "also if the gateways learn of it last"
until_true nothing_left long
forget

long 60s
kill -KILL "$(gateway amsterdam)"
ends
[ $two = 1 ] && said berlin 'the gateway of cluster amsterdam is gone'
ok $? "when a gateway is killed, the other one reports it"
until_true nothing_left long
ok $? "and nothing is left running, also in its own cluster"
forget

long 4s
kill -STOP "$(gateway amsterdam)"
stopped=$(gateway amsterdam)
wait $two
[ $? = 1 ] && said berlin 'amsterdam has been silent for too long'
ok $? "a run doesn't wait for a stopped gateway"
kill -KILL "$stopped"
wait $one
until_true nothing_left long
forget

trap '' HUP # as nohup does
limit='' long 60s # without timeout, which would no longer ignore HUP
tidy_on HUP
kill -HUP "$(gateway berlin)"
kill -TERM "$(gateway berlin)"
ends
[ $two = 143 ] && grep -q 'interrupted by signal 15' "$scratch/berlin.err" &&
	grep -q 'interrupted' "$scratch/amsterdam.err"
ok $? "an interrupted run ends everywhere; an ignored signal doesn't end it"
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
ok $? "a command that doesn't exist ends the run"
forget

# fails COMMAND: berlin's command does so when its part of the run is over.
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
ok $? "a command that is killed after the run is reported"
forget
fails exit 4 && [ $two = 4 ] &&
	said berlin 'sh ended with status 4 after the run'
ok $? "so is one that fails in a cluster without node 0"
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
	ok $? "a stranger that sends $file is disconnected"
done
wait $half
ok $? "so is one that stalls in the middle of a TLS handshake"
wait $sits
ok $? "so are a hundred that send nothing"
./stranger crowd "$out" 100
ok $? "one connection of a host survives a hundred of another host"
count=$(./stranger flood "$out" 10000)
[ "$count" -gt 9000 ]
ok $? "10000 strangers may come and go ($count did)"
kill -0 $pid
ok $? "the gateway is still there"
[ "$(wc -l <"$scratch/amsterdam.err")" -lt 20 ] &&
	grep -q 'refused a connection from 127.0.0.1' "$scratch/amsterdam.err"
ok $? "and has reported the refusals in few lines"
join berlin -- ./nqueens 8
[ $? = 0 ] && wait $pid && grep -q '= 92$' "$scratch/amsterdam.out"
ok $? "the run begins and ends as without strangers"
forget

# A gateway that has no descriptors left, because of strangers.
ticks() {
	awk '{ print $14 + $15 }' "/proc/$1/stat"
}
has_all() {
	[ -e "/proc/$1/fd/23" ]
}
begin 2
limit='prlimit --nofile=24 timeout -k 5 100' join amsterdam --wait 90s \
	--ports "$out" -- ./nqueens 8 &
pid=$!
until_true sh -c "[ \"\$(./stranger flood '$out' 1)\" = 1 ]"
waiting=$(gateway amsterdam)
./stranger sit "$out" 60 &
sits=$!
until_true has_all "$waiting"
full=$?
before=$(ticks "$waiting")
sleep 2
used=$(($(ticks "$waiting") - before))
[ $full = 0 ] && [ $used -lt 10 ]
ok $? "a gateway without descriptors sleeps ($used ticks of the processor in 2 s)"
kill $sits "$waiting"
wait $sits $pid
forget

# It goes on until they have gone. Each full backlog costs them 1 s.
HELD_UNTIL=$scratch/may_end
export HELD_UNTIL
begin 2
limit='timeout -k 5 300' join amsterdam --ports "$out" -- ./held &
pid=$!
limit='timeout -k 5 300' join berlin -- ./held &
two=$!
until_true left_there amsterdam runs
./stranger flood "$out" 10000 >"$scratch/reached" &
crowd=$!
./stranger send "$out" "$strangers/garbage" &
noise=$!
wait $crowd $noise
: >"$HELD_UNTIL"
wait $two
there=$?
wait $pid
here=$?
[ "$here$there" = 00 ] &&
	grep -q '^held: trees of 243 leaves$' "$scratch/amsterdam.out"
status=$?
[ $status = 0 ] || echo "# statuses $here $there"
[ $status = 0 ] || sed 's/^/# /' "$scratch/amsterdam.err" "$scratch/berlin.err"
ok $status "a run goes on while 10000 strangers come and go"
count=$(cat "$scratch/reached")
[ "$count" -gt 9000 ]
ok $? "most of them reached its gateway ($count)"
forget

# Nobody reads a gateway's standard error, a pipe that is full.
begin 2
mkfifo "$scratch/amsterdam.err"
exec 9<>"$scratch/amsterdam.err"
dd if=/dev/zero of="$scratch/amsterdam.err" oflag=nonblock bs=4096 2>/dev/null
join amsterdam --ports "$out" -- ./nqueens 8 &
pid=$!
until_true sh -c "[ \"\$(./stranger flood '$out' 1)\" = 1 ]"
./stranger send "$out" "$strangers/http"
join berlin -- ./nqueens 8
there=$?
cat "$scratch/amsterdam.err" >"$scratch/read" 9<&- &
reader=$!
exec 9<&-
wait $pid
[ $?$there = 00 ] && wait $reader && grep -q '= 92$' "$scratch/amsterdam.out" &&
	grep -aq 'refused a connection from 127.0.0.1' "$scratch/read"
ok $? "a run goes on while a gateway can't print its lines"
rm "$scratch/read"
forget

cat >"$scratch/visited" <<'END'
#!/bin/sh
# The command of a cluster whose inner listener strangers reach first.
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
	grep -q 'it is not a node' "$scratch/amsterdam.err" &&
	grep -q "its token is not this run's" "$scratch/amsterdam.err"
ok $? "a stranger is refused inside a cluster as well"
forget

# Encryption between gateways; none between a gateway and its nodes.

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
ok $? "a run through relays, where only one gateway can connect"
cat "$scratch/within" "$scratch/within.back" >"$scratch/all-within"
cat "$scratch/between" "$scratch/between.back" >"$scratch/all-between"
grep -q queens "$scratch/all-within"
ok $? "within a cluster the names of tasks can be read"
[ -s "$scratch/all-between" ] && ! grep -q queens "$scratch/all-between"
ok $? "between clusters they can't"
forget

# The same names and secret again, and a replay of the last run's bytes.
redis-cli -s "$redis" flushall >/dev/null
join berlin --ports "$real" -- ./nqueens 8 &
pid=$!
until_true sh -c "[ \"\$(./stranger flood '$real' 1)\" = 1 ]"
./stranger send "$real" "$scratch/between"
ok $? "a stranger that replays an earlier gateway's bytes is disconnected"
join amsterdam -- ./nqueens 8
[ $? = 0 ] && wait $pid && grep -q '= 92$' "$scratch/amsterdam.out" &&
	grep -q refused "$scratch/berlin.err"
ok $? "and the refusal is reported; the real gateway gets in"

plan
