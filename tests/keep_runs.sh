# shellcheck shell=sh
# keep_runs.sh: simulated runs with --keep and --resume, for tests to include after
# tap.sh. They set $program and $unit_cost.

logs=$scratch/logs

# virtual NODES OPTION...: simulates the program $program.
virtual() {
	nodes=$1
	shift
	# shellcheck disable=SC2086 # a list
	timeout 100 ./sateen sim -n "$nodes" --cost counted --unit-cost "$unit_cost" \
		"$@" $program >"$scratch/out" 2>"$scratch/err"
}

# killed SECONDS OPTION...: four nodes keep, and are all killed at that time.
killed() {
	echo "${1}s kill nodes 0-3" >"$scratch/events"
	shift
	virtual 4 --keep "$logs" --events "$scratch/events" "$@"
	grep -q '^sateen: all nodes have died' "$scratch/err"
}

# until_killed CONDITION COMMAND...: the command starts a run in a process group of its
# own, $leader, which is killed when the condition holds. If the run ends before, the
# command starts one with more @sweeps. False if none is long enough.
until_killed() {
	condition=$1 long_enough=1
	shift
	while "$@"; do
		until_true is_over_or "$condition"
		kill -KILL -"$leader" 2>/dev/null
		wait "$leader" 2>/dev/null
		# Now, because a run that ends removes its logs.
		"$condition"
		long_enough=$?
		[ $long_enough != 0 ] && [ "$sweeps" -lt 1000000 ] || break
		sweeps=$((4 * sweeps)) long_enough=1
	done
	kill -KILL -"$leader" 2>/dev/null
	return $long_enough
}

# is_over_or CONDITION...: has the run $leader ended, or does the condition hold?
is_over_or() {
	# This shell may have waited for the process meanwhile.
	! grep -q '^State:.[^Z]' "/proc/$leader/status" 2>/dev/null || "$@"
}

# result: what the program has printed, but for its time.
result() {
	sed '/^time:/d' "$scratch/out"
}

# took: how long the last run took, in ms.
took() {
	sed -n 's/^sateen: simulated .* nodes for \(.*\) s in .*/\1/p' \
		"$scratch/err" | awk '{ print int($1 * 1000) }'
}
