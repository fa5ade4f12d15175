#!/bin/sh
# keep.t: a run with --keep is killed, and --resume continues it: the result is
# right, and work that was kept is not repeated.
. "$(dirname "$0")/tap.sh"

logs=$scratch/logs
result='held: trees of 729 leaves'
tree='./held 6 10000' # 7.3 s for each tree
# `held` visits one tree if this file exists, and else goes on until it is killed.
HELD_UNTIL=$scratch/may_end
export HELD_UNTIL

# has_logs COUNT BYTES: there are logs, with so many bytes altogether.
has_logs() {
	[ "$(find "$logs" -name 'sateen-*.log' | wc -l)" -ge "$1" ] &&
		[ "$(cat "$logs"/sateen-*.log | wc -c)" -ge "$2" ]
}

is_empty() {
	[ -z "$(ls -A "$logs")" ]
}

# kill_run BYTES COMMAND...: kills all processes of the run when each of its two nodes
# has a log beside those of earlier runs, and all logs have so many bytes. Each result
# takes less than 64 bytes. The run does not end before.
kill_run() {
	bytes=$1
	shift
	rm -f "$HELD_UNTIL"
	earlier=$(find "$logs" -name 'sateen-*.log' 2>/dev/null | wc -l)
	setsid "$@" >"$scratch/killed" 2>&1 &
	leader=$!
	until_true has_logs $((earlier + 2)) "$bytes"
	kill -KILL -$leader
	wait $leader 2>/dev/null
	until_true none_of $leader
	: >"$HELD_UNTIL"
}

none_of() {
	! kill -0 -"$1" 2>/dev/null
}

# resumes COMMAND...: the run has the right result, and takes some from logs.
resumes() {
	rm -f "$scratch/json"
	prints "^$result\$" env STN_STATS=json:"$scratch/json" "$@" || return
	resumed=$(counted total.resumed)
	[ "$resumed" -gt 0 ] && [ "$(counted total.executed)" -lt 1000 ]
}

# shellcheck disable=SC2086 # lists, in the whole file
kill_run 8000 ./sateen run -n 2 -w 1 --keep "$logs" $tree
cp -r "$logs" "$scratch/saved"
resumes ./sateen run -n 2 -w 1 --resume "$logs" $tree
ok $? "two nodes resume: $resumed results are found"
grep -q "^sateen: resumes from [0-9]* results in 2 logs in $logs$" \
	"$scratch/err" && [ "$(wc -l <"$scratch/err")" = 1 ]
ok $? "a line tells from how many results"
has_logs 2 8000
ok $? "the logs stay if the run does not keep"
resumes ./sateen run -n 3 -w 2 --resume "$logs" $tree
ok $? "other nodes resume"
resumes env STN_RESUME="$logs" $tree
ok $? "a process without a launcher resumes"
resumes ./sateen sim -n 4 --resume "$logs" $tree
ok $? "a simulation resumes"
if have_ofi; then
	resumes ./sateen run -n 2 --survive yes --transport ofi \
		--provider net --resume "$logs" $tree
	ok $? "a run that survives deaths resumes"
fi

# Killed again, and resumed from the logs of both runs.
before=$(cat "$logs"/*.log | wc -c)
kill_run $((before + 2000)) ./sateen run -n 2 -w 1 --keep "$logs" \
	--resume "$logs" $tree
resumes ./sateen run -n 2 -w 1 --keep "$logs" --resume "$logs" $tree
ok $? "the second run was killed as well: the third continues"
is_empty
ok $? "and removes all logs, when it has succeeded"

# What is wrong with logs.
cp "$scratch"/saved/*.log "$logs"
log=$(find "$logs" -name 'sateen-*.log' -size +1)
log=${log%%[[:space:]]*} # one of more than 512 bytes
printf 'X' | dd of="$log" bs=1 seek=300 conv=notrunc 2>/dev/null
resumes ./sateen run -n 2 -w 1 --resume "$logs" $tree
ok $? "a damaged log is used"
grep -q "^sateen: $log is damaged at byte [0-9]*; [0-9]* results in it are used$" \
	"$scratch/err" && [ "$(wc -l <"$scratch/err")" = 2 ]
ok $? "a line tells of the damage"
cp "$scratch"/saved/*.log "$logs"
size=$(wc -c <"$log")
dd if="$scratch/saved/$(basename "$log")" of="$log" bs=1 count=$((size - 5)) \
	2>/dev/null
resumes ./sateen run -n 2 -w 1 --resume "$logs" $tree &&
	! grep -q damaged "$scratch/err"
ok $? "a log whose last entry is torn is used, and that is no damage"
complains 1 "$logs/sateen-.*\.log is the log of another program" \
	./sateen run -n 2 --resume "$logs" ./fib 20
ok $? "the log of another program is refused"
complains 1 "$logs/sateen-.*\.log is the log of another program" \
	env STN_RESUME="$logs" ./fib 20
ok $? "also by one process"
complains 1 "can't read the directory $scratch/no of --resume: No such" \
	./sateen run -n 2 --resume "$scratch/no" ./fib 20
ok $? "a missing directory is refused"
touch "$scratch/file"
complains 1 "can't read \(the directory \)\?$scratch/file.*: Not a directory" \
	./sateen run -n 2 --resume "$scratch/file" ./fib 20
ok $? "and a file"
complains 1 "can't write to the directory $scratch/file of --keep: Not a" \
	./sateen run -n 2 --keep "$scratch/file" ./fib 20
ok $? "a file is no directory for logs"
complains 2 'keep-all is "some"; it can be yes or no' \
	./sateen run --keep "$logs" --keep-all some ./fib 20
ok $? "a value that is no choice is refused"

# A run without earlier logs; and with those of other runs, which stay.
rm -rf "$logs"
prints "^$result\$" ./sateen run -n 2 -w 1 --keep "$logs" --resume "$logs" \
	./held 6 4000
ok $? "--resume of the directory of --keep needs no logs"
is_empty
ok $? "the run's logs are removed"
cp "$scratch"/saved/*.log "$logs"
saved=$(ls "$logs")
prints "^$result\$" ./sateen run -n 2 -w 1 --keep "$logs" \
	./held 6 4000
[ "$(ls "$logs")" = "$saved" ]
ok $? "the logs of other runs stay"
rm "$logs"/*
prints "^$result\$" ./sateen run -n 2 -w 1 --keep "$logs" --keep-all yes \
	./held 6 4000
has_logs 2 1000
ok $? "--keep-all leaves the logs"
rm "$logs"/*

# A limit of the size of files, which is as a full disk; in blocks of 512 or 1024
# bytes. One process, because memory that nodes share counts as a file.
(
	ulimit -f 1
	prints "^$result\$" env STN_KEEP="$logs" STN_WORKERS=2 $tree
)
ok $? "a run whose logs can't be written goes on"
grep -q "^sateen: can't write $logs/sateen-.*-0.log: File too large; from now on node 0 keeps no results$" \
	"$scratch/err" && [ "$(wc -l <"$scratch/err")" = 1 ]
ok $? "a line tells of the error"
mkdir "$scratch/small"
tidy() {
	umount "$scratch/small" 2>/dev/null
}
if mount -t tmpfs -o size=4k none "$scratch/small" 2>/dev/null; then
	prints "^$result\$" ./sateen run -n 2 -w 1 --keep "$scratch/small" \
		$tree &&
		grep -q "^sateen: can't write $scratch/small/sateen-.*: No space" \
			"$scratch/err" && [ "$(wc -l <"$scratch/err")" -le 2 ]
	status=$?
	umount "$scratch/small"
	ok $status "so does a run whose disk is full"
else
	skip "a full disk" "the right to mount a small file system"
fi
plan
