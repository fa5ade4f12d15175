#!/bin/sh
# speedup.t: `sateen speedup` prints times and draws them. Simulated runs with counted
# costs have figures that arithmetic predicts, the same each time.
. "$(dirname "$0")/tap.sh"

if ! grep -q '^#define HAVE_YAJL' config.h; then
	skip "sateen speedup" "libyajl-dev"
	plan
fi
svg=$scratch/curve.svg

# has PATTERN SENTENCE: the last output has a line that matches.
has() {
	grep -q -e "$1" "$scratch/out"
	ok $? "$2"
}

# draws PATTERN SENTENCE: the chart has it.
draws() {
	grep -q -e "$1" "$svg"
	ok $? "$2"
}

simulated="--sim --cost counted --task-cost 0s --overhead 0s --output $svg"
# 64 leaves of 1 s: 64 s of work, and a span of 1 s.
# shellcheck disable=SC2086 # words
prints 'nodes x workers       time  speedup  efficiency  at most' \
	./sateen speedup $simulated --lan 1us --nodes 2,4,128 ./tree -b 4 -d 3 -l 1s
ok $? "simulated runs give a table"
has '^    1 x 1        64.000000 s   1.00     100.0 %     1.00$' \
	"the first row has one worker, also if no list does"
# The bound counts messages out: it is what no number of nodes can reach.
awk '$2 == "x" && NR > 1 { rows++; if ($6 > $9 + 0.005 || $6 < 0.9 * $9 && $1 < 128) bad = 1 }
	END { exit bad || rows != 4 }' "$scratch/out"
ok $? "no speedup exceeds its bound, and those of few nodes come near"
has '^  128 x 1 .* 64\.00$' "128 nodes are bounded by work and span"
has '^work 64.000000 s, span 1.000000 s, parallelism 64.0$' \
	"work and span are those of the leaves"
has "^$svg$" "the chart is named"
cp "$scratch/out" "$scratch/first"
cp "$svg" "$scratch/first.svg"
# shellcheck disable=SC2086 # words
prints . ./sateen speedup $simulated --lan 1us --nodes 2,4,128 ./tree -b 4 -d 3 -l 1s &&
	cmp "$scratch/out" "$scratch/first" && cmp "$svg" "$scratch/first.svg"
ok $? "a second call prints and draws the same"

if command -v xmllint >/dev/null; then
	xmllint --noout "$svg"
	ok $? "the chart is well-formed XML"
else
	skip "the chart is well-formed XML" "xmllint"
fi
draws 'prefers-color-scheme:dark' "the chart has colours for dark pages"
! grep -qi '<script\|href\|url(\|@import' "$svg"
ok $? "it has no scripts and no links"
draws '<title>Speedup of ./tree -b 4 -d 3 -l 1s</title>' "it names the program"
draws 'at most: work / span = 64.0<' "and the bound"
# From 1 to 128 workers are 632 points of width, from a speedup of 1 to 128 412 of
# height: at 64 the bound turns, at 6/7 of both.
draws '<polyline class="ideal" points="64.0,468.0 696.0,56.0"/>' \
	"the ideal line leads from corner to corner"
draws '<polyline class="bound" points="64.0,468.0 605.7,114.9 696.0,114.9"/>' \
	"the bound turns where work and span say"
points=$(grep -c '<circle' "$svg")
[ "$points" = 3 ]
ok $? "each measured point is there ($points)"
grep '^ ' "$scratch/out" | while read -r nodes _ workers time _ times _; do
	[ "$nodes" = 1 ] || grep -q "<title>$nodes x $workers workers: $time s, \
speedup $times</title>" "$svg" || echo "$nodes"
done >"$scratch/missing"
[ ! -s "$scratch/missing" ]
ok $? "with the table's numbers"

# Bytes that are no UTF-8 are taken as Latin-1.
name=$(printf 'f\351b\303\274\377')
cp fib "$scratch/$name"
# shellcheck disable=SC2086 # words
prints . ./sateen speedup $simulated --nodes 1,2 "$scratch/$name" 5 &&
	iconv -f UTF-8 -t UTF-8 "$svg" >"$scratch/utf8" &&
	grep -q "/f&#233;b$(printf '\303\274')&#255; 5<" "$svg"
ok $? "the chart of a program whose name is not UTF-8 is well-formed"

# shellcheck disable=SC2086 # words
prints '^    4 x 1 ' ./sateen speedup $simulated --clusters 2 --wan 10ms,1MB/s \
	--nodes 1,2,4 --repeats=2 '--output' "$scratch/a<b&c.svg" \
	./tree -b 2 -d 2 -l 1s
ok $? "nodes in several clusters, and an even number of repeats"
[ "$(grep -c ' x 1 ' "$scratch/out")" = 3 ]
ok $? "one node with one worker is measured once"
# shellcheck disable=SC2086 # words
prints '^work and span are not known$' ./sateen speedup $simulated --nodes 1,2 \
	./jacobi -r 40 -c 10 -n 2 && ! grep -q 'class="bound"' "$svg"
ok $? "a program with arrays has no bound"
# shellcheck disable=SC2086 # words
prints '^   64 x 1 ' ./sateen speedup $simulated ./tree -b 2 -d 2 -l 1s
[ "$(grep -c ' x 1 ' "$scratch/out")" = 7 ]
ok $? "without a list up to 64 nodes are simulated"

prints '^    1 x 2 ' ./sateen speedup --workers 1,2 --repeats 1 --output "$svg" \
	./tree -b 2 -d 4 -l 10ms &&
	awk '/^work / { good = $2 >= 0.16 } END { exit !good }' "$scratch/out"
ok $? "real runs with more workers, with work and span"
prints '^    2 x 1 ' ./sateen speedup --nodes 1,2 --repeats 1 --output "$svg" \
	./tree -b 2 -d 4 -l 10ms
ok $? "real runs with more nodes"
prints '^    2 x 2 ' ./sateen speedup --nodes 1,2 --workers 1,2 --repeats 1 \
	--output "$svg" ./tree -b 2 -d 4 -l 10ms &&
	[ "$(grep -c 'polyline class="s[01]"' "$svg")" = 2 ]
ok $? "nodes and workers: a line for each number of workers"

# refuses STATUS PATTERN SENTENCE ARGUMENTS...
refuses() {
	status=$1
	pattern=$2
	sentence=$3
	shift 3
	complains "$status" "$pattern" ./sateen speedup "$@"
	ok $? "$sentence"
}
rm -f "$svg"
refuses 2 'no program is named' "a program must be named" --sim
refuses 1 './no/program with 1 node of 1 worker: status 1: .*No such file' \
	"a program that is not there is reported" --output "$svg" ./no/program
refuses 1 './fib with 1 node of 1 worker: status [0-9]*' \
	"a run that fails is reported" --output "$svg" ./fib x y z
[ ! -e "$svg" ]
ok $? "and leaves no chart"
refuses 1 './nqueens with 1 node of 1 worker: status 2: nqueens: N is missing' \
	"a simulated run gives the program's reason, too" --sim --nodes 1 \
	--output "$svg" ./nqueens
ln -s out "$scratch/link"
refuses 1 'status [0-9]*' "it fails with a link as well" --output "$scratch/link" \
	./fib x y z
[ -L "$scratch/link" ]
ok $? "and the link stays"
: >"$svg"
refuses 1 'status [0-9]*' "it fails with an empty file as well" --output "$svg" \
	./fib x y z
[ -e "$svg" ]
ok $? "and the file stays"
prints '^    4 x 1 ' ./sateen speedup --sim -n4 -brs -n=2,4 -s=0 -s --output "$svg" \
	./fib 10 && draws '<title>Speedup of ./fib 10<' "the program is not taken for a value"
ok $? "options have values in the same word, or none"
refuses 1 '/bin/true has left no trace of its run' \
	"a program without Sateen is reported" --output "$svg" /bin/true
refuses 1 "can't write $scratch/no/x.svg: No such file" \
	"a chart that can't be written is reported" --output "$scratch/no/x.svg" \
	./fib 5
refuses 1 "can't write /dev/full: No space" "and a full disk" --sim --nodes 1 \
	--output /dev/full ./fib 5
refuses 2 'nodes: "2,1" is not a list' "lists ascend" --nodes 2,1 ./fib 5
refuses 2 'workers: "" is not a list' "and have numbers" --workers= ./fib 5
refuses 2 'repeats: "0" is not' "repeats are at least 1" --repeats 0 ./fib 5
refuses 2 'output needs a value' "options need values" --output
refuses 2 'no setting "--nonsense"\|nonsense' "a setting must be known" \
	--nonsense 5 ./fib 5
refuses 2 'leave --trace out' "a trace can't be asked for" --trace x ./fib 5
refuses 2 'leave --workers out' "nor workers of simulated nodes" --sim \
	--workers 1,2 ./fib 5
echo '0 die 1' >"$scratch/events"
for unfit in '--links day-and-night' '--speed 1,2' "--speeds $scratch/events" \
	"--events $scratch/events" '--max-nodes 4'; do
	# shellcheck disable=SC2086 # words
	refuses 2 "do not all have the same nodes.*leave ${unfit%% *} out" \
		"nor ${unfit%% *}" --sim --clusters 2 $unfit --nodes 2,4 ./fib 5
done
# shellcheck disable=SC2086 # words
prints '^    2 x 1 ' ./sateen speedup $simulated --speed 0.5 --nodes 2 ./fib 5
ok $? "one speed for all nodes can be asked for"
refuses 2 'only how many clusters' "nor sizes of clusters" --clusters 2x2 ./fib 5

# ends SIGNAL STATUS: a run is ended by a signal to the command only.
mkdir "$scratch/tmp"
run_began() {
	[ "$(ls "$scratch/tmp" | wc -l)" = 2 ] && pgrep -P "$1" -f "$marked" >/dev/null
}
marked=$scratch/marked # a name of its own, to look for
cp tree "$marked"
ends() {
	rm -f "$svg"
	TMPDIR=$scratch/tmp env --default-signal=INT ./sateen speedup --nodes 1 --output "$svg" \
		"$marked" -b 2 -d 8 -l 10s 2>"$scratch/err" &
	until_true run_began $!
	kill "-$1" $!
	wait $!
	[ $? = "$2" ] && [ "$(wc -l <"$scratch/err")" = 1 ] && [ ! -e "$svg" ] &&
		[ -z "$(ls "$scratch/tmp")" ] && ! pgrep -f "^$marked"
	ok $? "SIG$1 leaves neither files nor a run"
}
ends TERM 143
ends HUP 129
ends INT 130
prints '^usage: sateen speedup' ./sateen speedup --help
ok $? "--help prints the usage"

plan
