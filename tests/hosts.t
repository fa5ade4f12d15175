#!/bin/sh
# hosts.t: sateen run --hosts. A script replaces ssh and runs its command on this
# machine. So the test needs no server and can use any number of hosts.
. "$(dirname "$0")/tap.sh"

die=$scratch/die # a name of its own, to look for
cp die "$die"
hosts=$scratch/hosts
printf 'h1 slots=2\nh2 slots=2\n' >"$hosts"

# Arguments as for ssh: options, the host, and a command for its shell.
cat >"$scratch/ssh" <<'END'
#!/bin/sh
while [ "${1#-}" != "$1" ]; do
	shift 2
done
HOST_NAME=$1
export HOST_NAME
case $HOST_NAME in
nowhere)
	echo "ssh: Could not resolve hostname nowhere" >&2
	exit 255
	;;
noisy)
	echo "You have mail."
	printf "noisy> "
	echo "Welcome to noisy." >&2
	;;
old)
	echo "sateen agent 0.0.1/1: 1 nodes"
	exit
	;;
mute)
	exit 3
	;;
lasting)
	sh -c "$2"
	exec sleep 1000
	;;
chatty)
	yes "no agent"
	;;
esac
here=${0%/*}
cd /
if [ -d "$here/door" ]; then
	# As with sshd's MaxStartups, the eleventh connection fails until another
	# one has logged in.
	if [ "$(ls "$here/door" | wc -l)" -ge 10 ]; then
		echo "kex_exchange_identification: Connection reset" >&2
		exit 255
	fi
	: >"$here/door/$HOST_NAME"
	sh -c "$2" | {
		read -r line
		rm "$here/door/$HOST_NAME"
		echo "$line"
		exec cat
	}
	exit
fi
case $HOST_NAME in
bare)
	exec env -i PATH="$PATH" TAP_SCRATCH="${TAP_SCRATCH-}" sh -c "$2"
	;;
told)
	[ -z "${STN_REDIS_PASSWORD-}" ] || : >"$here/leaked"
	tee "$here/orders" | sh -c "$2"
	exit
	;;
heard)
	sh -c "$2" | tee "$here/heard"
	exit
	;;
late)
	sh -c "$2" | sh -c 'echo $$ >"$0"; exec cat' "$here/relay"
	exit
	;;
esac
exec sh -c "$2"
END
chmod +x "$scratch/ssh"

# $on FILE OPTIONS...
on="timeout 100 ./sateen run --ssh $scratch/ssh --hosts"

nothing_left() {
	! pgrep -f "^$die" >/dev/null
	ok $? "nothing is left of it"
}

# A run on hosts gives the same results as a run here.

prints '^fib(20) = 6765$' $on "$hosts" ./fib 20
ok $? "a program gives its result on two hosts"
prints '^api: all right$' $on "$hosts" --workers 2 ./api
ok $? "and api, which makes every call, works"
$on "$hosts" "$die" return
[ $? = 5 ]
ok $? "the status of node 0's main is the run's"
$on "$hosts" "$die" main
[ $? = 7 ]
ok $? "so is the status that main passes to exit()"

# who OPTIONS...: the environment of each node, one per line.
who() {
	$on "$@" sh -c 'echo "$HOST_NAME $STN_RANK of $STN_NODES $STN_CLUSTERS"
		exec ./fib 5' 2>"$scratch/err" | grep -v '^fib\|^time' | sort
}

is() {
	[ "$1" = "$2" ] || echo "# $1"
	[ "$1" = "$2" ]
}

is "$(who "$hosts")" "h1 0 of 4 1
h1 1 of 4 1
h2 2 of 4 1
h2 3 of 4 1"
ok $? "each host has its nodes"
is "$(who "$hosts" -n 3)" "h1 0 of 3 1
h1 1 of 3 1
h2 2 of 3 1"
ok $? "fewer nodes fill the first hosts"
printf 'h1\nh2\n' >"$scratch/plain"
is "$(who "$scratch/plain")" "h1 0 of 2 1
h2 1 of 2 1"
ok $? "by default each host has one node"
is "$(who "$scratch/plain" -n 5)" "h1 0 of 5 1
h1 1 of 5 1
h1 2 of 5 1
h2 3 of 5 1
h2 4 of 5 1"
ok $? "more nodes are spread evenly over hosts"
is "$(who "$scratch/plain" --per 2)" "h1 0 of 4 1
h1 1 of 4 1
h2 2 of 4 1
h2 3 of 4 1"
ok $? "--per sets the nodes of each host"
printf '[a]\nh1:2\n[b]\nh2\n[a]\nh3\n' >"$scratch/clusters"
is "$(who "$scratch/clusters")" "h1 0 of 4 3,1
h1 1 of 4 3,1
h2 3 of 4 3,1
h3 2 of 4 3,1"
ok $? "clusters follow the hosts"
prints '^fib(20) = 6765$' $on "$scratch/clusters" --wan 1ms ./fib 20
ok $? "and emulated links may join them"
printf 'noisy\nh1\n' >"$scratch/noisy"
is "$(who "$scratch/noisy")" "h1 1 of 2 1
noisy 0 of 2 1"
ok $? "the output of a host's shell is skipped"
grep -q '^Welcome to noisy.$' "$scratch/err"
ok $? "and its standard error is passed on"

seq -f 'h%g' 32 >"$scratch/many"
on_few="prlimit --nofile=40: $on"
is "$(on=$on_few who "$scratch/many" | wc -l)" 32
ok $? "the launcher raises its limit of descriptors for many hosts"
complains 1 "^sateen: host h[0-9]*: can't start ssh: Too many open files" \
	prlimit --nofile=40:40 $on "$scratch/many" ./fib 5
ok $? "but not above the hard limit"
complains 1 "^sateen: node [0-9]* ended (status 3)" \
	prlimit --nofile=64:64 ./sateen run -n 24 sh -c 'exit 3'
ok $? "local nodes take two descriptors each"
mkdir "$scratch/door"
is "$(who "$scratch/many" | wc -l)" 32
ok $? "calls at once stay below the limit of a gateway host"
rmdir "$scratch/door"

# The directory, the settings and the arguments of the program.

is "$($on "$hosts" -n 1 sh -c 'pwd; echo "$STN_BALANCER $#"; echo "$2"
	exec ./fib 5' name one "a b'\"\$x  c" -b cls 3 2>&1 | head -n 3)" \
	"$(pwd)
crs 5
a b'\"\$x  c"
ok $? "the program has our directory, our settings and its exact arguments"
is "$($on "$hosts" -b cls sh -c 'echo "$STN_BALANCER" >&2; exec ./fib 5' \
	2>&1 >/dev/null | sort -u)" cls
ok $? "options are settings of all nodes, whose stderr is passed on"

echo bare >"$scratch/bare"
# exported OPTIONS...: what reaches the host's node of the variables ONE, TWO and TEN.
exported() {
	ONE=1 TWO='a=b, c' TEN=10 $on "$scratch/bare" "$@" \
		sh -c 'echo "<$ONE><$TWO><$TEN>"; exec ./fib 5' | grep '^<'
}
is "$(exported)" '<><><>' &&
	is "$(exported --export TWO)" '<><a=b, c><>' &&
	is "$(exported --export 'ONE,T*')" '<1><a=b, c><10>'
ok $? "--export passes on the variables that it names, and no others"

# A password that only gateways need. A shell has it if it is set to nothing, too.
export STN_REDIS_PASSWORD=hush
passwords() {
	"$@" sh -c 'echo "<${STN_REDIS_PASSWORD-none}>"; exec ./fib 5' |
		grep '^<' | sort | uniq -c | tr -d ' '
}
printf 'told\nh1\n' >"$scratch/told"
is "$(passwords $on "$scratch/told")" '2<none>' &&
	[ -s "$scratch/orders" ] && ! grep -q hush "$scratch/orders" &&
	[ ! -e "$scratch/leaked" ]
ok $? "nodes on hosts do not get the password of a Redis server, nor does ssh"
is "$(passwords ./sateen run -n 2)" '2<none>'
ok $? "nor do nodes on this host"
unset STN_REDIS_PASSWORD

# Binding to cores.

if grep -q '^#define HAVE_HWLOC' config.h; then
	$on "$scratch/plain" --per core sh -c \
		'echo "$HOST_NAME at $(taskset -cp $$ | sed "s/.*: //")"
		exec ./fib 5' | grep ' at ' | sort >"$scratch/out"
	[ "$(sort -u "$scratch/out" | wc -l)" = "$(wc -l <"$scratch/out")" ] &&
		is "$(grep -c ^h1 "$scratch/out")" \
			"$(grep -c ^h2 "$scratch/out")"
	ok $? "with --per core each node of a host has another core"
else
	skip "nodes on cores" "libhwloc-dev"
fi
allowed=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
taskset -c "$allowed" ./sateen run -n 1 --stats=json:"$scratch/json" ./fib 5 \
	>/dev/null
grep -q '"workers": 1,' "$scratch/json"
ok $? "a node that is bound to one core has one worker"

# Standard input and output.

$on "$hosts" sh -c 'seq -f "$STN_RANK %g" 20000; exec ./fib 5' \
	>"$scratch/out"
awk '$1 < 4 && NF == 2 && $2 == ++last[$1] { lines++ }
	/^fib|^time/ { others++ }
	END { exit !(lines == 80000 && NR == lines + others) }' "$scratch/out"
ok $? "all lines of each node come in order"
# The output is longer than an agent passes on at once.
line=$(seq -s , 30)
$on "$hosts" sh -c 'yes "$STN_RANK $0" | head -n 20000; exec ./fib 5' \
	"$line" | grep -v '^fib\|^time' | sort | uniq -c >"$scratch/out"
is "$(sed 's/^ *//' "$scratch/out")" "20000 0 $line
20000 1 $line
20000 2 $line
20000 3 $line"
ok $? "and no line is split, though several hosts send at once"
seq 200000 >"$scratch/in"
$on "$hosts" sh -c '[ $STN_RANK != 0 ] || cat; exec ./fib 5' \
	<"$scratch/in" | grep -v '^fib\|^time' | cmp - "$scratch/in"
ok $? "node 0 reads our standard input"
is "$($on "$hosts" sh -c '[ $STN_RANK != 0 ] || head -n 1; exec ./fib 5' \
	<"$scratch/in" | grep -v time)" "1
fib(5) = 5"
ok $? "but need not read all of it"
is "$($on "$hosts" sh -c 'printf "no end"; exec ./fib 5' -n 1 |
	tr '\n' '|' | grep -o 'no end')" "$(yes "no end" | head -n 4)"
ok $? "a last line without a newline comes, too"
$on "$hosts" sh -c 'yes $STN_RANK | head -n 100000; exec "$0" wait' \
	"$die" 2>"$scratch/err" | head -n 1 >/dev/null
grep -q "^sateen: nobody reads the nodes' output any more$" "$scratch/err"
ok $? "a run ends when its output has no reader"
nothing_left
complains 1 "^sateen: can't write the nodes' output: No space left" \
	sh -c '$0 ./fib 20 >/dev/full' "$on $hosts"
ok $? "or no room, and says so"
prints '^fib(20) = 6765$' sh -c '$0 ./fib 20 <&- 2>&-' "$on $hosts"
ok $? "standard input and errors may be closed"
$on "$hosts" ./fib 20 <&- >&- 2>&-
[ $? = 1 ]
ok $? "if all three are, the run ends, and its lost output is a failure"

# Ends of nodes, agents and launchers.

complains 1 'node [123] on h[12] died during the run: signal 9' \
	$on "$hosts" --survive no "$die" abroad
ok $? "a node that is killed is named, with its host"
nothing_left
complains 1 'node 3 on h2 died before the run: signal 9' $on "$hosts" sh -c \
	'[ $STN_RANK = 3 ] && kill -9 $$; exec ./fib 5'
ok $? "also before the run"
# The report of a death may come after other nodes' complaints about it.
printf 'heard\nlate\n' >"$scratch/slow"
mkfifo "$scratch/begun"
$on "$scratch/slow" --survive no sh -c 'echo $$ >"$0.$STN_RANK"; exec "$1" wait' \
	"$scratch/node" "$die" >"$scratch/begun" 2>"$scratch/err" &
read -r _ <"$scratch/begun"
kill -STOP "$(cat "$scratch/relay")"
kill -KILL "$(cat "$scratch/node.1")"
until_true grep -q 'node 1 is gone' "$scratch/heard"
kill -CONT "$(cat "$scratch/relay")"
wait $!
is "$(cat "$scratch/err")" \
	"sateen: node 1 on late died during the run: signal 9, Killed"
ok $? "even if the report of the death comes late"
complains 1 'host h2: lost its agent, and 2 nodes with it' \
	$on "$hosts" sh -c '[ $STN_RANK = 2 ] && kill -9 $PPID
	exec "$0" wait' "$die"
ok $? "an agent that is killed is named, with its host"
complains 1 'host h2: its agent was ended by signal 15' \
	$on "$hosts" --survive no sh -c '[ $STN_RANK = 2 ] && kill $PPID
	exec "$0" wait' "$die"
ok $? "an agent that a signal ends says so"
nothing_left
complains 1 "host h1: can't run ./no-such-program: No such file" \
	$on "$scratch/plain" -n 1 ./no-such-program
ok $? "a program that does not exist is named"
complains 1 'on h[12] ended (status 0) before it joined the run; is true' \
	$on "$scratch/plain" true
ok $? "a program without Sateen is named"
complains 1 'host h[12]: node [01]: node [01] has a task "[a-z]* [a-z]*(' \
	$on "$scratch/plain" sh -c \
	'[ $STN_RANK = 1 ] && exec ./api; exec ./die return'
ok $? "different programs on hosts are refused"

# The launcher must not block, or the agents end their nodes after 2 s.
mkfifo "$scratch/errors"
exec 7<>"$scratch/errors"
$on "$hosts" --silence 2s sh -c 'yes | head -n 100000 >&2; exec ./fib 5' \
	>"$scratch/out" 2>"$scratch/errors" 7>&- &
until_true grep -qx 'fib(5) = 5' "$scratch/out"
ok $? "the run goes on while nobody reads its standard error"
grep -c '^y$' <"$scratch/errors" >"$scratch/err" 7>&- &
reader=$!
exec 7>&-
wait "$reader"
is "$(cat "$scratch/err")" 400000
ok $? "a slow reader of standard error gets all of it"

if [ -n "${STN_LONG:-}" ]; then
	echo lasting >"$scratch/lasting"
	prints '^fib(5) = 5$' $on "$scratch/lasting" -n 2 ./fib 5
	ok $? "the launcher waits only briefly for an ssh without an agent"

	# Longer than the launcher waits for an ssh without nodes.
	lines=$($on "$hosts" sh -c 'yes | head -n 100000; exec ./fib 5' |
		(sleep 8 && grep -c '^y$'))
	is "$lines" 400000
	ok $? "a slow reader of the output gets all of it"
else
	skip "an ssh that doesn't end with its agent" "STN_LONG=1"
fi

# Every process of the run holds the fifo open.
mkfifo "$scratch/held" "$scratch/ready"
for signal in KILL INT TERM HUP; do
	env --default-signal=INT,HUP ./sateen run --ssh "$scratch/ssh" \
		--hosts "$hosts" "$die" wait 9>"$scratch/held" \
		>"$scratch/ready" 2>"$scratch/err" &
	exec 8<"$scratch/held"
	read -r _ <"$scratch/ready"
	kill -$signal $!
	wait $! 2>/dev/null
	status=$?
	timeout 50 cat <&8
	ok $? "when SIG$signal ends the launcher, all other processes end"
	exec 8<&-
	[ $signal = KILL ] && continue
	[ $status -gt 128 ] && grep -q 'interrupted' "$scratch/err" &&
		[ "$(wc -l <"$scratch/err")" = 1 ]
	ok $? "the launcher says so in a line, with a status over 128 ($status)"
done

for where in "" "--ssh $scratch/ssh --hosts $hosts"; do
	(trap '' HUP && exec ./sateen run $where "$die" wait) \
		>"$scratch/ready" 2>"$scratch/err" &
	read -r _ <"$scratch/ready"
	kill -HUP $!
	kill -TERM $!
	wait $!
	is "$(cat "$scratch/err")" "sateen: interrupted by signal 15"
	ok $? "an ignored signal, as with nohup, ends no run${where:+ on hosts}"
done

# A host that fails is named in one line, and the run leaves no process behind.

refuses() {
	complains 1 "$@"
	ok $? "refuses, naming \"$1\""
}

# misused PATTERN COMMAND...: the command line, or the file of hosts, is wrong.
misused() {
	complains 2 "$@"
	ok $? "is misused, naming \"$1\""
}

# refuses_host PATTERN HOST
refuses_host() {
	printf 'h1\n%s\n' "$2" >"$scratch/bad"
	refuses "$1" $on "$scratch/bad" ./fib 5
}

refuses_host '^sateen: host nowhere: ssh: Could not resolve hostname nowhere' \
	nowhere
refuses_host '^sateen: host old: its Sateen is version 0.0.1/1, and this is' \
	old
refuses_host '^sateen: host mute: no agent answers (ssh ended with status 3)' \
	mute
refuses_host '^sateen: host chatty: the answer is not an agent.s: "no agent"' \
	chatty
refuses '^sateen: host h[12]: no Sateen runs there as /no/sateen (.*not found' \
	$on "$hosts" --remote /no/sateen ./fib 5
refuses "^sateen: host h[12]: can't run no-such-ssh" \
	./sateen run --hosts "$hosts" --ssh no-such-ssh ./fib 5
refuses "can't read hosts from $scratch/none: No such file" \
	$on "$scratch/none" ./fib 5
for word in -oProxyCommand=x slots=0; do
	printf 'h1\n%s\n' $word >"$scratch/bad"
	misused "line 2: \"$word\" is no host" $on "$scratch/bad" ./fib 5
done
misused '2 hosts have room for 4 nodes, and -n says 5' $on "$hosts" -n 5 ./fib 5
misused 'has clusters, and so has --clusters' \
	$on "$scratch/clusters" --clusters 2 ./fib 5
misused '3 clusters need at least as many nodes' \
	$on "$hosts" -n 2 -c 3 ./fib 5
misused 'no node is left for cluster "b"' $on "$scratch/clusters" -n 3 ./fib 5
misused 'transport loop is for nodes of one process' \
	$on "$hosts" --transport loop ./fib 5
misused 'transport sim is for nodes of one process' \
	./sateen sim --hosts "$hosts" ./fib 5
misused 'per is "socket"; it can be host, numa, core or how many nodes' \
	$on "$hosts" --per socket ./fib 5
misused 'remote is "it.s"; it can' $on "$hosts" --remote "it's" ./fib 5
misused 'export names NO_SUCH, and this environment has no such variable; set' \
	$on "$hosts" --export PATH,NO_SUCH ./fib 5
misused 'export has an empty name' $on "$hosts" --export PATH, ./fib 5
misused 'no balancer "cilk"' $on "$hosts" --balancer cilk ./fib 5
refuses 'agents are started by' sh -c 'script -qec "./sateen agent" \
	/dev/null </dev/null >&2; exit 1'
nothing_left

plan
