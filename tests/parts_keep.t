#!/bin/sh
# parts_keep.t: a run with grids and --keep is killed, and --resume continues it: the
# result has the same bits, and sweeps that are on disk are not repeated.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/keep_runs.sh"

grid='./jacobi -r 200 -c 200 -n 4000 --part-rows 10' # 8.8 s on 4 nodes, in virtual time
program=$grid
unit_cost=200ns

# resumes NODES OPTION...: has the run continued, with the right result?
resumes() {
	virtual "$@" && [ "$(result)" = "$expected" ] &&
		grep -q "^sateen: resumes grid 1 in its call 2, after [0-9]* of 4000 sweeps$" \
			"$scratch/err" && ! grep -q ' 0 results' "$scratch/err"
}

virtual 4
expected=$(result)
whole=$(took)
virtual 4 --keep "$logs"
[ "$(result)" = "$expected" ] && [ "$(took)" -le $((whole * 101 / 100)) ]
ok $? "--keep takes 1 % at most: $(took) ms, without it $whole ms"
[ -z "$(ls -A "$logs")" ]
ok $? "the logs are removed when the run has succeeded"
killed 6
ok $? "all nodes are killed"
[ "$(find "$logs" -name '*.log' | wc -l)" -le 12 ]
ok $? "the logs are of three versions at most"
cp -r "$logs" "$scratch/saved"
for nodes in 4 2 7; do
	resumes $nodes --resume "$logs"
	ok $? "$nodes nodes resume: $(took) ms"
done
resumes 4 --resume "$logs" && [ "$(took)" -le $((whole - 6000 + 2600)) ]
ok $? "what was done 2.6 s before the end is not repeated: $(took) of $whole ms"
# The time is that of the sweeps that the resumed run has swept, in proportion.
resumes 4 --resume "$logs" && {
	sed -n 's/.* after \([0-9]*\) of 4000 sweeps$/\1/p' "$scratch/err"
	sed -n 's/^time: \(.*\) s for \([0-9]*\) of 4000 sweeps, since the run was resumed, [1-9][0-9]* Mpoints.s$/\1 \2/p' \
		"$scratch/out"
} | tr '\n' ' ' | awk -v whole="$whole" '{
	ideal = whole * $3 / 4000
	exit !($1 + $3 == 4000 && $2 * 1000 > ideal * 0.9 &&
		$2 * 1000 < ideal * 1.1)
}'
ok $? "the time is that of the sweeps since then: $(grep ^time: "$scratch/out")"
for scheduler in equal once smooth factoring fractiling restless; do
	resumes 3 --resume "$logs" --scheduler $scheduler
	ok $? "$scheduler: three nodes resume"
done

# Killed again, and resumed from the logs of both runs.
killed 4 --resume "$logs" && [ "$(find "$logs" -name '*.log' | wc -l)" -le 12 ]
ok $? "a resumed run is killed: the logs of the first run are removed"
resumes 4 --keep "$logs" --resume "$logs" && [ "$(took)" -le 3000 ]
ok $? "the third run continues: $(took) ms"
[ -z "$(ls -A "$logs")" ]
ok $? "and removes all logs"

# With deaths. Within 40 ms the usual pace would not have made second copies.
cp "$scratch"/saved/*.log "$logs"
for event in '0.01ms kill node 2' '0.05ms kill node 0' '0.3ms kill node 2' \
	'0.6ms kill node 0' '10ms kill node 1' '10ms kill node 0' \
	'2s kill node 1' '2s kill node 0'; do
	echo "$event" >"$scratch/events"
	resumes 4 --survive yes --silence 5ms --resume "$logs" \
		--events "$scratch/events"
	ok $? "a resumed run survives: $event"
done
printf '1s join node 4\n2s leave nodes 0-3\n' >"$scratch/events"
resumes 4 --max-nodes 5 --survive yes --grace 100ms --resume "$logs" \
	--events "$scratch/events" &&
	grep -q '^time: .* of 4000 sweeps, since the run was resumed' \
		"$scratch/out"
ok $? "a node that has joined a resumed run knows which sweeps were on disk"
rm "$logs"/*
printf '2s kill node 0\n6s kill nodes 1-3\n' >"$scratch/events"
virtual 4 --survive yes --silence 5ms --keep "$logs" \
	--events "$scratch/events"
resumes 3 --resume "$logs" && [ "$(took)" -le 9500 ]
ok $? "node 0 dies, and then all others: $(took) ms"

# Nodes that join write their parts, too.
rm -f "$logs"/*
printf '2s join nodes 4-5\n6s kill nodes 0-5\n' >"$scratch/events"
virtual 4 --max-nodes 6 --survive yes --keep "$logs" \
	--events "$scratch/events"
grep -q . "$logs"/sateen-*-4-0-*.log && resumes 3 --resume "$logs" &&
	[ "$(took)" -le $((whole - 2000)) ]
ok $? "nodes have joined before all are killed: $(took) ms"

# Damaged logs. The newest version that all four nodes have is used, else the one
# before it.
newest() {
	for version in $(find "$logs" -name '*.log' |
		sed 's/.*-\([0-9]*\)\.log$/\1/' | sort -rnu); do
		[ "$(find "$logs" -name "*-$version.log" | wc -l)" = 4 ] &&
			echo "$version" && return
	done
}
restore() {
	rm -f "$logs"/*
	cp "$scratch"/saved/*.log "$logs"
}
restore
resumes 4 --resume "$logs"
before=$(took)
log=$(ls "$logs"/sateen-*-2-0-"$(newest)".log)
printf 'X' | dd of="$log" bs=1 seek=30000 conv=notrunc 2>/dev/null
resumes 4 --resume "$logs" && [ "$(took)" -gt "$before" ] &&
	[ "$(took)" -lt $((whole - 2000)) ]
ok $? "a part is damaged: the version before is used, $(took) ms and not $before ms"
grep -q "^sateen: $log is damaged at byte [0-9]*; [0-9]* parts in it can be used$" \
	"$scratch/err"
ok $? "a line tells of the damage"
restore
truncate -s 40000 "$log"
resumes 4 --resume "$logs" && [ "$(took)" -gt "$before" ] &&
	[ "$(took)" -lt $((whole - 2000)) ]
ok $? "a log is torn: the version before is used"
restore
printf 'X' | dd of="$log" bs=1 seek=100 conv=notrunc 2>/dev/null
resumes 4 --resume "$logs" && [ "$(took)" = "$before" ]
ok $? "a history is damaged: another log has it"

# Logs of other runs.
restore
complains 1 'log of another program' ./sateen sim -n 4 --resume "$logs" ./sor
ok $? "the log of another program is refused"
refuses() {
	! virtual 4 --resume "$logs" &&
		grep -q "the logs in $logs are of a run that has $1 in another way; " \
			"$scratch/err"
}
program='./jacobi -r 200 -c 300 -n 4000 --part-rows 10'
refuses 'made its grids'
ok $? "so is that of another size"
program='./jacobi -r 200 -c 200 -n 5000 --part-rows 10'
refuses 'swept and measured its grids'
ok $? "so is that of another number of sweeps"

# The option .progress is nothing that the points depend on, nor is the padding between
# the arguments of a kernel: with and without the option, and so with other padding, a
# run continues what a run with or without it has kept, and reports all units, those
# that were on disk, too.
unit_cost=800ns
for kept in '' progress; do
	rm -f "$logs"/*
	program="./swept $kept"
	virtual 4
	expected=$(result)
	killed 6
	for resumed in '' progress; do
		program="./swept $resumed"
		units=$([ -z "$resumed" ] || echo 40000000)
		virtual 1 --workers 1 --resume "$logs" &&
			[ "$(result)" = "$expected" ] &&
			grep -q '^sateen: resumes grid 1 in its call 2, after [1-9]' \
				"$scratch/err" &&
			grep -q "^progress: ${units:-0} of ${units:-0}\$" \
				"$scratch/err"
		status=$?
		[ $status = 0 ] || sed 's/^/# /' "$scratch/out" "$scratch/err"
		ok $status "kept with .progress ${kept:-off}, resumed with it ${resumed:-off}"
	done
done
unit_cost=200ns

# Programs that make many calls, with several grids.
for program in './sor -r 150 -c 150 -n 6000' './heat3d -n 40 --sweeps 1500'; do
	rm -f "$logs"/*
	virtual 4
	expected=$(result)
	killed 4
	virtual 3 --resume "$logs" && [ "$(result)" = "$expected" ] &&
		grep -q 'resumes grid' "$scratch/err" &&
		grep -q '^time: [1-9].* s for .* since the run was resumed' \
			"$scratch/out"
	ok $? "$program"
done

# Each version on disk is the last one of a call. The resumed run repeats that call, in
# which there is nothing to sweep; in the next calls all nodes sweep parts.
program='./sor -r 200 -c 200 -n 800 -t 0.000000000001 -e 1 --part-rows 5'
rm -f "$logs"/*
virtual 4
expected=$(result)
killed 2.5
for scheduler in settle equal fac2; do
	virtual 4 --resume "$logs" --scheduler $scheduler \
		--stats=json:"$scratch/json" && [ "$(result)" = "$expected" ] &&
		grep -q 'resumes grid .*, after 1 of 1 sweeps$' "$scratch/err" &&
		for node in 0 1 2 3; do
			counted "nodes.$node.counts.turns"
		done | sort -n | awk '{ n[NR] = $1 }
			END { exit !(NR == 4 && n[1] > n[4] / 2) }'
	ok $? "$scheduler: a run resumes from the end of a call"
done

# A task that uses a grid of main may be found in a log.
complains 1 'a task has used a grid that another task, or the body of STN_MAIN' \
	./sateen sim -n 2 --keep "$logs" ./grid_tasks 3
ok $? "a run whose tasks share grids can't be kept"
noise='does not write grids and cells that tasks make; a resumed run'
complains 1 'a task has used a grid that another task, or the body of STN_MAIN' \
	./sateen sim -n 1 --keep "$logs" ./grid_tasks 1 lend
ok $? "also if all of these tasks run on one node"
noise=

# What is not written is told once.
unkept() {
	virtual "$2" --keep "$logs" && ! grep -q WRONG "$scratch/out" &&
		[ "$(grep -c "^sateen: --keep does not write $1" \
			"$scratch/err")" = 1 ]
}
program='./grid_tasks 3 own'
unkept 'grids and cells that tasks make; ' 3
ok $? "a line says that grids of tasks are not written"
program='./grid_tasks 1 get'
unkept 'versions that come after main has got points of a grid' 2
ok $? "a line says that versions after STN_GET are not written"

# A machine with 64 MiB: a grid of 18 MB fits, but not with its copies.
cat >"$scratch/memory.c" <<'EOF'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>

long
sysconf(int name)
{
	long (*real)(int) = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");

	return name == _SC_PHYS_PAGES ? (64l << 20) / real(_SC_PAGESIZE)
				      : real(name);
}
EOF
if sanitized; then
	skip "a grid that is too large for its copies" "a build without sanitizers"
else
	$(sed -n 's/^CC = //p' Makefile) -shared -fPIC "$scratch/memory.c" \
		-o "$scratch/memory.so"
	prints '^jacobi.*: error' env LD_PRELOAD="$scratch/memory.so" \
		STN_KEEP="$logs" ./jacobi -r 1500 -c 1500 -n 2 &&
		[ "$(grep -c '^sateen: --keep does not write all grids: copies of a large one might need more memory than there is' \
			"$scratch/err")" = 1 ]
	ok $? "a line says that a grid is too large for its copies"
	prints '^jacobi.*: error' env LD_PRELOAD="$scratch/memory.so" \
		STN_KEEP="$logs" ./jacobi -r 500 -c 500 -n 2 &&
		! grep -q 'does not write' "$scratch/err"
	ok $? "a smaller one is not"
fi

# Some seconds of sweeps in each build. until_killed takes more on a fast machine.
sweeps=30000
! sanitized || sweeps=15000

# In reality, with a directory for each node: what a node lacks is sent by others.
# on_hosts SHIFT OPTION...: node i has the directory of host i + SHIFT.
on_hosts() {
	shift=$1
	shift
	# shellcheck disable=SC2016 # the variable is of the node
	set -- ./sateen run -w 1 "$@" sh -c \
		'cd "$2/host$(((STN_RANK + $1) % 3))" && exec "$0/jacobi" -r 400 -c 400 -n "$3" --part-rows 50' \
		"$PWD" "$shift" "$scratch" $sweeps
	if [ "$shift" = 0 ]; then
		setsid "$@" >"$scratch/out" 2>"$scratch/err" &
	else
		timeout 100 "$@" >"$scratch/out" 2>"$scratch/err"
	fi
}
has_version() { # all parts have 1660000 bytes
	[ "$(cat "$scratch"/host*/logs/sateen-*.log | wc -c)" -ge 1655000 ]
}
keep_on_hosts() {
	rm -rf "$scratch"/host*/logs
	on_hosts 0 -n 3 --keep logs
	leader=$!
}
mkdir "$scratch/host0" "$scratch/host1" "$scratch/host2"
until_killed has_version keep_on_hosts
on_hosts 1 -n 3
expected=$(result)
# Node 0 has the last rows on disk and needs the first ones, wherever the parts have
# moved to before.
mv "$scratch"/host1/logs/* "$scratch/host0/logs"
on_hosts 2 -n 2 --resume logs --stats=json:"$scratch/json" &&
	[ "$(result)" = "$expected" ] && grep -q 'resumes grid' "$scratch/err" &&
	[ "$(counted total.sent.revived.lan_messages)" -gt 0 ]
status=$?
[ $status = 0 ] || {
	sed "s|^|# |" "$scratch/out" "$scratch/err"
	echo "# the result should be $expected"
	echo "# messages with parts: $(counted total.sent.revived.lan_messages)"
}
ok $status "two processes resume from the logs of three"

# A node joins a real run. When its second version is begun, the first is complete.
joined_versions() {
	[ "$(find "$logs" -name 'sateen-*-2-0-*.log' 2>/dev/null | wc -l)" -ge 2 ]
}
XDG_RUNTIME_DIR=$scratch
export XDG_RUNTIME_DIR
# real OPTION...: becomes a real run.
real() {
	exec setsid ./sateen run -n 2 -w 1 "$@" \
		./jacobi -r 400 -c 400 -n $sweeps --part-rows 50
}
add_node() {
	./sateen add $leader --nodes 1
}
keep_joined() {
	rm -rf "$logs"
	real --max-nodes 3 --keep "$logs" >"$scratch/out" 2>"$scratch/err" &
	leader=$!
	until_true is_over_or add_node
}
until_killed joined_versions keep_joined &&
	prints '^jacobi.*: error' ./sateen run -n 2 -w 1 --resume "$logs" \
		--stats=json:"$scratch/json" ./jacobi -r 400 -c 400 \
		-n $sweeps --part-rows 50 &&
	[ "$(counted total.revived)" = 16 ]
ok $? "two processes resume from the logs of two and one that has joined"

# A limit of the size of files is as a full disk. The line is about the log of the
# first version; no second one is begun.
rm -rf "$logs"
(
	ulimit -f 100
	prints '^jacobi.*: error' env STN_KEEP="$logs" STN_WORKERS=2 \
		./jacobi -r 400 -c 400 -n $sweeps --part-rows 50
)
ok $? "a run whose versions can't be written goes on"
grep -q "^sateen: can't write $logs/sateen-.*-0-0-.*.log: File too large; from now on node 0 keeps no results$" \
	"$scratch/err" && [ "$(wc -l <"$scratch/err")" = 1 ]
ok $? "a line tells of the error"

# There is room for one version and a half.
mkdir "$scratch/small"
tidy() {
	umount "$scratch/small" 2>/dev/null
}
if mount -t tmpfs -o size=2500k none "$scratch/small" 2>/dev/null; then
	keep_small() {
		rm -f "$scratch"/small/*
		real --keep "$scratch/small" >"$scratch/out" \
			2>"$scratch/err" &
		leader=$!
	}
	is_full() {
		grep -q "^sateen: can't write $scratch/small/sateen-.*: No space left" \
			"$scratch/err"
	}
	until_killed is_full keep_small && [ "$(grep -c ^sateen: "$scratch/err")" -le 2 ]
	ok $? "a line tells that the disk is full"
	prints '^jacobi.*: error' ./sateen run -n 2 -w 1 \
		--resume "$scratch/small" --stats=json:"$scratch/json" \
		./jacobi -r 400 -c 400 -n $sweeps --part-rows 50 &&
		[ "$(counted total.revived)" = 16 ]
	status=$?
	umount "$scratch/small"
	ok $status "a run resumes from the version that the full disk has"
else
	skip "a full disk" "the right to mount a small file system"
fi

plan
