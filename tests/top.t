#!/bin/sh
# top.t: sateen top.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/processes.sh"
. "$(dirname "$0")/watched.sh" # has a start and a finish of its own

XDG_RUNTIME_DIR=$scratch/runtime
export XDG_RUNTIME_DIR
mkdir -m 700 "$XDG_RUNTIME_DIR"

# table_has PATTERN...: sateen top --once prints these, each in a line.
table_has() {
	./sateen top --once "$run" >"$scratch/table" || return 1
	for pattern; do
		grep -q -e "$pattern" "$scratch/table" || return 1
	done
}

start ./sateen run -n 4 -c 2 -w 1 ./watched "$scratch/fifo"
until_true table_has '^progress: 100.0 %, 128 of 128'
ok $? "the table has the progress"
table_has 'watched: 4 nodes, 2 clusters, balancer crs, .*; died 0,' \
	'^cluster 1  *2 ' '^node 0  *1 .* 1$' '^node 3  *1 '
status=$?
[ $status = 0 ] || sed 's/^/# /' "$scratch/table"
ok $status "the run, its clusters, its nodes, the bound"
[ -z "$(sed 1,2d "$scratch/table" | grep '.\{81\}')" ]
ok $? "the table is at most 80 columns wide"
./sateen top | grep -q "^$run "
ok $? "without a run, all runs are listed"
kill -STOP "$run"
complains 1 'does not answer' timeout 20 ./sateen top --once "$run"
ok $? "a launcher that is stopped does not answer, and top ends"
kill -CONT "$run"
# shellcheck disable=SC2046 # a list
kill -9 "$(node_among 3 $(children "$run"))"
until_true table_has '3 nodes.*; died 1,' '^node 3 .*gone$'
ok $? "a death appears"

if grep -q '^#define HAVE_NCURSES' config.h; then
	if command -v script >/dev/null; then
		# The terminal goes, without a signal.
		TERM=xterm script -q -f -c "trap '' HUP
			echo \$\$ >$scratch/pid
			exec ./sateen top $run" \
			"$scratch/lost" </dev/null >/dev/null 2>&1 &
		terminal=$!
		until_true grep -q 'progress: 100.0 %' "$scratch/lost"
		kill -KILL $terminal
		until_true sh -c "[ -s '$scratch/pid' ] &&
			! grep -q sateen /proc/$(cat "$scratch/pid")/cmdline"
		ok $? "the view ends when its terminal has gone"
		TERM=dumb timeout -k 5 20 script -q -e -f -c "./sateen top $run" \
			"$scratch/dumb" </dev/null >/dev/null 2>&1
		[ $? = 2 ] && grep -q 'unknown type; use sateen top --once' \
			"$scratch/dumb" && ! grep -q progress "$scratch/dumb"
		ok $? "a terminal that can't place text gets one line"
		mkfifo "$scratch/keys"
		TERM=xterm env --default-signal=INT timeout -k 5 100 script -q -e \
			-f -c "exec ./sateen top $run" "$scratch/broken" \
			<"$scratch/keys" >/dev/null 2>&1 &
		view=$!
		exec 3>"$scratch/keys"
		until_true grep -q 'progress: 100.0 %' "$scratch/broken"
		printf '\003' >&3
		wait $view
		ok $? "Control-C ends the view, with status 0"
		exec 3>&-
		TERM=xterm script -q -e -f -c "./sateen top $run" \
			"$scratch/view" </dev/null >/dev/null 2>&1 &
		view=$!
		until_true grep -q 'progress: 100.0 %' "$scratch/view"
		ok $? "the view shows the same"
		finish
		ok $? "the run ends"
		wait $view
		ok $? "and so does the view"
		grep -q "run $run has ended" "$scratch/view"
		ok $? "which says why"
	else
		skip "the view" "script"
		finish
	fi
	complains 2 'there is no terminal' ./sateen top "$run"
	ok $? "without a terminal, the view refers to --once"
else
	complains 2 'built without ncurses' ./sateen top "$run"
	ok $? "without ncurses, the view says so"
	finish
fi

complains 1 'there is no run' ./sateen top --once "$run"
ok $? "a run that has ended is named"
complains 1 'is not the number of a run' ./sateen top --once x
ok $? "a name is no run"
complains 1 "can't connect to 127.0.0.1:1: " ./sateen top --once 127.0.0.1:1
ok $? "an address that nobody listens on is named"

# The same from where --metrics serves it.
if grep -q '^#define HAVE_MICROHTTPD' config.h; then
	start ./sateen run --metrics 0 -n 2 ./watched "$scratch/fifo"
	until_true served
	run=${url#http://}
	run=${run%/metrics}
	until_true table_has '^progress: 100.0 %, 128 of 128'
	ok $? "by HTTP the table is the same"
	run=$url
	table_has '^progress: 100.0 %, 128 of 128'
	ok $? "and by the address that the run has printed"
	finish
fi

# mpirun's process 0 is the launcher, whose number is the run's.
if grep -q '^#define HAVE_PMIX' config.h && command -v mpirun >/dev/null &&
	mpirun --version | grep -q 'Open MPI'; then
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

	# run_of_mpirun: sets $run when the run is listed.
	run_of_mpirun() {
		run=$(./sateen top 2>/dev/null | sed -n 's/ .*watched$//p')
		[ -n "$run" ]
	}
	start mpirun --oversubscribe -n 3 ./watched "$scratch/fifo"
	until_true run_of_mpirun
	ok $? "a run of mpirun is listed"
	until_true table_has 'watched: 3 nodes' '^node 2 ' \
		'^progress: 100.0 %, 128 of 128'
	ok $? "and its nodes are in the table"
	finish
	ok $? "and it ends well"
else
	skip "a run of mpirun" "libpmix-dev or openmpi-bin"
fi
./sateen top >"$scratch/table" 2>"$scratch/err"
[ $? = 0 ] && [ ! -s "$scratch/table" ] &&
	grep -q '^sateen: you have no run on this host;.* srun' "$scratch/err"
ok $? "without a run, one line says where runs are listed"

# Nodes on other hosts: their agents send what the launcher shows.
cat >"$scratch/ssh" <<'END_SSH'
#!/bin/sh
for command; do :; done
exec sh -c "$command"
END_SSH
chmod +x "$scratch/ssh"
printf 'h1 slots=2\nh2 slots=2\n' >"$scratch/hosts"
start ./sateen run --ssh "$scratch/ssh" --hosts "$scratch/hosts" ./watched \
	"$scratch/fifo"
until_true table_has '4 nodes' '^progress: 100.0 %, 128 of 128' '^node 3 '
status=$?
[ $status = 0 ] || sed 's/^/# /' "$scratch/table" "$scratch/run.err"
ok $status "nodes of other hosts are in the table"
finish
ok $? "and the run ends well"

# columns_fit: no line of the table is wider than a terminal. The first two may be.
columns_fit() {
	[ -z "$(sed 1,2d "$scratch/table" | grep '.\{81\}')" ]
}
cat >"$scratch/hosts" <<'END_HOSTS'
[delft]
h1 slots=2
[a-university-far-away]
h2 slots=1
END_HOSTS
start ./sateen run --ssh "$scratch/ssh" --hosts "$scratch/hosts" \
	--trace "$scratch/trace" ./watched "$scratch/fifo"
until_true table_has '3 nodes, 2 clusters' '^node 2 ' '^delft  *2 ' \
	'^a-university-far-away$' '^  *1 ' && columns_fit
status=$?
[ $status = 0 ] || sed 's/^/# /' "$scratch/table" "$scratch/run.err"
ok $status "clusters have the names that the file of hosts gives them"
finish
ok $? "and the run ends well"
# names_are NAME NAME: the trace has these names of two clusters
names_are() {
	names=$(tr -d ' \n' <"$scratch/trace" |
		grep -o '"cluster_names":\[[^]]*\]')
	[ "$names" = "\"cluster_names\":[\"$1\",\"$2\"]" ]
}
names_are delft a-university-far-away
ok $? "its trace has the names, too"

# joined NUMBER: sets $launcher to the launcher of this cluster, the first being 1.
joined() {
	launcher=$(./sateen top | sed -n 's/  .* \.\/watched$//p' | sed -n "$1p")
	[ -n "$launcher" ]
}

# joined_has PATTERN...: the table of one of the two clusters has these.
joined_has() {
	for number in 1 2; do
		joined $number && run=$launcher table_has "$@" && return
	done
	return 1
}
if grep -q '^#define HAVE_GATEWAYS' config.h && command -v redis-server \
	>/dev/null; then
	start ./sateen run --gateways -n 3 --clusters 2 --trace "$scratch/trace" \
		./watched "$scratch/fifo"
	until_true joined_has '2 nodes, 1 cluster' '^cluster-000  *2 ' '^node 1 ' &&
		until_true joined_has '^cluster-001  *1 ' '^node 2 ' && columns_fit
	status=$?
	[ $status = 0 ] || sed 's/^/# /' "$scratch/table" "$scratch/run.err"
	ok $status "so have clusters that sateen join joins"
	gateway=$(./sateen top | sed -n 's/  .* cluster-001 of here .*//p')
	complains 1 'a gateway, which has no counts; use .* `sateen run`$' \
		./sateen top --once "$gateway"
	ok $? "a gateway names the command that has the counts"
	finish
	ok $? "and that run ends well"
	names_are cluster-000 cluster-001
	ok $? "and its trace has them, too"
else
	skip "clusters of sateen join" "libssl-dev, libhiredis-dev or redis-server"
fi
plan
