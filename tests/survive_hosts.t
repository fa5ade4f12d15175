#!/bin/sh
# survive_hosts.t: hosts of a run are lost, and it goes on. A script replaces ssh
# and runs its command on this machine.
. "$(dirname "$0")/tap.sh"

printf 'h1 slots=2\nh2 slots=2\n' >"$scratch/hosts"
cat >"$scratch/ssh" <<'END'
#!/bin/sh
while [ "${1#-}" != "$1" ]; do
	shift 2
done
echo $$ >"${0%/*}/$1"
exec sh -c "$2"
END
chmod +x "$scratch/ssh"

result='tree(3^5) = 243 leaves'
tree='./tree -b 3 -d 5 -l 5ms --spread 50'

children() {
	cat "/proc/$1/task/$1/children" 2>/dev/null
}

# Has host $1 got its nodes, which have threads for their workers, the network
# and views?
has_begun() {
	read -r agent <"$scratch/$1" || return 1
	nodes=$(children "$agent")
	# shellcheck disable=SC2086 # a list
	set -- $nodes
	[ $# = 2 ] || return 1
	for node; do
		[ "$(find "/proc/$node/task" -mindepth 1 -maxdepth 1 |
			wc -l)" -ge 4 ] || return 1
	done
}

input=/dev/null
begin() {
	rm -f "$scratch/h1" "$scratch/h2"
	timeout -k 5 100 ./sateen run --ssh "$scratch/ssh" --hosts \
		"$scratch/hosts" --workers 1 "$@" \
		>"$scratch/out" 2>"$scratch/err" <"$input" 4>&- &
	timeout=$!
	for host in h1 h2; do
		until_true has_begun $host || echo "# host $host has not begun"
	done
	read -r launcher <"/proc/$timeout/task/$timeout/children"
	launcher=${launcher% }
	all=
	for host in h1 h2; do
		read -r agent <"$scratch/$host"
		all="$all $agent $(children "$agent")"
	done
}

# strike SIGNAL HOST: sends it to the host's agent and to its nodes.
strike() {
	read -r agent <"$scratch/$2"
	# shellcheck disable=SC2046 # a list
	kill -"$1" "$agent" $(children "$agent")
}

# Have all processes of the hosts ended? A stopped launcher has zombies.
none_left() {
	for process in $all; do
		case $(awk '{ print $3 }' "/proc/$process/stat" 2>/dev/null) in
		'' | Z) ;;
		*) return 1 ;;
		esac
	done
}

show() {
	echo "# status $status"
	sed 's/^/# /' "$scratch/out" "$scratch/err"
	return 1
}

# goes_on HOST: the run ends well, and says that HOST was lost.
goes_on() {
	wait $timeout
	status=$?
	[ $status = 0 ] && [ "$(grep -c "^$result$" "$scratch/out")" = 1 ] &&
		grep -q "^sateen: host $1 is lost, and 2 nodes with it; the run \
goes on without it" "$scratch/err" &&
		[ "$(grep -c 'goes on' "$scratch/err")" = 1 ] &&
		until_true none_left && return
	show
	return 1
}

for victim in h2 h1; do
	# shellcheck disable=SC2086 # a command
	begin $tree
	read -r agent <"$scratch/$victim"
	kill -KILL "$agent"
	goes_on $victim
	ok $? "an agent is killed, and its nodes with it: $victim"

	# The stopped host does not answer, as if it had vanished.
	# shellcheck disable=SC2086
	begin --silence 1s $tree
	strike STOP $victim
	goes_on $victim
	ok $? "a host does not answer: $victim"
done

long='./tree -b 3 -d 6 -l 20ms --spread 50'
# shellcheck disable=SC2086
begin --silence 1s $long
kill -STOP "$launcher"
until_true none_left
ok $? "hosts that can't reach the launcher end their nodes"
kill -CONT "$launcher"
wait $timeout
status=$?
[ $status = 1 ] && grep -q '^sateen: all nodes have died$' "$scratch/err"
lost=$?
[ $lost = 0 ] || show
ok $lost "and the launcher says that the run has failed"

# More input comes when the host of node 0, which has read a line, is lost.
mkfifo "$scratch/pipe"
exec 4<>"$scratch/pipe"
input=$scratch/pipe
echo 'one two' >&4
begin ./again all
until_true grep -qx 'one two' "$scratch/out"
read -r agent <"$scratch/h1"
kill -KILL "$agent"
until_true grep -q 'h1 is lost' "$scratch/err"
echo three >&4
exec 4>&-
result=last
goes_on h1 && [ "$(cat "$scratch/out")" = "one two
three
last" ]
ok $? "the next root, on another host, reads a pipe from the beginning to the end"

# The next root is on the same host.
rank_of() {
	tr '\0' '\n' <"/proc/$1/environ" | sed -n 's/^STN_RANK=//p'
}
exec 4<>"$scratch/pipe"
seq 30000 >"$scratch/numbers"
begin ./again all
cat "$scratch/numbers" >&4 &
writer=$!
until_true grep -qx 1 "$scratch/out"
read -r agent <"$scratch/h1"
for process in $(children "$agent"); do
	[ "$(rank_of "$process")" != 0 ] || kill -KILL "$process"
done
wait $writer
exec 4>&-
wait $timeout
status=$?
[ $status = 0 ] && sed '$d' "$scratch/out" | cmp - "$scratch/numbers"
whole=$?
[ $whole = 0 ] || show | head -n 20
ok $whole "and so does one on the same host, without what was left for the last"
input=/dev/null

# node RANK: prints the process of that node of a run that has $SATEEN_TEST.
node() {
	for process in /proc/[0-9]*; do
		tr '\0' '\n' <"$process/environ" 2>/dev/null |
			grep -qx "SATEEN_TEST=$SATEEN_TEST" || continue
		if [ "$(rank_of "${process#/proc/}")" = "$1" ] &&
			readlink "$process/exe" | grep -q 'tree$'; then
			echo "${process#/proc/}"
			return
		fi
	done
	return 1
}

node_has_begun() {
	process=$(node "$1") && [ "$(find "/proc/$process/task" -mindepth 1 \
		-maxdepth 1 | wc -l)" -ge 4 ]
}

# silent RANK...: these nodes stop in a run whose nodes don't see each other's
# processes. The run goes on.
silent() {
	export SATEEN_TEST="$scratch.$1.$#"
	# shellcheck disable=SC2086
	timeout -k 5 100 ./sateen run --ssh "$scratch/ssh" --hosts \
		"$scratch/hosts" --workers 1 --silence 1s \
		unshare --pid --fork --kill-child $long \
		>"$scratch/out" 2>"$scratch/err" </dev/null &
	timeout=$!
	for rank in 0 1 2 3; do
		until_true node_has_begun $rank || echo "# no node $rank"
	done
	for rank; do
		kill -STOP "$(node "$rank")"
	done
	wait $timeout
	status=$?
	[ $status = 0 ] && grep -q '^tree(3^6) = 729 leaves$' "$scratch/out"
}
ended='was ended because node . on h. had not heard from it for 1\.0 s; the run'
hint='only nodes on h1 are left, though the agents of other hosts answer: '
if unshare --pid --fork --kill-child true 2>/dev/null; then
	silent 3 && grep -q "^sateen: node 3 on h2 $ended" "$scratch/err" &&
		! grep -q "$hint" "$scratch/err" || show
	ok $? "a node that is ended because of its silence: the line says so"
	silent 2 3 && [ "$(grep -c "on h2 $ended" "$scratch/err")" = 2 ] &&
		[ "$(grep -c "^sateen: $hint" "$scratch/err")" = 1 ] || show
	ok $? "all nodes of other hosts are ended: there may be a firewall"
else
	skip "silent nodes" "permission to make process namespaces"
fi

# shellcheck disable=SC2086
begin --silence 1s $long
result='tree(3^6) = 729 leaves'
kill -TSTP "$launcher"
is_stopped() {
	[ "$(awk '{ print $3 }' "/proc/$launcher/stat")" = T ]
}
until_true is_stopped
# Longer than --silence: this is the time that the leases would have.
sleep 2
kill -CONT "$launcher"
wait $timeout
status=$?
[ $status = 0 ] && [ "$(grep -c "^$result$" "$scratch/out")" = 1 ] &&
	! grep -q lost "$scratch/err"
kept=$?
[ $kept = 0 ] || show
ok $kept "a launcher that is stopped by the terminal loses no host"
plan
