# shellcheck shell=sh
# bench.sh: functions that bench-core, bench-apps, bench-fabric and others share.
# They set $here, and source this file. bench-core and bench-apps set $absent, the names of
# programs that were not built, before they call `report`.

: "${AWK:=awk}" "${CC:=cc}" "${CFLAGS:=}"
runs='' quick=0 absent=''
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

# usage STATUS: prints the comment at the beginning of the script, and exits.
usage() {
	sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
	exit "$1"
}

# option ARGUMENTS...: reads an option that all scripts have. It sets $words to
# the number of its words.
option() {
	words=1
	case $1 in
	--runs) runs=${2:-} words=2 ;;
	--quick) quick=1 ;;
	--help | -h) usage 0 ;;
	*) usage 2 >&2 ;;
	esac
	[ $words -le $# ] || usage 2 >&2
}

# set_runs NUMBER: sets $runs to this default, or to 1 if $quick.
set_runs() {
	: "${runs:=$([ $quick = 1 ] && echo 1 || echo "$1")}"
	[ "$runs" -gt 0 ] 2>/dev/null || usage 2 >&2
}

# no_runs: refuses --runs in a script that runs everything once.
no_runs() {
	[ -z "$runs" ] || usage 2 >&2
}

# attempt PROGRAM...: runs it; a failure or a hang ends all with a line.
attempt() {
	timeout 300 "$@" && return
	echo "${0##*/}: failed, or not done after 300 s: $*" >&2
	exit 1
}

# repeat COMMAND: runs it $runs times, and shows the progress on a terminal. Its
# output is the samples.
repeat() {
	run=0
	while [ $run -lt "$runs" ]; do
		run=$((run + 1))
		[ ! -t 2 ] || printf '\r%s of %s runs' "$run" "$runs" >&2
		"$@" >>"$scratch/samples"
	done
	[ ! -t 2 ] || printf '\r\033[K' >&2
}

# fabrics: a line for each transport and provider between two processes that was
# built: what they run over, transport, provider. Verbs need an active device.
fabrics() {
	./sateen info | "$AWK" '
		/^[a-z]/ && !/^transports/ { exit }
		/^  [a-z]/ { ofi = $1 == "ofi"; verbs = $1 == "verbs" }
		ofi && /^    (tcp|net) / { print "tcp ofi " $1 }
		ofi && /^    shm / { print "shm ofi shm" }
		/^  ucx / { print "tcp ucx tcp"; print "shm ucx posix" }
		/^  shm / { print "shm shm auto" }
		verbs && /^    device .*, active/ {
			print "verbs verbs auto"
			verbs = 0
		}'
}

first_of() {
	sed -n "$1" "$2" 2>/dev/null | head -n 1
}

# need_any FILE [TRANSPORT...]: if the file is empty or missing, says that there is none of
# these transports, and ends the script.
need_any() {
	[ -s "$1" ] && return
	shift
	echo "${0##*/}: nothing to measure between two processes over" \
		"${*:-any transport}; ./sateen info shows what there is" >&2
	exit 1
}

# report_fabric OUTPUT CORES [OPTION...]: prints the rows of fabric.awk as Markdown, or as JSON.
report_fabric() {
	output=$1 cores=$2
	shift 2
	report fabric/fabric.awk -v output="$output" -v cores="$cores" \
		-v targets="$here/fabric/targets" "$@" \
		-f "$here/csv.awk" -f "$here/pairs.awk"
}

# report PROGRAM [OPTION...]: runs an awk program of $here on the samples.
report() {
	program=$1
	shift
	cpu=$(first_of 's/^model name[^:]*: //p' /proc/cpuinfo)
	governor=$(first_of p \
		/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor)
	"$AWK" -v runs="$runs" -v cpu="${cpu:-unknown}" -v cores="$(nproc)" \
		-v kernel="$(uname -sr)" -v governor="${governor:-unknown}" \
		-v load_average="$(first_of 's/ .*//p' /proc/loadavg)" \
		-v compiler="$($CC --version | head -n 1)" \
		-v flags="$CFLAGS" -v absent="$absent" \
		"$@" -f "$here/median.awk" -f "$here/rows.awk" \
		-f "$here/$program" "$scratch/samples"
}

# The functions of rows.awk, and median, for programs that stand in scripts.
rows_awk=$(cat "$here/rows.awk")
median_awk=$(sed -n '/^function median/,/^}/p' "$here/median.awk")

# row NAME TARGET VALUE [SPREAD]: adds a row of results, as rows.awk does.
row() {
	[ -z "${BENCH_ROWS:-}" ] || printf 'row\t%s\t%s\t%s\t%s\t\n' "$1" "$2" \
		"$3" "${4:-}" >>"$BENCH_ROWS"
}
