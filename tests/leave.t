#!/bin/sh
# leave.t: nodes of a run are told to leave, by SIGTERM or by `sateen leave`, and it
# goes on: the right result appears once, and no node counts as dead.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/processes.sh"

XDG_RUNTIME_DIR=$scratch/run
export XDG_RUNTIME_DIR
mkdir "$XDG_RUNTIME_DIR"

# The nodes are children of one of these: the launcher, or agents.
parents=
node() {
	# shellcheck disable=SC2046 # a list
	node_among "$1" $(for parent in $parents; do children "$parent"; done)
}

# begin OPTION... PROGRAM: starts a run, which other commands can reach.
begin() {
	start ./sateen run --workers 1 "$@"
	parents=$launcher
	until_true test -S "$XDG_RUNTIME_DIR/sateen/$launcher"
}

# begin_here OPTIONS...: a run of four nodes on this host, which have begun.
begin_here() {
	begin -n 4 "$@"
	await_nodes 0 1 2 3
	await_asleep "$launcher"
}

result=$held_result
left='^sateen: node [0-9].* left the run$'

# goes_on LEFT SUMMARY: the run ends well when LEFT nodes have left it, and the last
# line begins with SUMMARY.
goes_on() {
	until_true has_lines "$1" "$left"
	finish
	[ $status = 0 ] && [ "$(grep -c "^$result$" "$scratch/run.out")" = 1 ] &&
		[ "$(grep -c "$left" "$scratch/run.err")" = "$1" ] &&
		grep -q "^sateen: nodes $2; records run again: " \
			"$scratch/run.err" || show_run
}

for balancer in rs crs rp chs cls lrs; do
	# shellcheck disable=SC2086 # lists
	begin_here --survive yes -b $balancer --grace 200ms ./held
	strike TERM 2
	goes_on 1 'left: 1' && ! grep -q died "$scratch/run.err"
	ok $? "$balancer: a node leaves"
	# shellcheck disable=SC2086
	begin_here --survive yes -b $balancer --grace 200ms ./held
	strike TERM 0 3
	goes_on 2 'left: 2'
	ok $? "$balancer: the root and another node leave"
done

begin_here --survive yes --grace 300ms ./held
strike TERM 0 1
strike KILL 3
goes_on 2 'died: 1, left: 2'
ok $? "a node dies while two leave"

# Both files are written in large pieces, and results once a second.
begin_here --survive yes --keep "$scratch/logs" --keep-all yes \
	--message-log "$scratch/log" ./held
await_work 2
strike TERM 2
goes_on 1 'left: 1' &&
	[ -n "$(find "$scratch/logs" -name 'sateen-*-2.log')" ] &&
	grep -q ' send farewell ' "$scratch/log.2"
ok $? "the logs of a node that leaves are complete"

begin_here --survive yes ./held
strike TERM 0 1 2 3
all_told='sateen: all nodes that live have been told to leave'
until_true grep -qx "$all_told" "$scratch/run.err"
finish
# A node may have left before the launcher hears of the last signal.
[ $status = 1 ] && [ "$(grep -v "$left" "$scratch/run.err")" = "$all_told" ] || show_run
ok $? "when all nodes are told to leave, the run fails"

# Bit 14 is SIGTERM, on which timeout(1) relies.
prints '^SigBlk:.*[0-389ab]...$' ./sateen run -n 2 --survive yes ./ordinary child
ok $? "programs that a task starts don't block SIGTERM"

# knapsack handles signals while it searches. A shell has background jobs ignore SIGINT;
# env undoes that.
shows_bound() {
	grep -q '^SigCgt:.*[2367abef]$' "/proc/$(node 0)/status"
}
start env --default-signal=INT ./sateen run -n 2 --workers 1 --survive yes \
	--grace 200ms ./knapsack -g 64 --constraints 10
parents=$launcher
until_true shows_bound
strike TERM 0
until_true has_lines 1 "$left"
status=$?
kill -KILL "$launcher"
wait "$run"
ok $status "a node leaves whose program shows the best solution when it is ended"

threads=3 # nothing to read views
begin_here --survive no ./held
strike TERM 2
finish
[ $status = 1 ] && [ "$(wc -l <"$scratch/run.err")" = 1 ] && grep -q \
	'^sateen: node 2 died during the run: signal 15' "$scratch/run.err" || show_run
ok $? "without survival, SIGTERM is a death that ends the run"

# Commands that speak to the launcher.
begin_here --survive no ./held
prints "^$launcher  *4 .*this host  *\./held$" ./sateen runs
ok $? "sateen runs lists a run"
complains 1 'does not survive the loss of nodes' ./sateen leave "$launcher" node 1
ok $? "the nodes of a run without survival can't leave"
kill -KILL "$launcher"
finish
[ -S "$XDG_RUNTIME_DIR/sateen/$launcher" ] && [ -z "$(./sateen runs)" ] &&
	! [ -e "$XDG_RUNTIME_DIR/sateen/$launcher" ]
ok $? "a run whose launcher was killed is not listed, and its socket removed"

# The launcher answers a client that is gone. Without survival it doesn't watch for
# readers of its nodes' output that are gone.
begin_here --survive no ./held
kill -STOP "$launcher"
complains 0 "the launcher of run $launcher does not answer" ./sateen runs
kill -CONT "$launcher"
prints "^$launcher  *4 " ./sateen runs
ok $? "a client that does not wait for its answer does no harm"
kill -TERM "$launcher"
finish

threads=4
begin_here --survive yes --grace 300ms ./held
prints '^node 1 has left$' ./sateen leave "$launcher" node 1
ok $? "sateen leave waits until the node has left"
complains 1 'has no node "4"' ./sateen leave "$launcher" node 4
ok $? "there is no such node"
complains 1 'no nodes on a host "h1", but on this host' \
	./sateen leave "$launcher" h1
ok $? "there is no such host"
complains 1 'there is no run 1 of yours on this host' ./sateen leave 1 h1
ok $? "there is no such run"
goes_on 1 'left: 1'
ok $? "and the run goes on"
# A launcher answers eight requests at a time. These clients don't wait for the answer.
begin_here --survive yes --silence 60s ./held
stopped=$(node 1)
kill -STOP "$stopped" # so it can't leave while they ask
for _ in 1 2 3 4 5 6 7 8; do
	timeout 2 ./sateen leave "$launcher" node 1 >/dev/null 2>&1 &
	gone="${gone-} $!"
done
# shellcheck disable=SC2086 # a list
wait $gone
timeout 2 ./sateen leave "$launcher" node 1 >/dev/null 2>"$scratch/err"
! grep -q . "$scratch/err"
ok $? "clients that have gone make room for others"
kill -CONT "$stopped"
goes_on 1 'left: 1'
ok $? "and the node leaves all the same"
[ -z "$(ls -A "$XDG_RUNTIME_DIR/sateen")" ] && [ -z "$(./sateen runs)" ]
ok $? "a run that has ended leaves nothing behind"

# A stopped launcher: a socket whose backlog is full.
mkfifo "$scratch/full"
perl -MSocket -e '
	my ($full, $path) = @ARGV;
	my ($listener, $client);
	socket($listener, PF_UNIX, SOCK_STREAM, 0) && bind($listener, sockaddr_un($path)) &&
		listen($listener, 0) or die $!;
	socket($client, PF_UNIX, SOCK_STREAM, 0) && connect($client, sockaddr_un($path)) or die $!;
	open(my $told, ">", $full) or die $!;
	close($told);
	sleep(600)' "$scratch/full" "$XDG_RUNTIME_DIR/sateen/77" &
stopped=$!
timeout 20 cat "$scratch/full"
timeout 20 ./sateen runs >"$scratch/out" 2>"$scratch/err" &&
	grep -qx 'sateen: the launcher of run 77 does not answer' "$scratch/err"
ok $? "a launcher that is stopped does not hold up the list of runs"
kill "$stopped"
rm "$XDG_RUNTIME_DIR/sateen/77"

chmod 755 "$XDG_RUNTIME_DIR/sateen"
complains 1 'is not a directory that only you can use' ./sateen runs
ok $? "a directory that others can use is refused"
chmod 700 "$XDG_RUNTIME_DIR/sateen"

# A run that was started without XDG_RUNTIME_DIR, as by cron, is found with it, and the
# other way round.
cat >"$scratch/finds" <<'END'
mount -t tmpfs none /run && mkdir -p -m 700 /run/user/0 || exit
unset XDG_RUNTIME_DIR
env ${1:+"XDG_RUNTIME_DIR=$1"} ./sateen run -n 2 ./held &
launcher=$!
export launcher
timeout 60 env ${2:+"XDG_RUNTIME_DIR=$2"} sh -c '
	until ./sateen runs | grep -q "^$launcher "; do sleep 0.05; done'
found=$?
kill $launcher
wait $launcher
exit $found
END
if [ "$(id -u)" = 0 ] && unshare --mount mount -t tmpfs none /run 2>/dev/null; then
	unshare --mount sh "$scratch/finds" '' /run/user/0 >"$scratch/out" 2>&1
	ok $? "a run without XDG_RUNTIME_DIR is found by a command that has it"
	unshare --mount sh "$scratch/finds" /run/user/0 '' >"$scratch/out" 2>&1
	ok $? "and the other way round"
else
	skip "runs with and without XDG_RUNTIME_DIR" "permission to mount a file system"
fi

# Two hosts: this one, by a script instead of ssh.
make_ssh
printf 'h1 slots=2\nh2 slots=2\n' >"$scratch/hosts"

# begin_there: a run of two nodes on each of two hosts, which have begun.
begin_there() {
	rm -f "$scratch"/agent.*
	begin --survive yes --grace 300ms --ssh "$scratch/ssh" \
		--hosts "$scratch/hosts" ./held
	until_true agent h1
	until_true agent h2
	parents="$(agent h1) $(agent h2)"
	await_nodes 0 1 2 3
	# shellcheck disable=SC2086 # a list
	await_asleep $parents "$launcher"
}

begin_there
prints '^node 3 on h2 has left$' ./sateen leave "$launcher" h2 &&
	grep -q '^node 2 on h2 has left$' "$scratch/out"
ok $? "all nodes of a host leave"
goes_on 2 'left: 2'
ok $? "and the run goes on"
begin_there
kill -TERM "$(agent h1)"
goes_on 2 'left: 2'
ok $? "an agent gets SIGTERM: its nodes leave, node 0 too"
plan
