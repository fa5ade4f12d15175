# shellcheck shell=sh
# gateways.sh: a meeting point and clusters that join there, for tests that source
# this file after tap.sh. It ends the test if there is no `sateen join` or no Redis
# server.

if ! grep -q '^#define HAVE_GATEWAYS' config.h; then
	skip "sateen join" "libssl-dev or libhiredis-dev"
	plan
fi
if ! command -v redis-server >/dev/null; then
	skip "sateen join" "redis-server"
	plan
fi

# start_redis: starts a Redis server at the socket @redis, as process @redis_pid.
redis=$scratch/redis
start_redis() {
	redis-server --port 0 --unixsocket "$redis" --save '' --appendonly no \
		--dir "$scratch" >"$scratch/redis.log" 2>&1 &
	redis_pid=$!
}

(umask 77; head -c 32 /dev/urandom | base64 >"$scratch/secret")
start_redis

# join CLUSTER OPTION... -- COMMAND...: runs one cluster's part of the run @run of
# @clusters clusters, whose secret is in the file @secret, with its output in
# $scratch/CLUSTER.out and CLUSTER.err. By default it is killed after 100 s.
secret=$scratch/secret
limit='timeout -k 5 100'
join() {
	cluster=$1
	shift
	heeding $limit ./sateen join --run "$run" --at "$redis" \
		--secret-file "$secret" --cluster "$cluster" \
		--clusters "$clusters" --wait 30s "$@" \
		>"$scratch/$cluster.out" 2>"$scratch/$cluster.err" </dev/null
}

# gateway CLUSTER: prints the process of the gateway.
gateway() {
	pgrep -f "^./sateen join --run $run .*--cluster $1 "
}

# The clusters of a run are @names, and their processes @jobs.
#
# show: prints their @statuses and outputs as comments.
show() {
	echo "# statuses $statuses"
	for name in $names; do
		sed "s/^/# $name: /" "$scratch/$name.out" "$scratch/$name.err"
	done
}

# end: waits for all clusters; @statuses gets their exit statuses.
end() {
	statuses=
	for job in $jobs; do
		wait "$job"
		statuses="$statuses $?"
	done
	statuses=${statuses# }
}

# printed CLUSTER: it, and no other cluster, has printed the $result.
printed() {
	for name in $names; do
		found=$(grep -c "^$result$" "$scratch/$name.out")
		[ "$found" = "$([ "$name" = "$1" ] && echo 1 || echo 0)" ] ||
			return
	done
}

# said CLUSTER PATTERN: a line of its standard error matches.
said() {
	grep -q -e "$2" "$scratch/$1.err"
}
