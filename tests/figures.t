#!/bin/sh
# figures.t: a sweep of small runs in virtual time makes tables, plots and JSON. It
# continues where it stopped. A run that fails is named. Killing the sweep ends its
# runs. Four efficiencies of docs/figures.md are computed again.
. "$(dirname "$0")/tap.sh"

if ! command -v jq >"$scratch/log" || ! command -v gnuplot >"$scratch/log"; then
	skip "a sweep" "jq and gnuplot-nox"
	plan
fi

cat >"$scratch/programs" <<'END_OF_PROGRAMS'
# A comment.
fib | fib 12 | --task-cost 1us
tree | tree -b 2 -d 5 -l 10ms | --task-cost 0s
oddly | tree -b 2 -d 4 -l 10ms | --task-cost 0s | named
END_OF_PROGRAMS
cat >"$scratch/networks" <<'END_OF_NETWORKS'
one | 1 x 4 | all | 4 | --clusters 1x4
two | 2 x 2 | all | 4 | --clusters 2x2 --wan 1ms,1MB/s
odd | 2 x 2, one slow | tree oddly | 3 | --clusters 2x2 --wan 1ms --speed 1,0.5
END_OF_NETWORKS
out=$scratch/figures

# sweep: runs the sweep; returns its exit status.
sweep() {
	timeout 100 "$source_directory/apps/figures/figures" --out "$out" --seeds 1 \
		--programs "$scratch/programs" \
		--networks "$scratch/networks" --balancers 'rs crs' \
		>"$scratch/out" 2>"$scratch/err" </dev/null
	status=$?
	sed 's/^/# /' "$scratch/out" "$scratch/err"
	return $status
}

# results: prints the names of all results, and when they were written.
results() {
	stat -c '%n %y' "$out"/results/*
}

# query PROGRAM [DIRECTORY]: true if the jq program holds for figures.json.
query() {
	jq -e "$1" "${2:-$out}/figures.json" >"$scratch/log"
}

sweep
ok $? "a sweep of two programs, two balancers, two networks, and a third network"
query '.runs | length == 12 and all(.speedup > 0 and .efficiency_percent > 0)'
ok $? "figures.json has all runs"
query '.programs[1].sequential_seconds as $alone | all(.runs[] |
	select(.program == "tree"); .speedup * .seconds / $alone |
	. > 0.999 and . < 1.001) and $alone == 0.32'
ok $? "speedups refer to one node, which takes 32 leaves of 10 ms"
query 'all(.runs[]; (.network == "one") == (.wan_messages == 0))'
ok $? "only runs on two clusters have messages between clusters"
grep -q '^| tree | [0-9.]* | [0-9.]* |$' "$out/speedup.md" &&
	grep -q '^| tree | 2 x 2, one slow | `crs` |' "$out/others.md"
ok $? "the tables have the runs, too"
! grep -q oddly "$out/speedup.md" && grep -q '^| oddly | 2 x 2, one slow' \
	"$out/others.md"
ok $? "a program marked as named runs only on networks that name it"
for plot in speedup messages; do
	grep -q '</svg>' "$out/$plot.svg" &&
		[ "$(dd bs=1 skip=1 count=3 if="$out/$plot.png" \
			2>"$scratch/log")" = PNG ]
	ok $? "the sweep draws a plot of $plot, as SVG and PNG"
done

results >"$scratch/before"
sweep && results | cmp - "$scratch/before"
ok $? "a second sweep repeats no run"
# As if the run of `tree` on one node had failed.
grep -v '^#' "$scratch/networks" | sed 's/[ 	]*|[ 	]*/|/g' >"$scratch/rows"
find "$out/results" -name '*.json' ! -name 'tree.*.sequential.*' -exec cat {} + |
	jq -s --rawfile networks "$scratch/rows" --rawfile paper /dev/null \
	-f "$source_directory/apps/figures/figures.jq" >"$scratch/lonely" &&
	jq -e '[.runs[] | select(.program == "tree")] |
		length > 0 and all(.speedup == null)' "$scratch/lonely" >"$scratch/log"
ok $? "without a sequential run there are figures, but no speedups"
rm "$out"/results/tree.crs.two.*
sweep && results >"$scratch/after" &&
	[ "$(sort "$scratch/before" "$scratch/after" | uniq -d | wc -l)" = 14 ] &&
	[ "$(wc -l <"$scratch/after")" = 15 ]
ok $? "a third sweep makes only the missing runs"

# The search: more records are fetched ahead with 64, which is faster here.
cat >"$scratch/tuned" <<'END_OF_TUNED'
cls | --cls-threshold | 1 64 | two
END_OF_TUNED
cat >"$scratch/paper" <<'END_OF_PAPER'
tree | two | cls | seconds 0.1, efficiency_percent 80, wan_messages 50
END_OF_PAPER
timeout 100 "$source_directory/apps/figures/figures" --out "$scratch/tuning" \
	--programs "$scratch/programs" --networks "$scratch/networks" \
	--tuned "$scratch/tuned" --paper "$scratch/paper" --seeds 2 \
	--balancers cls >"$scratch/out" 2>"$scratch/err" </dev/null
ok $? "a sweep that searches for a threshold"
query '[.runs[] | select(.program != "oddly") | .setting.value] | length == 5 and
	all(. == "1" or . == "64")' "$scratch/tuning"
ok $? "all runs of a program have the threshold that the search has found"
best=$(jq -s '[.[] | select(.program == "tree" and .network == "two" and
	(.options | contains("--seed") | not))] | map(.run.seconds) | min' \
	"$scratch"/tuning/results/tree.cls.two.*)
query "[.runs[] | select(.program == \"tree\" and .network == \"two\")][0] |
	.range.seconds[0] <= $best and $best <= .range.seconds[1]" "$scratch/tuning"
ok $? "the threshold is the one with the shortest run"
query 'all(.runs[]; .seeds == 2)' "$scratch/tuning"
ok $? "each run is repeated with another seed"
grep -q '^| tree | 2 x 2 | `cls` | 0.1 | ' "$scratch/tuning/paper.md" &&
	grep -q '^| tree | 2 x 2 | `cls` | wan messages | 50 | ' \
		"$scratch/tuning/stated.md"
ok $? "the tables have the published numbers beside ours"

sed -i 's/ 1us$/ 2us/' "$scratch/programs"
sweep && [ "$(results | wc -l)" = 20 ] && query '.runs | length == 12'
ok $? "a program whose costs changed is run again"

echo 'wrong | fib 1x | --task-cost 1us' >>"$scratch/programs"
sweep
[ $? = 1 ] && [ "$(wc -l <"$scratch/err")" = 6 ] &&
	grep -q '^figures: wrong, two, crs: status 2; ' "$scratch/err" &&
	grep -q '^figures: 5 of 20 runs failed$' "$scratch/err" &&
	query '.runs | length == 12'
ok $? "runs that fail are named, and the results of all others are kept"
[ -z "$(find "$out/results" -name '*.json.*')" ]
ok $? "failed runs leave no files"

# The runs take hours, in processes of their own.
echo 'long | fib 60 | --task-cost 1us' >>"$scratch/programs"
"$source_directory/apps/figures/figures" --out "$out" --seeds 1 \
	--programs "$scratch/programs" --networks "$scratch/networks" \
	--balancers 'rs crs' >"$scratch/out" 2>"$scratch/err" </dev/null &
until_true pgrep -f "timeout .*$out/results/long"
kill $!
wait $!
[ $? -gt 128 ] && ! pgrep -f "$out/results/" >"$scratch/log"
ok $? "killing a sweep ends its runs"
find "$out" -name '*.md' -o -name '*.svg' -o -name figures.json -o -name '*.json.*' \
	>"$scratch/left"
[ ! -s "$scratch/left" ]
status=$?
sed 's/^/# /' "$scratch/left"
ok $status "a killed sweep leaves no tables and plots of an earlier one"
sed -i /^long/d "$scratch/programs"

# Each of four efficiencies is computed with one of the seeds that the document's range
# is of. A point more or less is allowed, for changes of the runtime since.
cells=$scratch/cells
grep -E '^(nqueens|tsp) ' "$source_directory/apps/figures/programs" \
	>"$scratch/programs"
grep '^100ms-100KBs ' "$source_directory/apps/figures/networks" >"$scratch/networks"
"$source_directory/apps/figures/figures" --out "$cells" --seeds 1 \
	--programs "$scratch/programs" --networks "$scratch/networks" \
	--balancers 'rs crs' >"$scratch/out" 2>"$scratch/err" </dev/null
ok $? "four of the published runs"
# ranges FILE: prints program, balancer, and the least and most efficiency of each run.
ranges() {
	awk -F ' *[|] *' '$3 == "4 x 16, 100 ms, 100 KB/s" && $4 ~ /^`(rs|crs)`$/ &&
		$2 ~ /^(nqueens|tsp)$/ && NF == 13 {
			last = split($11, range, " to ")
			print $2, $4, range[1], range[last]
		}' "$1"
}
ranges "$source_directory/docs/figures.md" >"$scratch/documented"
ranges "$cells/paper.md" >"$scratch/computed"
sed 's/^/# documented /' "$scratch/documented"
sed 's/^/# computed /' "$scratch/computed"
paste -d ' ' "$scratch/documented" "$scratch/computed" | awk '
	$1 == $5 && $2 == $6 && $7 >= $3 - 1 && $8 <= $4 + 1 { agree++ }
	END { exit agree != 4 || NR != 4 }'
ok $? "four efficiencies of docs/figures.md are those of a sweep"

complains 1 "figures: can't read nowhere" \
	"$source_directory/apps/figures/figures" --programs nowhere
ok $? "a file of programs that can't be read is refused"
plan
