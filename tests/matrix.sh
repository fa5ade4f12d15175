# shellcheck shell=sh
# matrix.sh: the matrix of programs, balancers, clusters and transports, for
# matrix.t and check-long, which source it after tap.sh.

balancers=$(./sateen info |
	awk -f "$source_directory/apps/figures/balancers.awk")

# list SIZE: the programs of that size that were built, into $scratch/programs:
# what to run, a bar, and a line that it prints.
list() {
	sed -n "s|DATA|$source_directory/apps|g; s/ *| */|/g; s/^$1|//p" \
		"$source_directory/tests/programs" |
		while IFS='|' read -r command expected; do
			[ -x "./${command%% *}" ] || continue
			if [ "$expected" = = ]; then
				# shellcheck disable=SC2086 # words
				expected=$(./${command%% *} --seq \
					${command#"${command%% *}"} |
					head -n 1)
			fi
			echo "$command|$expected"
		done >"$scratch/programs"
}

# attempt SECONDS COMMAND EXPECTED OPTIONS...: runs it under these options. It
# prints the line, says nothing else, and its statistics add up; or the command
# line is printed, and what came of it.
attempt() {
	seconds=$1 command=$2 expected=$3
	shift 3
	# shellcheck disable=SC2086 # words
	timeout "$seconds" ./sateen run --stats=json:"$scratch/json" "$@" \
		./$command >"$scratch/out" 2>"$scratch/err" </dev/null &&
		grep -qxF -e "$expected" "$scratch/out" &&
		[ ! -s "$scratch/err" ] &&
		grep -q '"hold": true' "$scratch/json" && return
	echo "# status $?, not \"$expected\": ./sateen run $* ./$command"
	sed 's/^/# /' "$scratch/out" "$scratch/err"
	! grep -q '"hold": false' "$scratch/json" ||
		sed -n '/"sums": {/,/^  }/s/^/# /p' "$scratch/json"
	return 1
}

# moved: how many records the last run has sent from node to node.
moved() {
	sed -n '/^  "total"/,/^  }/s/^    "borrowed": \(.*\),$/\1/p' "$scratch/json"
}
