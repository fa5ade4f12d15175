#!/bin/sh
# report.t: `sateen report` makes a page of a trace, whose numbers are right.
. "$(dirname "$0")/tap.sh"

if ! grep -q '^#define HAVE_YAJL' config.h; then
	skip "sateen report" "libyajl-dev"
	plan
fi
data=$source_directory/tests/data/report
page=$scratch/page.html

# shows PATTERN SENTENCE
shows() {
	grep -q -e "$1" "$page"
	ok $? "$2"
}

# equal A B SENTENCE
equal() {
	[ "$1" = "$2" ]
	ok $? "$3 ($1, $2)"
}

# Main takes 1 ms on node 0. It waits in a sync from 400 to 900 us, and runs a stolen
# call meanwhile, from 500 to 700 us. Node 1, in another cluster, runs a stolen call
# from 125 to 625 us, and asks node 0 from 0 to 125 us; its second worker is idle. Of
# node 2, which died, the trace has only names. So the workers worked in 700 us + 500 us
# of 1 ms + 2 * 1 ms.
prints "^$page$" ./sateen report "$data/two.json" "$page"
ok $? "a trace gives a page"
shows '<h1><code>./two &lt;b&gt; &amp; c</code></h1>' "it has the command, escaped"
shows '3 nodes in 2 clusters, balancer crs: main' "the nodes and the balancer"
shows 'id="time">0.001000 s<' "the time of main"
shows 'id="works">40.0 %<' "the share of work, with an idle worker"
shows '<p>Nodes that died: 2 after 0.002 s\.' "the death of a node"
! grep -q '<td>node 2</td>' "$page"
ok $? "a node with names alone has no row"
shows '<tr><td>cluster 0</td><td>70.0 %</td><td>30.0 %</td><td>0.0 %</td><td>0.0 %</td><td>0.0 %</td>' \
	"the shares of a cluster with a sync"
shows '<tr><td>cluster 1</td><td>25.0 %</td><td>0.0 %</td><td>75.0 %</td><td>0.0 %</td><td>12.5 %</td>' \
	"and of one that asked another"
shows '<td title="1 of 2 requests" .*>1</td>' "steals by thief and victim"
# The last event is at 2.2 ms: messages are sent after main, too.
shows '<tr><td>1</td><td>0</td><td>2</td><td>116</td><td>52.7</td></tr>' \
	"messages between clusters"
shows '<tr><td>0</td><td>1</td><td>1</td><td>300</td><td>136.4</td></tr>' \
	"and in the other direction"
# 12.5 %, rounded.
shows '<li>In 1[23] % of the time the workers of cluster 1 ' "advice"

cp "$data/two.json" "$scratch/here.json"
prints "^$scratch/here.json.html$" ./sateen report "$scratch/here.json" &&
	cmp "$page" "$scratch/here.json.html"
ok $? "by default the page stands beside the trace"

# reports: makes a page of the trace on the standard input
reports() {
	cat >"$scratch/changed"
	prints . ./sateen report "$scratch/changed" "$scratch/changed.html"
}
sed 's/"cat": "sync"/"cat": "array"/' "$data/two.json" | reports &&
	cmp "$page" "$scratch/changed.html"
ok $? "a wait for an array counts as one in a sync"
sed 's/"crs"/"<\\"c\&>"/' "$data/two.json" | reports &&
	grep -q 'balancer &lt;&quot;c&amp;&gt;: main' "$scratch/changed.html"
ok $? "the balancer is escaped"
sed 's/has died/has left/g' "$data/two.json" | reports &&
	grep -q '<p>Nodes that left: 2 after 0.002 s\.' "$scratch/changed.html"
ok $? "nodes that left are mentioned"
sed 's/"lost_events": 0/"lost_events": 7/' "$data/two.json" | reports
equal "$(grep '^<li>' "$scratch/changed.html" | cut -d: -f1)" \
	"<li>Raise <code>--trace-memory</code>" "a trace that lacks events gets no other advice"
# Without its sync, node 0 works all the time: 1.5 ms of 3 ms.
grep -v '"ph": "[be]"\|"cat": "sync"' "$data/two.json" | reports &&
	grep -q '<li>In 50 % .* No rule' "$scratch/changed.html"
ok $? "time that no rule explains is told"
# An array, and no calls that were stolen.
sed '/"ph": "[be]"/s/"steal"/"refused steal"/g; s/"cat": "sync"/"cat": "array"/' \
	"$data/two.json" | reports &&
	grep -q '<li>In 60 % of the time workers had no part of an array' \
		"$scratch/changed.html" &&
	[ "$(grep -c '^<li>' "$scratch/changed.html")" = 1 ]
ok $? "arrays have advice of their own"
# Work of 1.5 ms and a span of .5 ms, in a run of 1 ms with 3 workers.
graph='s/"clock_error_ns": 0/"clock_error_ns": 0, "work_ns": 1500000, "span_ns": /'
sed "$graph; s/\"span_ns\": /&500000/" "$data/two.json" | reports &&
	grep -q 'id="work">0.001500 s<.*id="span">0.000500 s<.*id="parallelism">3.0<' \
		"$scratch/changed.html"
ok $? "work, span and parallelism are shown"
grep -q '<li>The span is 50 % of the run time: .* at most 2.00 times' \
	"$scratch/changed.html"
ok $? "a long span gives advice"
sed "$graph; s/\"span_ns\": /&300000/" "$data/two.json" | reports &&
	grep -q '<li>The parallelism, .*, is only 1.7 times the number' \
		"$scratch/changed.html" &&
	! grep -q '<li>The span is' "$scratch/changed.html"
ok $? "so does little parallelism, and a short span does not"
sed "$graph; s/\"span_ns\": /&750000/" "$data/two.json" | reports &&
	grep -q '<li>The parallelism, .*, is 2.0, and there are 3 workers' \
		"$scratch/changed.html"
ok $? "and less parallelism than workers"
sed "$graph; s/\"span_ns\": /&1000/" "$data/two.json" | reports &&
	! grep -q '<li>The \(span\|parallelism\)' "$scratch/changed.html"
ok $? "much parallelism gives none"
! grep -q 'id="span"' "$page"
ok $? "a trace without work and span shows none"
sed 's/"clock_error_ns": 0/"clock_error_ns": 1700/' "$data/two.json" | reports &&
	grep -q '<p>The clocks .* at most 3.4 us' "$scratch/changed.html"
ok $? "the error of the clocks is told"
sed 's/"simulated"/"interrupted": true, &/' "$data/two.json" | reports &&
	grep -q '<p>The run was interrupted' "$scratch/changed.html"
ok $? "an interrupted run is told"

# Clusters that have names, and one that has none.
sed 's/"clusters": 2,/& "cluster_names": ["delft <\&>", ""],/' "$data/two.json" | reports &&
	grep -q '<tr class="new"><td>delft &lt;&amp;&gt;</td><td>node 0</td>' \
		"$scratch/changed.html" &&
	grep -q '<tr><td>delft &lt;&amp;&gt;</td><td>70.0 %</td>' "$scratch/changed.html" &&
	grep -q '<tr><td>cluster 1</td><td>25.0 %</td>' "$scratch/changed.html" &&
	grep -q '<tr><td>1</td><td>delft &lt;&amp;&gt;</td><td>2</td>' "$scratch/changed.html"
ok $? "clusters have their names, escaped"
sed 's/"clusters": 2,/& "cluster_names": ["", "berlin"],/' "$data/two.json" | reports &&
	grep -q '% of the time the workers of berlin were' "$scratch/changed.html"
ok $? "also in advice"
sed 's/"clusters": 2,/& "cluster_names": ["", "--<b>"],/' "$data/two.json" | reports &&
	grep -q 'the workers of <code>--&lt;b&gt;</code> were' "$scratch/changed.html"
ok $? "where a name may look like an option"

# Node 1 joins after 100 us: its 2 workers have 1.8 ms, and worked in .5 ms of that.
sed 's/^  "traceEvents": \[/&\
{"ph": "i","pid": 1,"tid": 65536,"cat": "a node has joined","ts": 100.000,"args": {"node": 1}},/' \
	"$data/two.json" | reports &&
	grep -q '<tr><td>cluster 1</td><td>27.8 %</td>' "$scratch/changed.html"
ok $? "a node that joins late counts from then on"

# 200 clusters: nodes and clusters beyond the first have no events.
sed 's/"\(nodes\|clusters\)": ./"\1": 200/' "$data/two.json" | reports &&
	grep -q '<td>cluster 127</td>' "$scratch/changed.html" &&
	! grep -q '<td>cluster 128</td>' "$scratch/changed.html" &&
	grep -q 'The first 128 of 200 clusters' "$scratch/changed.html" &&
	! grep -q 'id="steals"' "$scratch/changed.html"
ok $? "a page has at most 128 rows of clusters, and no larger matrix"

# many_links N: a trace in which each of N nodes, each a cluster, sends 9 bytes to
# all, but node 7 sends 500 to node 3
many_links() {
	awk -v n="$1" 'BEGIN {
		printf "{\"otherData\": {\"nodes\": %d, \"clusters\": %d},\n", n, n
		print "\"traceEvents\": ["
		for (i = 0; i < n; i++)
			printf "{\"ph\": \"M\", \"pid\": %d, \"tid\": 1, " \
				"\"name\": \"process_name\", \"args\": " \
				"{\"name\": \"node %d, cluster %d\"}},\n", i + 1, i, i
		for (i = 0; i < n * n; i++)
			printf "{\"ph\": \"X\", \"pid\": %d, \"tid\": 65536, " \
				"\"cat\": \"send\", \"ts\": 1, \"dur\": 1, \"args\": " \
				"{\"node\": %d, \"bytes\": %d}},\n", i / n + 1, i % n, \
				i == 7 * n + 3 ? 500 : 9
		print "{\"ph\": \"X\", \"pid\": 1, \"tid\": 1, \"cat\": " \
			"\"main\", \"ts\": 0, \"dur\": 10}]}"
	}'
}

# links_of ID: the rows of this table of the page, without tags
links_of() {
	sed -n "/<table id=\"$1\">/,/<.table>/p" "$scratch/changed.html" |
		sed -n 's/<tr[^>]*><td[^>]*>//; s/<.td><td>/ /g; s/<.td><.tr>//p'
}
many_links 3 | reports &&
	! grep -q '<details>' "$scratch/changed.html" &&
	equal "$(links_of links | tail -n 1)" "2 2 1 9 900.0" \
		"few pairs of clusters are all shown"
many_links 10 >"$scratch/ten" && reports <"$scratch/ten"
equal "$(links_of links | tr '\n' ';')" "7 3 1 500 50000.0;$(
	for to in 1 2 3 4 5 6 7; do printf '0 %s 1 9 900.0;' $to; done
)other pairs (82) 82 738 73800.0;inside clusters (10) 10 90 9000.0;" \
	"of many, those with most bytes and the sums of the others"
equal "$(links_of all-links | wc -l), $(links_of all-links | sed -n '74p')" \
	"100, 7 3 1 500 50000.0" "and all pairs are there, in order"
cp "$scratch/changed.html" "$scratch/ten.html"
many_links 40 | reports
equal "$(links_of all-links | wc -l)" 1024 \
	"a page has at most 1024 rows of links"
grep -q 'The first 1024 of 1600 pairs of clusters' "$scratch/changed.html"
ok $? "and says so"

# The numbers of a run are those of its statistics.
prints '^tree(4^5) = 1024' ./sateen sim --clusters 4x4 --wan 10ms,1MB/s \
	--cost counted --trace "$scratch/trace" --stats=json:"$scratch/json" \
	./tree -b 4 -d 5 -l 20ms --spread 50 &&
	prints . ./sateen report "$scratch/trace" "$page"
ok $? "a simulated run gives a page"
seconds=$(counted run.seconds)
shows "id=\"time\">$seconds s<" "it has the run's time"
reported=$(sed -n 's/.*id="works">\([0-9.]*\) %.*/\1/p' "$page")
measured=$(echo "$(counted total.working_ns)" "$(counted total.communicating_ns)" \
	"$(counted total.idle_ns)" | awk '{ printf "%.1f", 100 * $1 / ($1 + $2 + $3) }')
echo "$reported $measured" | awk '{ d = $1 - $2; exit NF != 2 || d > 1 || d < -1 }'
ok $? "its share of work is that of the statistics ($reported %, $measured %)"
sum=$(sed -n 's/.*title="\([0-9]*\) of [0-9]* requests.*/&/p' "$page" |
	grep -o 'title="[0-9]* of' | tr -cd '0-9\n' |
	awk '{ sum += $1 } END { print sum }')
granted=$(($(counted total.granted_sync_lan) + $(counted total.granted_sync_wan) + \
	$(counted total.granted_async_lan) + $(counted total.granted_async_wan)))
equal "$sum" "$granted" "its steals are those of the statistics"

# Reserved ranks, which no node takes.
prints . ./sateen run -n 2 -w 1 --survive yes --max-nodes 200 \
	--trace "$scratch/reserved" ./tree -b 4 -d 4 -l 1ms &&
	prints . ./sateen report "$scratch/reserved" "$scratch/reserved.html" &&
	grep -q '<p>2 nodes in 1 ' "$scratch/reserved.html"
ok $? "nodes that may join are not counted"
grep -q '<td>node 1</td>' "$scratch/reserved.html" &&
	grep -q '<th></th><th>0</th><th>1</th></tr>' "$scratch/reserved.html"
ok $? "the nodes have rows, and the matrix has them"
# Node 2 has the rank 79, and the ranks before it are free.
sed 's/"nodes": 3/"nodes": 90, "nodes_begun": 3/; s/"pid": 3/"pid": 80/; s/node 2,/node 79,/
	s/args": {"node": 2}/args": {"node": 79}/' "$data/two.json" | reports &&
	grep -q '<p>3 nodes in 2 ' "$scratch/changed.html" &&
	grep -q '<th></th><th>0</th><th>1</th><th>79</th></tr>' "$scratch/changed.html"
ok $? "the matrix has ranks that are not consecutive"

# An argument in UTF-8.
ln -s "$PWD/fib" "$scratch/fïb"
prints . ./sateen run -n 1 --trace "$scratch/utf8" "$scratch/fïb" 5 &&
	prints . ./sateen report "$scratch/utf8" "$scratch/utf8.html" &&
	grep -q '<code>[^<]*/fïb 5</code>' "$scratch/utf8.html"
ok $? "the command may have any characters"

if command -v chromium >/dev/null; then
	timeout 100 chromium --headless --no-sandbox --disable-gpu \
		--user-data-dir="$scratch/chromium" --enable-logging=stderr \
		--dump-dom "file://$page" >"$scratch/dom" 2>"$scratch/log"
	grep -q "id=\"time\">$seconds s<" "$scratch/dom" &&
		grep -q '</html>' "$scratch/dom" &&
		! grep -q 'CONSOLE' "$scratch/log"
	ok $? "Chromium opens it without an error"
	# A page in a frame as wide as a telephone says what is in it: the sums of
	# the messages and of the bytes in both tables, whether unfolding all pairs
	# makes the page longer, and how wide it is then.
	cat >"$scratch/look.js" <<'END_LOOK'
const page = document.documentElement, sums = [];
for (const id of ["links", "all-links"])
	for (const column of [3, 2])
		sums.push([...document.querySelectorAll("#" + id + " tr")].slice(1)
			.map(row => +[...row.cells].at(-column).textContent)
			.reduce((a, b) => a + b));
const folded = document.body.offsetHeight;
document.querySelector("details").open = true;
parent.postMessage(sums.join(" ") + (document.body.offsetHeight > folded + 1000 ?
	" folded" : " open") + (page.scrollWidth <= innerWidth ? " fits " : " wide ") +
	innerWidth, "*");
END_LOOK
	sed '/<.body>/d' "$scratch/ten.html" >"$scratch/looked.html"
	{
		echo '<script>'
		cat "$scratch/look.js"
		echo '</script></body></html>'
	} >>"$scratch/looked.html"
	echo '<!DOCTYPE html><body><script>onmessage = said =>
		document.body.dataset.said = said.data</script>
		<iframe src="looked.html" width="400" height="900"
		style="border:0"></iframe>' >"$scratch/frame.html"
	timeout 100 chromium --headless --no-sandbox --disable-gpu \
		--user-data-dir="$scratch/chromium" --virtual-time-budget=5000 \
		--dump-dom "file://$scratch/frame.html" >"$scratch/dom" 2>"$scratch/log"
	equal "$(sed -n 's/.*data-said="\([^"]*\)".*/\1/p' "$scratch/dom")" \
		"100 1391 100 1391 folded fits 400" \
		"in a narrow window nothing is too wide, and the sums are right"
else
	skip "Chromium opens it" "chromium"
	skip "the page in a narrow window" "chromium"
fi

# refuses FILE PATTERN SENTENCE
refuses() {
	complains 1 "$2" ./sateen report "$1" "$page"
	ok $? "$3"
}
refuses "$scratch/none" "can't read $scratch/none: No such file" "no file is refused"
refuses /dev/null "/dev/null: it is no complete JSON" "and an empty one"
head -c 900 "$data/two.json" >"$scratch/cut"
refuses "$scratch/cut" "cut: it is no complete JSON" "and half a trace"
sed 's/"pid": 2/"pid": 4/' "$data/two.json" >"$scratch/pid"
refuses "$scratch/pid" "pid: it is no trace of Sateen" "and a node that is not there"
grep -v '"main"' "$data/two.json" >"$scratch/main"
refuses "$scratch/main" "main: it has no main" "and a run without an end"
complains 1 "can't write /dev/full: No space" ./sateen report "$data/two.json" /dev/full
ok $? "a full disk is reported"
cp "$data/two.json" "$scratch/two"
complains 1 "would replace the trace" ./sateen report "$scratch/two" "$scratch/../${scratch##*/}/two" &&
	cmp -s "$data/two.json" "$scratch/two"
ok $? "a page does not replace its trace"

plan
