# shellcheck shell=sh
# bench.sh: functions that bench-core and bench-apps share. They source it, and
# set $here, $runs and $absent before they call `report`.

: "${AWK:=awk}" "${CC:=cc}" "${CFLAGS:=}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

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

first_of() {
	sed -n "$1" "$2" 2>/dev/null | head -n 1
}

# report PROGRAM: runs an awk program of $here on the samples.
report() {
	cpu=$(first_of 's/^model name[^:]*: //p' /proc/cpuinfo)
	governor=$(first_of p \
		/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor)
	"$AWK" -v runs="$runs" -v cpu="${cpu:-unknown}" -v cores="$(nproc)" \
		-v kernel="$(uname -sr)" -v governor="${governor:-unknown}" \
		-v load_average="$(first_of 's/ .*//p' /proc/loadavg)" \
		-v compiler="$($CC --version | head -n 1)" \
		-v flags="$CFLAGS" -v absent="$absent" \
		-f "$here/median.awk" -f "$here/$1" "$scratch/samples"
}
