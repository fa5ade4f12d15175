# shellcheck shell=sh
# alone.sh: compares a program's answers with those of its search without tasks, for
# tests that source this file after tap.sh. The test sets @program, its name.

# answer COMMAND...: prints the answer of a run, without places, tries and time.
answer() {
	timeout 100 "$@" 2>"$scratch/err" </dev/null | grep "^$program\|^ruler"
}

# same WHAT ARGUMENTS COMMAND...: tests that the command finds what the program finds
# with --seq ARGUMENTS.
same() {
	what=$1 arguments=$2
	shift 2
	# shellcheck disable=SC2086 # words
	answer "./$program" --seq $arguments >"$scratch/alone"
	# shellcheck disable=SC2086
	answer "$@" "./$program" $arguments >"$scratch/answer"
	cmp "$scratch/alone" "$scratch/answer" >&2 && [ -s "$scratch/alone" ]
	status=$?
	[ $status = 0 ] || sed 's/^/# /' "$scratch/answer" "$scratch/err"
	ok $status "$program $arguments: $what"
}
