#!/bin/sh
# load.t: programs with arrays on nodes that real foreign loads slow down: a process
# that competes for the processor of one node, a niced one, one that comes and goes,
# and quotas of control groups. Parts move, and the results have the same bits.
# `make bench-load-real` measures the time.
. "$(dirname "$0")/tap.sh"
. "$source_directory/bench/foreign.sh"
tidy() {
	hogs_end 2>/dev/null # which also removes control groups
}

sweeps=3000
sanitized && sweeps=300

# sum OPTION...: the sum that such a run prints, with all its digits. The nodes start
# their program by $wrapper.
wrapper=
sum() {
	rm -f "$scratch"/trace.*
	# shellcheck disable=SC2086 # no word, or one
	timeout 100 taskset -c "$core,$other" ./sateen run -n 2 -w 1 --pin yes \
		--message-log "$scratch/trace" --stats=json:"$scratch/json" "$@" \
		$wrapper ./jacobi -r 600 -c 600 -n $sweeps --part-rows 30 \
		2>"$scratch/err" | sed -n 's/^sum = //p'
}

# moved: the number of parts that have moved.
moved() {
	cat "$scratch"/trace.* | grep -c 'send give'
}

# holds SENTENCE OPTION...: tests the sum of a run while a load is there.
holds() {
	sentence=$1
	shift
	[ -n "$alone" ] && [ "$(sum "$@")" = "$alone" ]
	status=$?
	[ $status = 0 ] || sed 's/^/# /' "$scratch/err"
	ok $status "$sentence: the same bits; $(moved) parts moved"
}

if ! two_cores; then
	skip "foreign loads" "$missing"
	plan
fi
alone=$(sum --scheduler equal)

hog_begin ./hog "$other"
holds "a competing process" --scheduler settle
[ "$(moved)" -gt 0 ]
ok $? "parts move away from a node that has a competing process"
if [ -r /proc/thread-self/schedstat ]; then
	# The node of the other processor may wait for others of this machine.
	for node in 0 1; do
		echo "$(counted "nodes[$node].counts.core_wait_ns") \
			$(counted "nodes[$node].counts.on_core_ns")"
	done >"$scratch/waits"
	awk '$1 > 0.1 * $2 { waits = 1 } END { exit !waits }' "$scratch/waits"
	ok $? "the statistics show that a worker waited for its processor"
else
	skip "time of waiting for a processor" "/proc/thread-self/schedstat"
fi
hog_end

hog_begin nice -n 10 ./hog "$other"
holds "a niced process"
hog_end
hog_begin ./hog "$other" 10ms 10ms
holds "a process that comes and goes"
hog_end

for version in 1 2; do
	if ! quota_begin $version "20000 100000"; then
		skip "a quota by control groups of version $version" "$missing"
		continue
	fi
	wrapper=$scratch/limited
	holds "a quota by control groups of version $version"
	[ "$(moved)" -gt 0 ]
	ok $? "parts move away from a node with a quota"
	wrapper=
	quota_end
done
plan
