#!/bin/sh
# join_keep.t: two clusters that `sateen join` puts together keep versions of a grid, each
# in a directory of its own. All processes are killed, and later runs of two clusters
# resume.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/join_runs.sh"

STN_KEEP=logs
STN_RESUME=logs
export STN_KEEP STN_RESUME
mkdir -p "$scratch/site1/logs" "$scratch/site2/logs"
nodes=2
sweeps=60000 # some seconds; more on a fast machine
! sanitized || sweeps=15000

# begin_at SITE SITE: begins a run of clusters a and b, which have these directories.
# jacobi checks its result: one sweep more or less would be an error.
begin_at() {
	new_run 2
	for name in a b; do
		# shellcheck disable=SC2016 # the variables are of the node
		add_cluster $name ./sateen run -n $nodes sh -c \
			'cd "$1" && exec "$0/jacobi" -r 400 -c 400 -n "$2" --part-rows 50' \
			"$PWD" "$scratch/$1" $sweeps
		shift
	done
}

has_version() { # all parts have 1660000 bytes
	[ "$(cat "$scratch"/site*/logs/sateen-*.log | wc -c)" -ge 1655000 ]
}

# kill_all: kills all processes of the run.
kill_all() {
	victims=
	for name in a b; do
		for process in $(gateway $name) $(launcher $name) \
			$(children "$(launcher $name)"); do
			victims="$victims $process"
		done
	done
	# shellcheck disable=SC2086 # a list
	kill -KILL $victims
	end
	# shellcheck disable=SC2086
	until_true gone $victims
}

# is_right: has the run ended well, and only the first cluster printed the result?
is_right() {
	end
	[ "$statuses" = '0 0' ] &&
		grep -q '^jacobi.*: error' "$scratch/a.out" &&
		! grep -q . "$scratch/b.out"
}

# has_version_or_end: has the run a version on disk, or ended?
has_version_or_end() {
	# shellcheck disable=SC2086 # a list
	has_version || gone $jobs
}

# keep: begins a run, and waits for a version. False if it ends before.
keep() {
	begin_at site1 site2
	until_true has_version_or_end
	has_version
}

while ! keep && [ $sweeps -lt 1000000 ]; do
	end
	sweeps=$((4 * sweeps))
done
has_version && kill_all &&
	grep -q . "$scratch"/site1/logs/sateen-*.log &&
	grep -q . "$scratch"/site2/logs/sateen-*.log
ok $? "each cluster keeps its parts in its own directory; all processes are killed"

# All parts come from disk.
resumes() {
	is_right && [ "$(counted total.revived)" = 16 ] &&
		said a "resumes grid 1 in its call 2, after [0-9]* of $sweeps sweeps\$"
}
STN_STATS=json:$scratch/json
export STN_STATS
begin_at site2 site1
check "two clusters resume, with each other's directories" resumes
! find "$scratch"/site*/logs -name 'sateen-*' | grep -q .
ok $? "all logs are removed, in both directories"
plan
