#!/bin/sh
# threads_sim.t: simulations by several threads have the messages, times, statistics
# and output of one thread.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/matrix.sh" # for @balancers

# simulate THREADS OPTION...: its logs are in $scratch/runs/THREADS.
simulate() {
	threads=$1
	shift
	rm -rf "$scratch/runs/$threads"
	mkdir -p "$scratch/runs/$threads"
	(
		cd "$scratch/runs/$threads" || exit
		timeout 100 "$OLDPWD/sateen" sim --threads "$threads" \
			--cost counted --message-log log --trace trace --stats=json:stats "$@" \
			>out 2>err </dev/null
		echo "status $?" >>out
		# The machine's time, and what the simulator counts as events.
		sed -i 's/ in [0-9.]* s: / /; s/, [0-9]* events.*//' err
	)
}

# same OPTION...: are the runs of 1, 2 and 3 threads equal?
same() {
	simulate 1 "$@"
	grep -q '^status 0$' "$scratch/runs/1/out" || {
		sed 's/^/# /' "$scratch/runs/1/out" "$scratch/runs/1/err"
		return 1
	}
	for number in 2 3; do
		simulate "$number" "$@"
		diff -rq "$scratch/runs/1" "$scratch/runs/$number" \
			>"$scratch/diff" && continue
		echo "# $number threads: $*"
		sed 's/^/# /' "$scratch/diff" | head -n 4
		return 1
	done
}

here=$(pwd)
source_directory=$(cd "$source_directory" && pwd) # for runs in other folders
for balancer in $balancers; do
	wrong=0
	same --clusters 4x4 --wan 10ms,1MB/s -b "$balancer" "$here/nqueens" 9 || wrong=1
	same --clusters 5,1,7,2 --wan 3ms,1MB/s,1ms,1% --seed 2 -b "$balancer" \
		"$here/tree" -b 4 -d 6 -l 5ms --spread 50 || wrong=1
	same --clusters 3x5 --wan 100us --overhead 0s --task-cost 10us \
		-b "$balancer" "$here/fib" 16 || wrong=1
	ok $wrong "$balancer: runs of 1, 2 and 3 threads are equal"
done

wrong=0
list small
while IFS='|' read -r command expected <&3; do
	# shellcheck disable=SC2086 # words
	same --clusters 3x2 --wan 1ms,10MB/s "$here/"$command &&
		grep -qxF -e "$expected" "$scratch/runs/3/out" || wrong=1
done 3<"$scratch/programs"
ok $wrong "$(wc -l <"$scratch/programs") programs: runs of 1, 2 and 3 threads are equal"

# Most links are as fast as the LAN, and change during the run.
cat >"$scratch/links" <<'END'
* *	none
0 1	5ms,1MB/s
@ 20ms
2 *	1ms
END
same --clusters 4x3 --links "$scratch/links" "$here/tree" -b 3 -d 6 -l 2ms
ok $? "links that differ and change: runs of 1, 2 and 3 threads are equal"

same --clusters 3x3 --wan none "$here/tree" -b 3 -d 5 -l 2ms &&
	same --clusters 3x3 --wan 0s,1MB/s "$here/tree" -b 3 -d 5 -l 2ms &&
	same -n 4 "$here/tree" -b 3 -d 5 -l 2ms &&
	same --clusters 8,2,2 --wan 2ms "$here/tree" -b 3 -d 5 -l 2ms
ok $? "so are those without slow links, without latency, of one cluster, of a large one"

cat >"$scratch/events" <<'END'
30ms kill node 4
50ms leave node 2
70ms join node 5
END
same --clusters 3x2 --wan 1ms,1MB/s --survive yes --silence 10ms --events \
	"$scratch/events" "$here/tree" -b 4 -d 5 -l 5ms
ok $? "so are those in which nodes die, leave and join"

# Endless.
env --default-signal=INT ./sateen sim --clusters 3x2 --wan 10ms --cost counted --threads 3 \
	./fib 60 >"$scratch/out" 2>"$scratch/err" &
simulation=$!
await_simulation $simulation && until_true grep -q '^Threads:.[3-9]' /proc/$simulation/status
threads=$?
kill -TERM $simulation
wait $simulation
[ $? = 143 ] && [ $threads = 0 ] && grep -qx 'sateen: interrupted by signal 15' "$scratch/err"
ok $? "a simulation has as many threads as asked for, and a signal ends it"

complains 2 'threads' ./sateen sim --threads 0 ./fib 10
ok $? "a simulation of no threads is refused"

plan
