# shellcheck shell=sh
# matrix.sh: the matrix of programs, balancers, clusters and transports, for
# matrix.t and check-long, which source it after tap.sh.

balancers=$(./sateen info |
	awk -f "$source_directory/apps/figures/balancers.awk")

# list SIZE: writes the programs of that size that were built to
# $scratch/programs: the command, a bar, and a line that the command prints.
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

# attempt SECONDS COMMAND EXPECTED OPTIONS...: runs the command under these options.
# True if it prints the expected line, prints nothing on stderr, and its statistics
# add up. Otherwise prints the command line and its output.
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

# moved: prints the number of records that nodes have sent each other in the last
# run.
moved() {
	sed -n '/^  "total"/,/^  }/s/^    "borrowed": \(.*\),$/\1/p' "$scratch/json"
}
