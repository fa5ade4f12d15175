#!/bin/sh
# pure.t: --check-pure names tasks that are not pure, and no others.
. "$(dirname "$0")/tap.sh"

STN_CHECK_PURE=yes
export STN_CHECK_PURE

# The first byte of text is 48 and counts 200 calls: 248.
right='^none: 5298$'
prints "$right" ./impure none
ok $? "one process: pure tasks pass"
prints "$right" env STN_SLOTS=1 ./impure none
ok $? "also if calls run in place"
prints "$right" ./sateen run -n 3 --workers 2 ./impure none
ok $? "three nodes"
prints "$right" ./sateen sim -n 3 ./impure none
ok $? "a simulation"
prints "$right" env STN_STATS=1 ./impure none
ok $? "also with statistics, for which a spawn is timed"
prints '^fib(18) = 2584$' ./sateen run -n 2 ./fib 18
ok $? "a program with many calls"

two='two runs of a call differ'
for shape in '' 'sateen run -n 2' 'sateen sim -n 2'; do
	# shellcheck disable=SC2086 # words
	set -- ${shape:+./}$shape ./impure
	noise='sateen: simulated'
	complains 1 "task count is not pure: $two in byte 1 of the result" \
		"$@" result
	ok $? "${shape:-one process}: a result differs"
	complains 1 "task fill is not pure: $two in byte 5 of the buffer that is argument 2 (struct stn_inout)" \
		"$@" buffer
	ok $? "${shape:-one process}: a buffer differs"
	complains 1 "task count is not pure: $two in byte 1 of the result" \
		"$@" inner
	ok $? "${shape:-one process}: the inner task is named"
done
noise=
complains 1 "task rarely is not pure: $two in byte 0 of the result" \
	env STN_WORKERS=1 ./impure late
ok $? "a later call is in the sample, too"

STN_CHECK_PURE=maybe
complains 1 'check-pure is "maybe"; it can be yes or no' ./impure
ok $? "a value that is no choice is refused"
STN_CHECK_PURE=no
prints '^result: 257$' ./impure result
ok $? "without the check the call runs once"
plan
