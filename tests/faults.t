#!/bin/sh
# faults.t: bad input and dying nodes end a run with one clear line, a non-zero
# exit status, and nothing left behind.
. "$(dirname "$0")/tap.sh"

data=$source_directory/tests/data

# Options and settings.

# refuses PATTERN COMMAND...: the command ends with status 1; misused: with 2,
# because its command line or a variable is wrong.
refuses() {
	complains 1 "$@"
	ok $? "refuses, naming \"$1\": $(shift; echo "$*")"
}

misused() {
	complains 2 "$@"
	ok $? "is misused, naming \"$1\": $(shift; echo "$*")"
}

misused 'unknown option --blancer' ./sateen run --blancer rs ./fib
misused 'unknown option -s0' ./sateen run -s0 ./fib
misused 'no balancer "cilk"' ./sateen run --balancer cilk ./fib
misused '5 clusters need at least as many nodes' \
	./sateen run -n 4 --clusters 5 ./fib
misused '^sateen: nodes: "0"' ./sateen run -n 0 ./fib
misused '^sateen: nodes: "-3"' ./sateen run -n -3 ./fib
misused 'slots: "0" is not a number of records from 1 to' \
	./sateen run --slots 0 ./fib
misused 'stack: "1TiB" is not a size from 65536 to .* bytes, in B,.* or GiB (' \
	./sateen run --stack 1TiB ./fib
misused 'seed: "-1" is not a number from 0 to' ./sateen run --seed -1 ./fib
misused 'spin: "20" is not a time in ns, us, ms or s (' \
	./sateen run --spin 20 ./fib
misused 'cls-interval: "0s" is not a time from 100us on' \
	./sateen run --cls-interval 0s ./fib
misused '^sateen: wan: "1ms,1MiB/s" .*, rates in B/s,.* or GB/s (' \
	./sateen run -n 2 -c 2 --wan 1ms,1MiB/s ./fib
misused '^sateen: wan: "100"' ./sateen run -n 2 -c 2 --wan 100 ./fib
misused '^sateen: wan: "nanms"' ./sateen run -n 2 -c 2 --wan nanms ./fib
misused '^sateen: wan: "1ms,0KB/s"' ./sateen run -n 2 --wan 1ms,0KB/s ./fib
misused 'wan needs a value' ./sateen run --wan
misused 'no program to run' ./sateen run -n 2
misused '10000 nodes are too many for one host' ./sateen run -n 10000 ./fib 5
misused 'shm has no providers, and provider is "tcp"' \
	./sateen run -n 2 --transport shm --provider tcp ./fib 5
misused 'shm uses no network; leave --transport or --interface out' \
	./sateen run -n 2 -t shm --interface eth0 ./fib 5
misused 'wan is a link between clusters, and the run has one cluster; raise' \
	./sateen run -n 8 --wan 100ms,100KB/s ./fib 10
for option in '--lan 1ms' '--overhead 1us' '--threads 2' '--cost counted' \
	'--task-cost 1us' '--unit-cost 1us' '--speed 2'; do
	# shellcheck disable=SC2086 # the option and its value
	misused "^sateen: [a-z-]* is for virtual time only; .* leave ${option% *} out" \
		./sateen run -n 2 $option ./fib 5
done
for option in '--per core' '--provider tcp' '--near no' '--device mlx5_0' \
	'--interface eth0' '--address 127.0.0.1' '--ports 9000-9010'; do
	# shellcheck disable=SC2086 # the option and its value
	misused "^sateen: [a-z]* is for real time only; .* leave ${option% *} out" \
		./sateen sim -n 2 $option ./fib 5
done
misused 'each node has one worker in virtual time; .*leave --workers out' \
	./sateen sim -n 2 -w 4 ./fib 5
prints '^fib(5) = 5$' env STN_COST=counted STN_WAN=1ms ./sateen run -n 2 ./fib 5
ok $? "variables may be set for other commands"
prints '^fib(5) = 5$' env STN_WORKERS=4 STN_PROVIDER=tcp ./sateen sim -n 2 ./fib 5
ok $? "also in virtual time"
refuses 'STN_BALANCE is no setting, STN_BALANCER is' env STN_BALANCE=rs ./fib 5
misused 'STN_BALANCE is no setting' env STN_BALANCE=rs ./sateen info
misused '[-]-version takes no arguments' ./sateen --version all
misused 'STN_CLS_TRESHOLD is no setting, STN_CLS_THRESHOLD is' \
	env STN_CLS_TRESHOLD=4 ./sateen run -n 2 ./fib 5
prints '^fib(5) = 5$' env STN_BALANCER=rs STN_OF_MINE=1 STN_LONG=1 ./fib 5
ok $? "variables that do not resemble a setting are ignored"
refuses 'no transport "carrier-pigeon"' \
	./sateen run -n 2 --transport carrier-pigeon ./fib
refuses "can't run ./no-such-program: No such file" \
	./sateen run -n 2 ./no-such-program
refuses '^sateen: workers: "many"' env STN_WORKERS=many ./fib 5
misused '^sateen: stats: "2"' ./sateen run --stats=2 ./fib
misused '^sateen: stats: "json:"' ./sateen run --stats=json: ./fib
refuses '^sateen: stats: "xml:a"' env STN_STATS=xml:a ./fib 5
for nodes in 1 3; do
	refuses "can't write statistics to $scratch/none/x: No such file" \
		./sateen run -n $nodes --stats=json:"$scratch/none/x" ./fib 5
	[ ! -s "$scratch/out" ]
	ok $? "before the run begins"
done
refuses "can't write statistics to /dev/full: No space" \
	./sateen run -n 2 --stats=json:/dev/full ./fib 5
refuses 'use `sateen run`' env STN_NODES=2 STN_TRANSPORT=ofi ./fib 5
for how in '' './sateen run -n 2' './sateen run -n 2 --transport loop'; do
	complains 1 "^sateen: can't write [a-z' ]*output: No space left" \
		sh -c "$how ./fib 20 >/dev/full"
	ok $? "a result that can't be written is a failure: $how"
done

complains 1 "^sateen: can't write standard output: Bad file descriptor" \
	sh -c './ordinary bytes >&-'
ok $? "so is a result for a standard output that is closed"
complains 1 "^sateen: can't write the nodes' output: Bad file descriptor" \
	sh -c './sateen run -n 2 ./fib 20 >&-'
ok $? "in a run of several nodes, too"

for command in help info --version --help; do
	complains 1 "^sateen: can't write standard output: No space left" \
		sh -c "./sateen $command >/dev/full"
	ok $? "and so is the output of sateen $command"
done

complains 2 'no command "walk"' ./sateen walk
ok $? "sateen walk: no such command, status 2"

complains 1 'pin is "maybe"' env STN_PIN=maybe ./fib 3
ok $? "a value that is not a choice is refused"

# Files with mistakes: one line names the file.

for file in "$data"/nff/*; do
	[ -x ./raytracer ] || continue
	complains 1 "$(basename "$file")" ./raytracer "$file"
	ok $? "raytracer refuses $(basename "$file")"
done
for file in "$data"/tsp/bad-*; do
	complains 1 "$(basename "$file")" ./tsp "$file"
	ok $? "tsp refuses $(basename "$file")"
done
complains 1 'no-such-file' ./tsp no-such-file
ok $? "tsp refuses a file that is not there"

# Ends of nodes.

# Endpoints' files are called PID:.... `die` writes its process number to this file.
DIE_PIDS=$scratch/pids
export DIE_PIDS
has_files() {
	while read -r pid; do
		! ls /dev/shm/"$pid":* 2>/dev/null || return 0
	done <"$DIE_PIDS"
	return 1
}

nothing_left() {
	! pgrep -f "^$die" && [ -s "$DIE_PIDS" ] && ! has_files
	ok $? "nothing is left of it: no process, no file in /dev/shm"
}

die=$scratch/die # a name of its own, to look for
cp die "$die"
./sateen run -n 3 --transport loop "$die" return
ok $((! ($? == 5))) "the status of node 0's main is the run's"
complains 1 'careless returned between a STN_SPAWN and its STN_SYNC' \
	"$die" unsynced
ok $? "a task that forgets its sync is named"
complains 1 'STN_SYNC(victim) comes without a STN_SPAWN' "$die" bare
ok $? "and a sync without a spawn"
complains 1 'STN_SYNC(harmless) meets a STN_SPAWN of victim' "$die" crossed
ok $? "and a sync of another task than was spawned"
complains 1 'a buffer of 5 rows for 4 rounds' "$die" long
ok $? "and a loop whose buffer has too many rows"
if sanitized; then
	skip "stack overflow" "a build without sanitizers"
else
	complains 1 'worker 0 ran out of its stack of 1048576 bytes' \
		env STN_WORKERS=1 STN_STACK=1MiB "$die" deep
	ok $? "a stack overflow is reported"
fi

if have_ofi; then
	./sateen run -n 3 "$die" return
	ok $((! ($? == 5))) "the same with processes"
	complains 1 'node [12] died during the run: signal 9' \
		./sateen run -n 3 --survive no "$die" abroad
	ok $? "a node that is killed during the run is named"
	for provider in tcp shm; do
		complains 1 "node [12] died during the run: signal 9.*with --provider $provider do not" \
			./sateen run -n 3 --provider $provider "$die" abroad
		ok $? "also over libfabric's $provider, which runs do not survive"
	done
	nothing_left
	complains 1 'node 1 died before the run: signal 9' \
		./sateen run -n 3 sh -c \
		'[ $STN_RANK = 1 ] && kill -9 $$; exec ./fib 5'
	ok $? "a node that is killed before the run is named"
	complains 1 'ended (status 0) before it joined the run; is true a' \
		./sateen run -n 2 true
	ok $? "a program without Sateen is named"
	complains 1 'node [01] has started a second Sateen program' \
		./sateen run -n 2 sh -c './fib 5; ./fib 5'
	ok $? "so is a node that starts a second program"
	complains 1 'no provider that serves on address no.such.host' \
		./sateen run -n 2 --address no.such.host ./fib 5
	ok $? "an address of another host is named"
	complains 1 'node [01]: 192.0.2.1 is no address of this host; give another' \
		./sateen run -n 2 --address 192.0.2.1 ./fib 5
	ok $? "and one by its number"
	complains 1 'provider "carrier-pigeon"' \
		./sateen run -n 2 --provider carrier-pigeon ./fib 5
	ok $? "an unknown provider is named"
	complains 1 'node [01] has a task "[a-z]* [a-z]*(' \
		./sateen run -n 2 sh -c \
		'[ $STN_RANK = 1 ] && exec ./api; exec ./die return'
	ok $? "nodes with different programs refuse each other, naming a task"
	complains 1 'node [01] was built with another version of Sateen' \
		./sateen run -n 2 sh -c \
		'[ $STN_RANK = 1 ] && exec ./elder 20; exec ./fib 20'
	ok $? "so do nodes of different versions"
	timeout 100 ./sateen run -n 3 "$die" main 2>"$scratch/err"
	ok $((! ($? == 7))) "exit() in main ends the run with its status"
	[ ! -s "$scratch/err" ]
	ok $? "  and without a message"
else
	skip "ends of nodes" "libfabric-dev"
fi

# Interrupts: the test waits until the run prints a line, then interrupts it.
if have_ofi_shm; then
	for signal in INT TERM; do
		mkfifo "$scratch/ready"
		# shells start background jobs with SIGINT ignored; env undoes it
		env --default-signal=INT ./sateen run -n 4 --provider shm \
			"$die" wait >"$scratch/ready" 2>"$scratch/err" &
		read -r _ <"$scratch/ready"
		kill -$signal $!
		wait $!
		status=$?
		rm "$scratch/ready"
		[ $status -gt 128 ]
		ok $? "SIG$signal ends the run with a status over 128 ($status)"
		grep -q 'interrupted' "$scratch/err"
		ok $? "  and says so"
		nothing_left
	done
else
	skip "interrupts" "400 MB free in /dev/shm"
fi

# The host's resources.

if have_ofi; then
	# Prints a port that it has, runs the command for that port, and then ends.
	perl -MSocket -e 'socket(S, PF_INET, SOCK_STREAM, 0);
		bind(S, sockaddr_in(0, inet_aton("127.0.0.1"))) || exit 1;
		listen(S, 1); ($port) = sockaddr_in(getsockname(S));
		$| = 1; print "$port\n";
		system(qw(./sateen run -n 2 --ports), $port, qw(./fib 5));
		exit($? >> 8)' >"$scratch/out" 2>"$scratch/err"
	status=$?
	port=$(head -n 1 "$scratch/out")
	[ $status = 1 ] && [ "$(wc -l <"$scratch/err")" = 1 ] &&
		grep -q "port $port of 127.0.0.1 is in use" "$scratch/err"
	status=$?
	[ $status = 0 ] || sed 's/^/# /' "$scratch/err"
	ok $status "a port in use is named"
	if unshare -m true 2>/dev/null; then
		complains 1 '/dev/shm has .* MB free' unshare -m sh -c \
			'mount -t tmpfs -o size=8m none /dev/shm &&
			exec ./sateen run -n 2 --provider shm ./fib 5'
		ok $? "a full /dev/shm is reported"
	else
		skip "a full /dev/shm" "permission to mount"
	fi
	nothing_left
fi

plan
