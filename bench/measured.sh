# shellcheck shell=sh
# measured.sh: puts the results of commands into a document. Sourced by bench-all and
# check-all, in the build directory, after they have set $here to the folder of this
# file and $document; $quick is 1 if the values mean nothing, $is_test 1 for tests.

. "$here/commit.sh"
: "${AWK:=awk}" "${CC:=cc}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

machine() {
	printf '%s, %s processors, %s, %s' \
		"$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sort -u)" \
		"$(nproc)" "$(uname -sr)" "$($CC --version | head -n 1)"
}

# measured NAME COMMAND: runs the command, and replaces the section NAME of the
# document. Its status is that of the command.
measured() {
	begin=$(date +%s)
	at=$(commit)
	load=$(sed 's/ .*//' /proc/loadavg)
	: >"$scratch/rows"
	status=0
	BENCH_ROWS=$scratch/rows sh -c "$2" >"$scratch/output" 2>&1 </dev/null ||
		status=$?
	{
		printf '## %s\n\n' "$1"
		printf '`%s`, on %s, commit %s, in %d s, load %s before; %s.\n\n' \
			"$2" "$(LC_ALL=C date +'%-d %B %Y')" "$at" \
			$(($(date +%s) - begin)) "$load" "$(machine)"
		"$AWK" -v status=$status -v quick="${quick:-0}" \
			-v is_test="${is_test:-0}" -f "$here/section.awk" \
			"$scratch/rows" "$scratch/output"
	} >"$scratch/section"
	[ -f "$document" ] || : >"$document"
	"$AWK" -f "$here/measured.awk" "$document" "$scratch/section" \
		>"$scratch/document" && cp "$scratch/document" "$document" || return 1
	return $status
}
