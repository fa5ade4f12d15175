#!/bin/sh
# parts.t: grids have the same values as plain loops, wherever their parts are.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/processes.sh"

# right OPTIONS...: all shapes of tests/toy/grids.c are right in such a run.
right() {
	prints ': right$' ./sateen "$@" ./grids &&
		! grep -q WRONG "$scratch/out" &&
		[ "$(grep -c right "$scratch/out")" = 25 ]
}

right run -n 1 -w 1
ok $? "one node, one worker"
right run -n 1 -w 4
ok $? "one node, four workers"
right run -n 3 -w 1
ok $? "three nodes"
if have_ofi; then
	right run -n 3 -w 1 -t ofi
	ok $? "three nodes, over libfabric"
else
	skip "three nodes, over libfabric" libfabric
fi
right run -n 4 -w 2 --scheduler restless
ok $? "parts that move at each sweep"
right run -n 6 -w 1 -c 3 --wan 500us,100MB/s
ok $? "three clusters"
right sim -n 5 --cost counted --scheduler restless
ok $? "virtual time, parts that move at each sweep"
right run -n 4 -w 2 --scheduler smooth --smooth-every 1
ok $? "all nodes get other parts after each sweep"
right sim -n 5 --cost counted --scheduler smooth --smooth-every 1 \
	--forecast last --speed 1
ok $? "virtual time, other parts after each sweep"
right sim -n 6 -c 2 --wan 5ms,1MB/s --cost counted --speed 1,0.2 \
	--scheduler once --once-after 2
ok $? "virtual time, other parts once"
right sim -n 40 -c 4 --wan 5ms,1MB/s --cost counted
ok $? "virtual time, more nodes than parts"
right sim -n 6 -c 2 --wan 5ms,1MB/s --cost counted --speed 1,0.01
ok $? "virtual time, a cluster that is 100 times as slow"

# sum OPTIONS...: the last digit of the sum that such a run of jacobi prints.
sum() {
	timeout 100 ./sateen "$@" ./jacobi -r 300 -c 200 -n 50 --part-rows 20 \
		--part-columns 64 2>"$scratch/err" | sed -n 's/^sum = //p'
}

alone=$(sum run -n 1 -w 1)
for scheduler in equal once smooth settle restless factoring fac2 wf awf af \
	fractiling; do
	[ -n "$alone" ] &&
		[ "$(sum run -n 3 -w 1 --scheduler $scheduler --once-after 5 \
			--smooth-every 4)" = "$alone" ]
	ok $? "a sum has the same bits with $scheduler on three nodes"
done

# shares SCHEDULER: how many parts each of four nodes has at the end, of 200, if
# node 3 is at speed 0.25 and node 0 at 2.
printf '3 0.25\n0 2\n' >"$scratch/speeds"
shares() {
	rm -f "$scratch"/give.*
	timeout 100 ./sateen sim -n 4 --cost counted --unit-cost 100ns \
		--speeds "$scratch/speeds" --scheduler "$1" --once-after 20 \
		--message-log "$scratch/give" ./jacobi -r 2000 -c 20 -n 200 \
		--part-rows 10 >"$scratch/out" 2>"$scratch/err" || return
	cat "$scratch"/give.[0-3] | sort -n | awk '
		BEGIN { for (i = 0; i < 200; i++) home[i] = int(i / 50) }
		$3 == "send" && $4 == "give" { home[$6] = $5 }
		END {
			for (i in home) count[home[i]]++
			print count[0], count[1], count[2], count[3]
		}'
}
[ "$(shares equal)" = "50 50 50 50" ]
ok $? "equal: equal shares at any speed"
# Settle moves parts in the sweep in which a node runs dry, so its shares vary more.
for scheduler in once smooth settle; do
	more=0
	[ $scheduler != settle ] || more=4
	shares $scheduler >"$scratch/shares"
	awk -v more=$more 'function near(share, ideal, most) {
			return share >= ideal - most - more &&
				share <= ideal + most + more
		}
		near($1, 94, 3) && near($2, 47, 4) && near($3, 47, 4) &&
			near($4, 12, 2) { right = 1 }
		END { exit !right }' \
		"$scratch/shares"
	ok $? "$scheduler: shares in proportion to the speeds 2, 1, 1 and \
0.25: $(cat "$scratch/shares")"
done
printf '@ 100ms\n0 1\n3 2\n' >>"$scratch/speeds"
shares smooth >"$scratch/shares"
awk '$4 >= 78 && $4 <= 82 { right = 1 } END { exit !right }' "$scratch/shares"
ok $? "smooth: shares follow speeds that change: $(cat "$scratch/shares")"

error() {
	timeout 100 "$@" 2>"$scratch/err" | sed -n 's/.*error \([^ ]*\).*/\1/p'
}

plain=$(error ./sor -r 300 -c 200 --seq)
[ -n "$plain" ] && [ "$(error ./sateen run -n 3 -w 1 ./sor -r 300 -c 200 \
	--part-rows 30 --part-columns 50)" = "$plain" ]
ok $? "sor has the bits of plain loops"
prints 'after [1-9][0-9]* sweeps' ./sateen run -n 2 -w 1 ./sor -r 60 -c 60 \
	-n 10000 -t 1e-12 && awk '/error/ { ok = $7 + 0 < 1e-8 }
	END { exit !ok }' "$scratch/out"
ok $? "sor finds the solution"
solution=$(grep error "$scratch/out")
prints 'after 63 sweeps' ./sor -r 60 -c 60 -n 10000 -t 1e-3 -e 7 &&
	prints "^$(grep error "$scratch/out")\$" ./sor -r 60 -c 60 -n 10000 \
		-t 1e-3 -e 7 --seq &&
	prints "^$solution\$" ./sor -r 60 -c 60 -n 10000 -t 1e-12 --seq
ok $? "plain loops end after the same number of sweeps, with the same bits"
prints 'error' ./sateen run -n 2 -w 1 ./heat3d -n 50 -t 20
ok $? "heat3d is right"
error=$(./heat3d -n 8 -t 400 --seq | grep error)
[ -n "$error" ] &&
	prints "$error" ./sateen run -n 2 -w 1 ./heat3d -n 8 -t 400
ok $? "its error is that of plain loops, whose surface is zero as well"
prints 'error' ./heat3d -n 50 -t 20 --seq
ok $? "so are its plain loops"


# Tasks that use grids.
tasks() {
	prints '^grids of tasks: right$' ./sateen "$@" ./grid_tasks 3
}
tasks run -n 1 -w 2
ok $? "tasks use grids on one node"
tasks run -n 3 -w 1
ok $? "on nodes whose only worker waits in a sync, or in another call"
tasks run -n 4 -w 2 --scheduler restless
ok $? "while parts move"
tasks sim -n 6 -c 2 --wan 5ms,1MB/s --cost counted
ok $? "in virtual time"
for nodes in 1 2; do
	complains 1 'two tasks use a grid at the same time$' \
		./sateen run -n $nodes -w $((3 - nodes)) ./grid_tasks 1 twice
	ok $? "two tasks that use one grid are told, on $nodes nodes"
done
complains 1 'a grid is used after STN_GRID_FREE$' \
	./sateen run -n 2 -w 1 ./grid_tasks 1 free
ok $? "a grid that another task has freed is refused"
complains 1 'a grid is used after STN_GRID_FREE$' ./grid_tasks 1 again
ok $? "also if it is freed again"
complains 1 'there is no grid with the handle 0x5$' ./grid_tasks 1 lost
ok $? "so is a handle of no grid"

complains 1 'need more memory than node 0 has' \
	./sateen run -n 1 ./jacobi -r 1000000 -c 1000000 -n 1
ok $? "a grid that is larger than memory is refused in one line"
complains 2 'must be even' ./sor -c 11
ok $? "a grid with colours and an odd number of columns is refused"
complains 2 'no scheduler "best"' ./sateen run --scheduler best ./jacobi
ok $? "an unknown scheduler is refused"
complains 2 'no forecast "sun"' ./sateen run --forecast sun ./jacobi
ok $? "an unknown forecast is refused"

plan
