#!/bin/sh
# demo.sh: runs programs on four clusters joined by slow links, all emulated on
# this machine, and makes a page about one of the runs. `make demo` in the build
# directory runs it.
set -eu

source_directory=${1:?usage: demo.sh SOURCE_DIRECTORY}
scene=$source_directory/apps/raytracer/balls2.nff
cities=$source_directory/apps/tsp/gr17.tsp
leaf=10ms
scratch=$(mktemp -d)
started= # processes of runs in the background
# shellcheck disable=SC2086 # a list
trap '[ -z "$started" ] || kill $started 2>/dev/null; rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

four="-n 4 --clusters 4 --wan 10ms,1000KB/s --workers 1"

echo "1. A picture, traced by 4 clusters of 1 node, 10 ms and 1000 KB/s apart"
./raytracer --seq -s 1024 -o "$scratch/sequential.png" "$scene" |
	sed 's/^/   sequential: /'
# shellcheck disable=SC2086 # options
rm -f demo.png
./sateen run $four ./raytracer -s 1024 -o demo.png "$scene" >"$scratch/out"
sed 's/^/   4 clusters: /' "$scratch/out"
cmp demo.png "$scratch/sequential.png"
echo "   demo.png is byte-identical to the sequential picture"

echo
echo "2. The shortest tour through 17 cities (TSPLIB's gr17, optimum 2085)"
./tsp --seq --bound distances "$cities" | sed 's/^/   sequential: /'
# shellcheck disable=SC2086
./sateen run $four ./tsp --bound distances "$cities" >"$scratch/out"
grep -q '^gr17: 2085$' "$scratch/out"
sed 's/^/   4 clusters: /' "$scratch/out"

echo
echo "3. A tree of 4096 leaves that sleep $leaf each, on 16 nodes: 2.6 s at best"
printf '   %-22s %-8s %7s %10s %8s %8s %9s %9s\n' "" "" "run" "efficiency" \
	"WAN" "WAN" "steals" "steals"
printf '   %-22s %-8s %7s %10s %8s %8s %9s %9s\n' "links, one way" balancer \
	"time" "to 1 x 16" messages kB asked granted

# count NAME STATISTICS: the sum of a statistic over all nodes, which the line of
# the statistics has after the name; 0 if there is no line of that name.
count() {
	awk -F '  +' -v name="$1" \
		'$1 == name { count = $2 } END { print count + 0 }' "$2"
}

# sum NAME STATISTICS: adds up all lines that contain the name, such as requests of
# both kinds.
sum() {
	awk -v name="$1" '
		index($0, name) { sub(/^[^0-9]*/, ""); total += $1 }
		END { print total + 0 }' "$2"
}

# start LINKS BALANCER OPTIONS...: starts a run, whose line of the table begins with
# the first two.
start() {
	runs=$((runs + 1))
	printf '   %-22s %-8s' "$1" "$2" >"$scratch/$runs.begin"
	balancer=$2
	shift 2
	./sateen run -n 16 --workers 1 --stats --balancer "$balancer" "$@" \
		./tree -b 4 -d 6 -l "$leaf" \
		>"$scratch/$runs.out" 2>"$scratch/$runs.stats" &
	started="$started $!"
}

# show RUN: prints the line of a run that has ended.
show() {
	grep -q '^tree(4^6) = 4096 leaves$' "$scratch/$1.out"
	stats=$scratch/$1.stats
	seconds=$(sed -n 's/^time: \(.*\) s$/\1/p' "$scratch/$1.out")
	[ -n "${best:-}" ] || best=$seconds
	wan_bytes=$(awk '/^messages, WAN/ { getline; print $2 }' "$stats")
	printf '%s %5.1f s %8.1f %% %8d %8d %9d %9d\n' \
		"$(cat "$scratch/$1.begin")" "$seconds" \
		"$(echo "$best $seconds" | awk '{ print 100 * $1 / $2 }')" \
		"$(count 'messages, WAN' "$stats")" \
		"$((${wan_bytes:-0} / 1000))" \
		"$(sum 'steal requests' "$stats")" "$(sum granted "$stats")"
}

# finish: waits for the runs that have been started, and shows them.
finish() {
	for process in $started; do
		wait "$process" || {
			cat "$scratch"/*.stats >&2
			exit 1
		}
	done
	started=
	while [ "$shown" -lt "$runs" ]; do
		shown=$((shown + 1))
		show "$shown"
	done
}

# The nodes of these runs sleep most of the time. Therefore two or three runs go on
# at the same time.
runs=0
shown=0
near="4 x 4, 10ms,1000KB/s"
far="4 x 4, 100ms,100KB/s"
start "1 cluster of 16" rs
start "$near" rs --clusters 4 --wan 10ms,1000KB/s
start "$near" crs --clusters 4 --wan 10ms,1000KB/s
finish
start "$far" rs --clusters 4 --wan 100ms,100KB/s --trace demo.trace
start "$far" chs --clusters 4 --wan 100ms,100KB/s
finish
start "$far" crs --clusters 4 --wan 100ms,100KB/s
start "$far" lrs --clusters 4 --wan 100ms,100KB/s
finish

echo
echo "4. Where the time went in the run of rs over 100 ms: open this page in a browser"
rm -f demo.html
./sateen report demo.trace demo.html >/dev/null
[ -s demo.html ]
echo "   $(pwd)/demo.html"
