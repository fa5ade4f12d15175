# shellcheck shell=sh
# join_runs.sh: for tests that put runs together by `sateen join`: starts clusters
# and finds their processes. Sourced after tap.sh.

. "$(dirname "$0")/gateways.sh"
. "$(dirname "$0")/processes.sh"

XDG_RUNTIME_DIR=$scratch
STN_WORKERS=1
export XDG_RUNTIME_DIR STN_WORKERS
until_true redis-cli -s "$redis" ping
number=0
jobs=

# launcher CLUSTER: the process that its gateway has started.
launcher() {
	process=$(gateway "$1") && process=$(children "$process") &&
		[ "$process" ] && echo "${process% }"
}

# node CLUSTER RANK: the process of that node of the cluster, which `sateen run`,
# one of its agents or mpirun has started.
node() {
	found=$(launcher "$1") || return
	for process in $(children "$found"); do
		for node in $process $(children "$process"); do
			tr '\0' '\n' <"/proc/$node/environ" 2>/dev/null |
				grep -qx -e "STN_RANK=$2" -e "PMIX_RANK=$2" ||
				continue
			echo "$node"
			return
		done
	done
	return 1
}

# Have all $nodes nodes of the cluster got them? No $nodes: the command is the
# node.
has_begun() {
	if [ -z "$nodes" ]; then
		process=$(launcher "$1") && has_threads "$process"
		return
	fi
	for rank in $(seq 0 $((nodes - 1))); do
		process=$(node "$1" "$rank") && has_threads "$process" || return
	done
}

launcher_is_asleep() {
	[ -z "$nodes" ] || is_asleep "$(launcher "$1")"
}

gateway_is_asleep() {
	is_asleep "$(gateway "$1")"
}

# await CLUSTER...: waits until these clusters run, and their gateways know it: the
# nodes tell their launchers and their gateways, and the gateways tell each other.
await() {
	for name; do
		until_true has_begun "$name" || echo "# $name has not begun"
	done
	for reader in launcher gateway gateway; do
		for name; do
			until_true ${reader}_is_asleep "$name"
		done
	done
}

# new_run CLUSTERS: a run of so many clusters, of which none has begun.
new_run() {
	rm -f "$HELD_UNTIL" "$HELD_UNTIL".*
	number=$((number + 1))
	run=run-$$-$number
	clusters=$1
	jobs=
	names=
}

# add_cluster NAME COMMAND...: starts a cluster.
add_cluster() {
	name=$1
	shift
	# shellcheck disable=SC2086 # a list
	join "$name" ${options-} -- "$@" &
	jobs="$jobs $!"
	names="$names $name"
}

# begin CLUSTERS COMMAND...: begins a run of clusters that are called so.
begin() {
	new_run "$(echo "$1" | wc -w)"
	all=$1
	shift
	for name in $all; do
		add_cluster "$name" "$@"
	done
	# shellcheck disable=SC2086 # a list
	await $all
}

# await_said CLUSTER PATTERN: waits until it has said that.
await_said() {
	until_true said "$1" "$2" || echo "# $1 has not said: $2"
}

# ends_as STATUSES CLUSTER: the run, which may end now, ends so, and that cluster
# prints the result.
ends_as() {
	release
	end
	[ "$statuses" = "$1" ] && printed "$2"
}

# check NAME COMMAND...: a test that shows what the clusters said if it fails.
check() {
	title=$1
	shift
	"$@"
	status=$?
	[ $status = 0 ] || show
	ok $status "$title"
}
