#!/bin/sh
# bench_scripts.t: the scripts of benchmarks judge and end as they say. Most of them
# run stand-ins of our programs, which take no time.
. "$(dirname "$0")/tap.sh"

bench=$(cd "$source_directory/bench" && pwd)
AWK='awk'

# defines FUNCTION SCRIPT: takes over a function of a script of bench.
defines() {
	sed -n "/^$1() {/,/^}/p" "$bench/$2" >"$scratch/function"
	. "$scratch/function"
}

# A directory with stand-ins of our programs. The simulator takes the time $TIME, and
# fails if its command line has the words $FAILS.
programs=$scratch/programs
mkdir "$programs"
cat >"$programs/sateen" <<'END'
#!/bin/sh
case " $* " in *" ${FAILS:-none of these} "*)
	echo 'sateen: out of memory' >&2
	exit 1
	;;
esac
for word; do
	[ "${word#--stats=json:}" = "$word" ] || echo '{"run": 1, "nodes": [' \
		'{"last_sweep_ns": 5, "sets_left": 0, "sets_come": 0}]}' \
		>"${word#--stats=json:}"
done
echo "sateen: simulated 4 nodes for ${TIME:-100} s in 1 s" >&2
END
printf '#!/bin/sh\necho 0 1\n' >"$programs/loads"
printf '#!/bin/sh\n[ $1 != --plain ]\n' >"$programs/loadnews"
chmod +x "$programs"/*

# script SCRIPT ARGUMENTS...: runs a script of bench with these programs.
script() {
	name=$bench/$1
	shift
	(cd "$programs" && timeout 60 "$name" "$@" >"$scratch/out" \
		2>"$scratch/err" </dev/null)
}

# fails WORDS SCRIPT ARGUMENTS...: does the script succeed, fail if simulations with
# these words fail, and name the reason before it computes anything?
fails() {
	words=$1
	shift
	script "$@" && ! FAILS=$words script "$@" &&
		grep -q 'failed: sateen: out of memory' "$scratch/err" &&
		! grep -q 'awk:' "$scratch/err" && return
	echo "# $*:"
	sed 's/^/# /' "$scratch/out" "$scratch/err"
	return 1
}

# load-real.

defines used load-real
used
before=$used
perl -e '1 while (times)[0] < 0.5'
used
echo "$before $used" | awk '{ exit !($2 - $1 >= 0.4) }'
ok $? "load-real counts the processor time of the programs that it has run"

# --runs.

for name in settle weak-scaling sim/bench-sim news/news-003 figures-001; do
	! script $name --runs 3 && grep -q '^usage\|--quick' "$scratch/err"
	ok $? "$name refuses --runs, because it runs everything once"
done

# figures-004.

for experiment in runs sizes future plane; do
	fails '--scheduler smooth' figures-004 --quick $experiment
	ok $? "figures-004 $experiment fails if a simulation fails"
done

# figures-001 and news-003.

for experiment in costs migration chunks proposals settle large; do
	! FAILS='--hectiling yes' script figures-001 --quick $experiment &&
		grep -q 'failed: sateen: out of memory' "$scratch/err"
	ok $? "figures-001 $experiment fails if a simulation fails"
done
! FAILS='--spare 1' script figures-001 set &&
	grep -q 'failed: sateen: out of memory' "$scratch/err"
ok $? "figures-001 set names the reason"
! script news/news-003 --quick small && grep -q '^news-003: failed' "$scratch/err"
ok $? "news-003 fails if loadnews fails"

# settle.

fails '--scheduler equal' settle --quick
ok $? "settle fails if a simulation with another scheduler fails"
[ "$(grep -c ' failed$' "$scratch/out")" = 32 ]
ok $? "each row of its table says that it has failed"

# bench-fabric.

# rates NAME RATE...: a row for the rate of each run; "-": the run has none.
rates() {
	name=$1 run=0
	shift
	for rate; do
		run=$((run + 1))
		[ "$rate" = - ] || echo "$run,shm,throughput,$name,8,$rate,1,GB/s,9"
	done
}

# mpi_row OURS THEIRS: the row of rates of ours and of MPI, with five runs.
mpi_row() {
	: >"$scratch/rows"
	{
		rates shm,auto,sateen $1
		rates mpi,,MPI $2
	} | BENCH_ROWS=$scratch/rows awk -v output=markdown -v runs=5 \
		-v targets="$scratch/targets" -f "$bench/csv.awk" \
		-f "$bench/median.awk" -f "$bench/pairs.awk" -f "$bench/rows.awk" \
		-f "$bench/fabric/fabric.awk" >/dev/null
	cat "$scratch/rows"
}

mpi_verdict() {
	mpi_row "$@" | sed 's/.*\t//'
}
echo 'throughput,.*,.*,.*,.*,> 1' >"$scratch/targets"
[ "$(mpi_verdict '10 10 10 10 10' '9 9 9 9 9')" = met ] &&
	[ "$(mpi_verdict '10 10 10 10 5' '9 9 9 9 9')" = unresolved ]
ok $? "bench-fabric: one slower run leaves a comparison with MPI unresolved"
[ "$(mpi_verdict '10 10 10 10 5' '9 9 9 9')" = unresolved ] &&
	[ "$(mpi_verdict '10 10 10 10' '9 9 9 9')" = unresolved ]
ok $? "so does a run that is missing"
mpi_row '- 8 8 8 8' '9 - 4 4 4' | grep -q '	2.000 (8 / 4 GB/s)	2.000 to 2.000	'
ok $? "only values of the same run are compared"
mpi_row '8 -' '- 4' | grep -q '	not measured in the same run		unresolved'
ok $? "without a run of both there is no ratio"

# check-chaos. That it succeeds if runs survive deaths, .ci/run shows.

mkdir "$scratch/chaos"
ln -s "$(pwd)/nqueens" "$(pwd)/fib" "$scratch/chaos"
printf '#!/bin/sh\nshift 3\nexec %s/sateen run --survive no "$@"\n' "$(pwd)" \
	>"$scratch/chaos/sateen"
chmod +x "$scratch/chaos/sateen"
! (cd "$scratch/chaos" && top_srcdir=$bench/.. timeout 300 \
	"$bench/../tests/check-chaos" --count 10 --seed 1 --transports shm) \
	>"$scratch/out" 2>"$scratch/err" &&
	grep -q 'no node has died in ten runs' "$scratch/out"
ok $? "check-chaos fails if runs don't survive deaths"

plan
