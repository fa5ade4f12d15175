# shellcheck shell=sh
# runs.sh: runs programs on one cluster or on both; sourced by `check`.
#
#	alone SITE PROGRAM...	on one cluster, with one node on each host
#	together PROGRAM...	on both clusters; the output of each is in
#				@scratch/SITE.out and @scratch/SITE.err
#	begin PROGRAM..., finish	the same in two steps; @site_a, @site_b are
#				the processes; begin_first and begin_second
#				are the halves of begin
#	refuses PATTERN COMMAND...	the command fails with one line that
#				matches, besides the line on nodes and hosts
#	complaints FILE		all lines but the one on nodes and hosts
#	seconds FILE		the time that a program has printed
#	traffic DEVICE		bytes that the switch has sent to a device
#	cut HOST DEVICE, mend HOST DEVICE	cuts a cable, and mends it

meeting=203.0.113.3:6379
join_a='' join_b='' # options for one site's `sateen join`

alone() {
	site=$1
	shift
	printf '%s1\n%s2\n' "$site" "$site" >"$lab/hosts.$site"
	timeout 100 on "$site" ./sateen run --hosts "$lab/hosts.$site" \
		--workers 1 "$@" >"$scratch/$site.out" 2>"$scratch/$site.err"
}

meet() {
	on meet redis-server --port 6379 --bind 203.0.113.3 --save '' \
		--protected-mode no >"$lab/redis.log" 2>&1 &
	(
		umask 077
		head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$lab/secret"
	)
	until_true grep 'Ready to accept' "$lab/redis.log"
	met=0
}

# join SITE OPTIONS PROGRAM...: runs one cluster's half of a run.
join() {
	site=$1 options=$2
	shift 2
	printf '%s1\n%s2\n' "$site" "$site" >"$lab/hosts.$site"
	# shellcheck disable=SC2086 # a list
	exec timeout 100 on "$site" ./sateen join --run "lab$met" \
		--at "$meeting" --secret-file "$lab/secret" --cluster "$site" \
		--clusters 2 $options -- ./sateen run \
		--hosts "$lab/hosts.$site" --workers 1 "$@" \
		>"$scratch/$site.out" 2>"$scratch/$site.err" </dev/null
}

begin_first() {
	[ -n "${met:-}" ] || meet
	met=$((met + 1))
	: >"$scratch/a.err" # before a caller waits for a line in it
	join a "$join_a" "$@" &
	site_a=$!
}

begin_second() {
	: >"$scratch/b.err"
	join b "$join_b" "$@" &
	site_b=$!
}

begin() {
	begin_first "$@"
	begin_second "$@"
}

finish() {
	wait $site_a
	status_a=$?
	wait $site_b
	status_b=$?
	[ $status_a = 0 ] && [ $status_b = 0 ] && return
	echo "# statuses: a $status_a, b $status_b"
	for site in a b; do
		sed "s/^/# $site: /" "$scratch/$site.out" "$scratch/$site.err"
	done
	return 1
}

together() {
	begin "$@"
	finish
}

complaints() {
	grep -v '^sateen: [0-9]* nodes on [0-9]* hosts: ' "$1"
}

refuses() {
	pattern=$1
	shift
	timeout 60 "$@" >"$scratch/out" 2>"$scratch/err"
	refusal=$?
	complaints "$scratch/err" >"$scratch/lines"
	sed 's/^/# /' "$scratch/lines"
	[ $refusal = 1 ] || echo "# status $refusal instead of 1"
	[ $refusal = 1 ] && [ "$(wc -l <"$scratch/lines")" = 1 ] &&
		grep -q "$pattern" "$scratch/lines"
}

seconds() {
	sed -n 's/^time: \([0-9.]*\) s$/\1/p' "$1"
}

traffic() {
	ip -n switch -s -j link show dev "$1" | jq '.[0].stats64.tx.bytes'
}

# flows DEVICE BYTES: waits until so many bytes have been sent there from now
# on, 20 s at most.
flows() {
	until_bytes=$(($(traffic "$1") + $2))
	for _ in $(seq 200); do
		[ "$(traffic "$1")" -lt $until_bytes ] || return 0
		sleep 0.1
	done
	return 1
}

cut() {
	ip -n "$1" link set "$2" down
}

mend() {
	ip -n "$1" link set "$2" up
}

# wait_empty HOST...: waits until no process is left there, 60 s at most. A host
# that is cut off must find out by itself that the run is over.
wait_empty() {
	for _ in $(seq 300); do
		remains=$(for host; do
			leftovers "$host" | sed "s/^/# $host: /"
		done)
		[ -n "$remains" ] || return 0
		sleep 0.2
	done
	echo "$remains"
	return 1
}
