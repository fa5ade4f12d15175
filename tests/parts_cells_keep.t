#!/bin/sh
# parts_cells_keep.t: a run with an array of cells and --keep is killed, and --resume
# continues it: the result has the same bits, and steps that are on disk are not
# repeated.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/keep_runs.sh"

steps=60
plummer="./nbody -n 1500 -t $steps --part 100"
program=$plummer
unit_cost=150ns

# resumes NODES OPTION...: has the run continued, with the right result?
resumes() {
	virtual "$@" && [ "$(result)" = "$expected" ] &&
		grep -q '^sateen: resumes cells 1 after [0-9]* sweeps and cuts$' \
			"$scratch/err"
}

virtual 4
expected=$(result)
whole=$(took)
virtual 4 --keep "$logs" && ! grep -q 'keep does not write' "$scratch/err" &&
	[ "$(result)" = "$expected" ] && [ "$(took)" -le $((whole * 101 / 100)) ]
ok $? "--keep takes 1 % at most: $(took) ms, without it $whole ms"
[ -z "$(ls -A "$logs")" ]
ok $? "the logs are removed when the run has succeeded"
killed 20
ok $? "all nodes are killed"
[ "$(find "$logs" -name '*.log' | wc -l)" -le 12 ]
ok $? "the logs are of three versions at most"
cp -r "$logs" "$scratch/saved"
for nodes in 4 1 2 7; do
	resumes $nodes --resume "$logs"
	ok $? "$nodes nodes resume: $(took) ms"
done
resumes 4 --resume "$logs" && [ "$(took)" -le $((whole - 20000 + 6000)) ]
ok $? "what was done 6 s before the end is not repeated: $(took) of $whole ms"
sed -n 's/^time: \(.*\) s for \([0-9]*\) of 60 steps, since the run was resumed, .*/\1 \2/p' \
	"$scratch/out" | awk -v whole="$whole" '{
		ideal = whole * $2 / 60
		exit !($1 * 1000 > ideal * 0.85 && $1 * 1000 < ideal * 1.15)
	}'
ok $? "the time is that of the steps since then: $(grep ^time: "$scratch/out")"
for scheduler in equal once smooth restless fractiling; do
	resumes 3 --resume "$logs" --scheduler $scheduler
	ok $? "$scheduler: three nodes resume"
done
resumes 6 --resume "$logs" -c 3 --wan 1ms,100MB/s
ok $? "three clusters resume"

# Killed again, and resumed from the logs of both runs.
killed 11 --resume "$logs" && [ "$(find "$logs" -name '*.log' | wc -l)" -le 12 ]
ok $? "a resumed run is killed: the logs of the first run are removed"
resumes 4 --keep "$logs" --resume "$logs" && [ "$(took)" -le $((whole - 16000)) ]
ok $? "the third run continues: $(took) ms"
[ -z "$(ls -A "$logs")" ]
ok $? "and removes all logs"

# With deaths.
cp "$scratch"/saved/*.log "$logs"
for event in '0.01ms kill node 2' '0.05ms kill node 0' '0.1ms kill node 3' \
	'4s kill node 1' '4s kill node 0'; do
	echo "$event" >"$scratch/events"
	resumes 4 --survive yes --silence 5ms --resume "$logs" \
		--events "$scratch/events"
	ok $? "a resumed run survives: $event"
done
rm "$logs"/*
printf '4s kill node 0\n20s kill nodes 1-3\n' >"$scratch/events"
virtual 4 --survive yes --silence 5ms --keep "$logs" \
	--events "$scratch/events"
resumes 3 --resume "$logs" && [ "$(took)" -le $whole ]
ok $? "node 0 dies, and then all others: $(took) ms"

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
size=$(wc -c <"$log")
printf 'X' | dd of="$log" bs=1 seek=$((size - 5000)) conv=notrunc 2>/dev/null
resumes 4 --resume "$logs" && [ "$(took)" -gt "$before" ] &&
	[ "$(took)" -lt $((whole - 8000)) ]
ok $? "a part is damaged: the version before is used, $(took) ms and not $before ms"
[ "$(grep -c "^sateen: $log is damaged at byte [0-9]*; [0-9]* parts in it can be used$" \
	"$scratch/err")" = 1 ]
ok $? "one line tells of the damage"
restore
truncate -s $((size - 5000)) "$log"
resumes 4 --resume "$logs" && [ "$(took)" -gt "$before" ] &&
	[ "$(took)" -lt $((whole - 8000)) ]
ok $? "a log is torn: the version before is used"
restore
printf 'X' | dd of="$log" bs=1 seek=200 conv=notrunc 2>/dev/null
resumes 4 --resume "$logs" && [ "$(took)" = "$before" ]
ok $? "a history is damaged: another log has it"
restore
for log in "$logs"/*; do
	printf 'X' | dd of="$log" bs=1 seek=200 conv=notrunc 2>/dev/null
done
virtual 4 --resume "$logs" && [ "$(result)" = "$expected" ] &&
	! grep -q 'resumes cells' "$scratch/err"
ok $? "all histories are damaged: the run begins anew"

# Logs of other runs.
refuses() {
	! virtual 4 --resume "$logs" &&
		grep -q "the logs in $logs are of a run that has $1 in another way; " \
			"$scratch/err"
}
restore
program="./nbody -n 1600 -t $steps --part 100"
refuses 'made its grids'
ok $? "the logs of another number of particles are refused"
program="./nbody -n 1500 -t $steps --part 100 --seed 2"
refuses 'swept and measured its grids'
ok $? "so are those of other particles"

# A program that gives its records.
if grep -q '^#define NETCDF_SONAME' config.h; then
	rm -f "$logs"/*
	for seed in 1 2; do
		./nbody -n 1500 -t 1 --seed $seed --write "$scratch/$seed.nc" \
			>/dev/null
	done
	program="./nbody --read $scratch/1.nc -t $steps --part 100"
	virtual 4
	expected=$(result)
	killed 20
	resumes 3 --resume "$logs" && [ "$(took)" -le $((whole - 10000)) ]
	ok $? "records that main has given: $(took) ms"
	program="./nbody --read $scratch/2.nc -t $steps --part 100"
	refuses 'swept and measured its grids'
	ok $? "the logs of other records are refused"
else
	skip "records that main has given" netCDF
	skip "the logs of other records are refused" netCDF
fi

# Main that gets records needs them as they were then.
if grep -q '^#define NETCDF_SONAME' config.h; then
	program="$plummer --write $scratch/frames.nc --every 1"
	virtual 2 --keep "$logs" &&
		[ "$(grep -c '^sateen: --keep does not write versions that come after' \
			"$scratch/err")" = 1 ]
	ok $? "a line says that versions after STN_CELLS_GET are not written"
else
	skip "a line about STN_CELLS_GET" netCDF
fi

# In reality. All nodes find all logs in one directory.
rm -rf "$logs"
# Two versions are on disk after 2 s at least. until_killed takes more steps on a fast
# machine.
sweeps=100
! sanitized || sweeps=50
# real OPTION...: a real run with so many steps.
real() {
	timeout 300 ./sateen run -w 1 "$@" ./nbody -n 2500 --part 100 -t $sweeps \
		>"$scratch/out" 2>"$scratch/err"
}
keep_real() {
	rm -rf "$logs"
	setsid ./sateen run -n 3 -w 1 --keep "$logs" ./nbody -n 2500 --part 100 \
		-t $sweeps >"$scratch/out" 2>"$scratch/err" &
	leader=$!
}
has_two_versions() {
	[ "$(find "$logs" -name 'sateen-*-2-0-*.log' 2>/dev/null | wc -l)" -ge 2 ]
}
until_killed has_two_versions keep_real && real -n 2 && grep -q checksum "$scratch/out" &&
	expected=$(result) &&
	real -n 2 --resume "$logs" --stats=json:"$scratch/json" &&
	[ "$(result)" = "$expected" ] &&
	grep -q 'resumes cells 1 after' "$scratch/err" &&
	[ "$(counted total.revived)" -gt 0 ]
status=$?
[ $status = 0 ] || sed "s|^|# |" "$scratch/out" "$scratch/err"
ok $status "two processes resume from the logs of three"

plan
