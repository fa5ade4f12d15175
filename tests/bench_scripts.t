#!/bin/sh
# bench_scripts.t: the scripts of benchmarks judge and end as they say. Most of them
# run stand-ins of our programs, which take no time.
. "$(dirname "$0")/tap.sh"

bench=$(cd "$source_directory/bench" && pwd)
AWK=awk

# defines FUNCTION SCRIPT: takes over a function of a script of bench.
defines() {
	sed -n "/^$1() {/,/^}/p" "$bench/$2" >"$scratch/function"
	. "$scratch/function"
}

# load-real.

defines used load-real
used
before=$used
perl -e '1 while (times)[0] < 0.5'
used
echo "$before $used" | awk '{ exit !($2 - $1 >= 0.4) }'
ok $? "load-real counts the processor time of the programs that it has run"

plan
