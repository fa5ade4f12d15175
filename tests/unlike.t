#!/bin/sh
# unlike.t: LRS in virtual time on clusters of different sizes, speeds, latencies and
# bandwidths: the run ends, has the right result, and takes little more than a machine
# that has the sum of all speeds. With STN_LONG there are 10,000 nodes in 100 clusters.
. "$(dirname "$0")/tap.sh"

if [ -n "${STN_LONG:-}" ]; then
	clusters=100 n=40 result=102334155 least=90
else
	clusters=20 n=33 result=3524578 least=85
fi

# Cluster i has 2i + 1 nodes. @capacity is the sum of all speeds.
sizes=$(seq -s, 1 2 $((2 * clusters - 1)))
capacity=$(awk -v clusters=$clusters -v speeds="$scratch/speeds" \
	-v links="$scratch/links" 'BEGIN {
		print "* * 5ms,10MB/s" >links
		for (i = 0; i < clusters; i++) {
			speed = (i % 4 + 1) / 4
			sum += (2 * i + 1) * speed
			printf "%d-%d %s\n", i * i, i * i + 2 * i, speed >speeds
			printf "%d * %dms,%dKB/s\n", i, 1 + i * 7 % 40,
				200 * (1 + i * 3 % 50) >links
		}
		print sum
	}')
# fib(n) is a sum of fib(n) leaves, each charged 2 ms; calls without spawns take half
# a second or more.
timeout 600 ./sateen sim --clusters "$sizes" --speeds "$scratch/speeds" \
	--links "$scratch/links" -b lrs --cost counted --unit-cost 2ms \
	./fib_threshold -t 14 $n >"$scratch/out" 2>"$scratch/err" </dev/null
ok $? "$((clusters * clusters)) nodes in $clusters unlike clusters: the run ends"
sed 's/^/# /' "$scratch/err"
grep -qx "fib($n) = $result" "$scratch/out"
ok $? "its result is right"
efficiency=$(awk -v ones=$result -v capacity="$capacity" '
	$1 == "time:" { printf "%.1f", 100 * ones * 0.002 / capacity / $2 }' \
	"$scratch/out" "$scratch/err")
[ "$(echo "${efficiency:-0} $least" | awk '{ print ($1 >= $2 && $1 <= 100) }')" = 1 ]
ok $? "its efficiency, at least $least %, is ${efficiency:-unknown} %"
plan
