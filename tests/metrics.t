#!/bin/sh
# metrics.t: --metrics of sateen run.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/processes.sh"
. "$(dirname "$0")/watched.sh" # has a start and a finish of its own

if ! grep -q '^#define HAVE_MICROHTTPD' config.h; then
	complains 2 'built without libmicrohttpd' \
		./sateen run --metrics 0 -n 2 ./watched "$scratch/fifo"
	ok $? "without an HTTP server, --metrics says so"
	skip "the metrics" "libmicrohttpd-dev"
	plan
fi
if ! command -v curl >/dev/null; then
	skip "the metrics" "curl"
	plan
fi

for text in 70000 nowhere:1 1.2.3:4 x; do
	complains 2 "metrics is \"$text\", but it must be a port" \
		./sateen run --metrics $text -n 2 ./watched "$scratch/fifo"
	ok $? "--metrics $text is refused"
done

start ./sateen run --metrics 0 -n 4 -c 2 -w 1 ./watched "$scratch/fifo"
until_true served
ok $? "the launcher says where the metrics are"
case $url in
http://127.0.0.1:[1-9]*/metrics) true ;;
*) false ;;
esac
ok $? "on 127.0.0.1"
until_true metric_is sateen_progress_done 128
ok $? "the progress of all nodes arrives"
metric_is sateen_progress_known 128
ok $? "and reaches 100 %"
until_true metric_is 'sateen_bound_value{node="0",cluster="0"}' 1
ok $? "the value of the bound is there"

# The format: each metric has its help and type once, before its samples, which
# stand together; no sample appears twice.
if command -v promtool >/dev/null; then
	page && promtool check metrics <"$scratch/page" >"$scratch/log" 2>&1
	status=$?
	[ $status = 0 ] || sed 's/^/# /' "$scratch/log"
	ok $status "promtool finds nothing wrong"
fi
page && awk '
	/^# HELP / { help[$3]++; next }
	/^# TYPE / {
		if (help[$3] != 1 || type[$3]++ ||
			$4 !~ /^(counter|gauge)$/ ||
			($4 == "counter") != ($3 ~ /_total$/))
			wrong = $0
		now = $3
		next
	}
	/^sateen_[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? -?[0-9.]+(e[-+][0-9]+)?$/ {
		name = $1
		sub(/\{.*/, "", name)
		sample = $0
		sub(/ [^ ]*$/, "", sample)
		if (name != now || seen[sample]++)
			wrong = $0
		samples++
		next
	}
	{ wrong = $0 }
	END {
		if (wrong)
			print "# " wrong
		exit(wrong != "" || samples < 60)
	}' "$scratch/page"
ok $? "the page has the format of Prometheus"
head=$(curl -s -i "$url" | tr -d '\r' | sed -n '1p; /^Content-Type/p')
[ "$head" = "HTTP/1.1 200 OK
Content-Type: text/plain; version=0.0.4; charset=utf-8" ]
ok $? "and its type"
for wanted in 404:/ 405:/metrics; do
	method=GET
	[ "${wanted%:*}" = 404 ] || method=DELETE
	[ "$(curl -s -o /dev/null -w '%{http_code}' -X $method \
		"${url%/metrics}${wanted#*:}")" = "${wanted%:*}" ]
	ok $? "$method ${wanted#*:} gets ${wanted%:*}"
done

port=${url#http://*:}
port=${port%/metrics}
complains 1 "can't serve metrics at 127.0.0.1:$port: Address already in use" \
	./sateen run --metrics "$port" -n 2 ./watched "$scratch/fifo"
ok $? "a port that is taken is refused"

# A death.
metric_is sateen_deaths_total 0
ok $? "nobody has died"
# shellcheck disable=SC2046 # a list
kill -9 "$(node_among 2 $(children "$run"))"
until_true metric_is sateen_deaths_total 1
ok $? "a death appears"
metric_is sateen_nodes 3
ok $? "three nodes are left"
[ "$(metric 'sateen_node_up{node="2",cluster="1"}')" = 0 ]
ok $? "the node that has died is down"
! grep 'node="2"' "$scratch/page" | grep -q '^sateen_\(workers\|queue\|bound\)'
ok $? "and has no gauges of a node that lives"
grep -q '^sateen_worker_seconds_total{node="2"' "$scratch/page"
ok $? "but its counts"
finish
ok $? "the run ends well"
grep -q '^watched: 2016$' "$scratch/run.out"
ok $? "with the right result"
! page
ok $? "then nothing is served any more"

# All nodes in one process.
start ./sateen run --metrics 0 -n 3 -t loop ./watched "$scratch/fifo"
until_true served
until_true metric_is sateen_progress_done 128
ok $? "the nodes of one process are seen, too"
metric_is sateen_nodes 3
ok $? "all three"
finish
ok $? "and the run ends well"

# A name in Latin-1; the page is UTF-8.
name=$(printf 'n\344he')
ln -s "$PWD/watched" "$scratch/$name"
start ./sateen run --metrics 0 -n 2 "$scratch/$name" "$scratch/fifo"
until_true served
until_true metric_is sateen_nodes 2
iconv -f UTF-8 -t UTF-8 "$scratch/page" >/dev/null &&
	grep -q "^sateen_info{program=\".*/$(printf 'n\303\244he')\"" "$scratch/page"
ok $? "the name of a program is served in UTF-8"
finish
ok $? "and the run ends well"
plan
