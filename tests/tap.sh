# shellcheck shell=sh
# tap.sh: the Test Anything Protocol for shell tests, which source this file. A
# test runs in the build directory and has a scratch directory, which is removed
# at the end. The programs that the test has started, and has not waited for, end then,
# too. The same happens when the test is interrupted.
set -u

cd "${top_builddir:-.}" || exit 99
source_directory=${top_srcdir:-..}
scratch=$(mktemp -d) || exit 99
# Processes inherit this variable, also in other process groups and sessions.
TAP_SCRATCH=$scratch
export TAP_SCRATCH

# tidy: a test that leaves more than processes and files in $scratch defines its own one.
tidy() {
	:
}

# tap_left: writes to a file which processes of the test there are: its children, and
# all with its variable. False if there are none.
tap_left() {
	{
		pgrep -P $$
		grep -lsFxz "TAP_SCRATCH=$scratch" /proc/[0-9]*/environ | cut -d / -f 3
	} >"$scratch/left"
	[ -s "$scratch/left" ]
}

# tap_end: ends what the test has left. A process that has not ended 1 s after SIGTERM,
# for example because it is stopped, is killed.
tap_end() {
	trap '' HUP INT TERM
	unset TAP_SCRATCH # so that tap_left does not find its own processes
	for tap_strike in TERM 0 0 0 0 0 0 0 0 0 KILL KILL KILL KILL KILL; do
		tap_left || break
		# shellcheck disable=SC2046 # a list
		kill -s $tap_strike $(cat "$scratch/left") 2>/dev/null
		sleep 0.1
	done
	tidy
	rm -rf "$scratch"
	if [ "$tap_signal" ]; then
		trap - EXIT "$tap_signal"
		kill -s "$tap_signal" $$
	fi
}

# tidy_on SIGNAL...: these signals end the test, after tap_end.
tidy_on() {
	for tap_caught; do
		# shellcheck disable=SC2064 # the signal of this turn
		trap "tap_signal=$tap_caught; exit 1" "$tap_caught"
	done
}
tap_signal=
trap tap_end EXIT
tidy_on HUP INT TERM
# A test that calls make is no part of the make that runs it.
unset MAKEFLAGS MFLAGS MAKELEVEL
tap_count=0
tap_failed=0

# ok STATUS SENTENCE: reports a test: it passed if STATUS is 0. SENTENCE says what
# should hold.
ok() {
	tap_count=$((tap_count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tap_count - $2"
	else
		tap_failed=1
		echo "not ok $tap_count - $2"
	fi
}

# skip SENTENCE MISSING: reports a skipped test, and what it lacks.
skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

# heeding COMMAND...: runs it, without input, so that a signal to the test's process group
# ends the test at once. A shell runs its traps only when its command has ended, and
# timeout(1) is in another process group. So here the command is a shell that waits.
heeding() {
	("$@" & wait $!)
}

# prints PATTERN COMMAND...: true if the command succeeds within $tap_limit seconds and
# prints a line that matches.
tap_limit=100
prints() {
	tap_pattern=$1
	shift
	heeding timeout -k 5 "$tap_limit" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null &&
		grep -q -e "$tap_pattern" "$scratch/out"
	tap_status=$?
	[ $tap_status = 0 ] || sed 's/^/# /' "$scratch/out" "$scratch/err"
	return $tap_status
}

# complains STATUS PATTERN COMMAND...: true if the command ends with that exit
# status and prints one line on stderr, which matches. Lines that match $noise, if
# it is set, are ignored.
noise=
complains() {
	tap_expected=$1
	tap_pattern=$2
	shift 2
	heeding timeout -k 5 100 "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	tap_status=$?
	[ -z "$noise" ] || sed -i "/$noise/d" "$scratch/err"
	if [ $tap_status = "$tap_expected" ] &&
		[ "$(wc -l <"$scratch/err")" = 1 ] &&
		grep -q -e "$tap_pattern" "$scratch/err"; then
		return 0
	fi
	echo "# $*: status $tap_status"
	sed 's/^/# /' "$scratch/err"
	return 1
}

# until_true COMMAND...: repeats the command until it succeeds, up to 600 times. It
# pauses for 0.05 s after each, so it waits for 30 s and the time of the commands.
until_true() {
	tap_tries=0
	while ! "$@" >/dev/null 2>&1; do
		tap_tries=$((tap_tries + 1))
		[ $tap_tries -lt 600 ] || return 1
		sleep 0.05
	done
}

# simulates_on RUN: does the simulation catch signals 2 and 15, bits 1 and 14 of SigCgt?
# It must have been started by env --default-signal=INT.
simulates_on() {
	grep -q '^SigCgt:.*[4-7c-f]..[2367abef]$' "/proc/$1/status"
}

# has_computed RUN TICKS: has the process computed for so many ticks?
has_computed() {
	[ "$(awk '{ print $14 }' "/proc/$1/stat")" -ge "$2" ]
}

# await_simulation RUN: waits until the simulation can be interrupted, and has computed
# for 50 ms since then, so that it has run tasks.
await_simulation() {
	until_true simulates_on "$1" && until_true has_computed "$1" \
		$(($(awk '{ print $14 }' "/proc/$1/stat") + 5))
}

# counted MEMBER...: prints members of the statistics that a run with
# --stats=json:"$scratch/json" has written.
counted() {
	perl "$source_directory/tests/stats.pl" get "$scratch/json" "$@"
}

# sanitized: true in a build with sanitizers, which need several times the stack,
# and more memory.
sanitized() {
	grep -q '^STN_SANITIZE = .' Makefile
}

# install_to DIRECTORY: installs Sateen there. Tests take turns, because make install
# first builds what is out of date. It links nothing again: the libraries depend on no
# other shared library of the build directory.
install_to() {
	flock install.lock make -s install DESTDIR="$1" >"$scratch/log" 2>&1
}

have_ofi() {
	grep -q '^#define HAVE_LIBFABRIC' config.h
}

# Nodes that libfabric's shm connects take 20 MB each there, and tests run in parallel.
have_ofi_shm() {
	have_ofi && [ "$(df -m --output=avail /dev/shm 2>/dev/null | tail -n 1)" -ge 400 ]
}

have_ucx() {
	grep -q '^#define HAVE_UCX' config.h
}

plan() {
	echo "1..$tap_count"
	exit $tap_failed
}
