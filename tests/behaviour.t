#!/bin/sh
# behaviour.t: checks that each balancer has the property that the paper gives it.
# It reads the messages of a run with 12 nodes in 3 clusters, from a log of each
# node.
. "$(dirname "$0")/tap.sh"

# run BALANCER OPTIONS...: runs a tree, and writes a message log of each node.
run() {
	rm -f "$scratch"/trace.*
	prints '^tree(4^4) = 256 leaves$' ./sateen run -n 12 --clusters 3 \
		--wan 5ms,1MB/s --workers 1 --message-log "$scratch/trace" \
		--balancer "$@" ./tree -b 4 -d 4 -l 5ms
	ok $? "$1: the tree has its result"
}

# Functions for all programs that read logs. A line of a log has the fields:
# time node verb kind other number.
words='
function cluster(rank) { return int(rank / 4) }
function root(rank) { return rank % 4 == 0 }
function abroad() { return cluster($2) != cluster($5) }
function wrong(what) { print "# " FILENAME ":" FNR ": " what ": " $0; bad = 1 }
function reply() { return $4 == "grant" || $4 == "refuse" }
'

# holds SENTENCE PROGRAM: tests that the awk program finds no error in any log.
holds() {
	awk "$words$2 END { exit bad }" "$scratch"/trace.*
	ok $? "$1"
}

# sums BALANCER: tests the messages of any balancer's run.
sums() {
	holds "$1: each request is answered, and each stolen record has a result" '
	$3 == "send" { sent[$4]++ }
	$3 == "take" { taken[$4]++ }
	$3 == "send" && $4 == "request" { asked[$2, $5, $6]++ }
	$3 == "take" && reply() && asked[$2, $5, $6]-- != 1 {
		wrong("an answer to nothing")
	}
	END {
		for (kind in sent)
			if (sent[kind] != taken[kind])
				wrong(kind " lost")
		if (sent["request"] != sent["grant"] + sent["refuse"])
			wrong("unanswered requests")
		if (sent["grant"] + sent["push"] < sent["result"])
			wrong("too many results")
		if (!sent["result"])
			wrong("nothing was stolen")
	}'
}

# A run on a slow machine has few requests; two runs together have enough.
run rs
sums RS
for trace in "$scratch"/trace.*; do
	mv "$trace" "$scratch/first.${trace##*.}"
done
run rs
sums "RS, again"
for trace in "$scratch"/trace.*; do
	cat "$scratch/first.${trace##*.}" >>"$trace"
done
holds "RS: requests go to other clusters in proportion to their nodes, 8 of 11" '
$3 == "send" && $4 == "request" { all++; far += abroad() }
END {
	share = far / all # 8 of the 11 others are abroad
	if (all < 100 || share < 8 / 11 - 0.15 || share > 8 / 11 + 0.15)
		wrong(far " of " all)
}'

run rp --rp-threshold 1 --rp-limit 2
sums RP
holds "RP: a node has at most two records in transit, and sometimes two" '
FNR == 1 { transit = 0 }
$3 == "send" && $4 == "push" && ++transit > 2 { wrong("too many") }
$3 == "left" { transit-- }
transit == 2 { both = 1 }
END { if (!both) wrong("no node was at its limit") }'
sort -n "$scratch"/trace.* | awk "$words"'
$3 == "send" && $4 == "push" && ++transit[$2] > 2 { wrong("too many") }
$3 == "take" && $4 == "push" { transit[$5]-- }
END { exit bad }'
ok $? "RP: a record stays in transit until it has arrived"
holds "RP: no node sends a request" '$4 == "request" { wrong("asks") }'
# The tree is so deep, and the stacks are so small, that no node can run the other
# node's records for long. If these records didn't go home, this run wouldn't end.
stack=160KiB
if sanitized; then
	stack=2MiB
fi
if [ -x ./uts ]; then
	prints ' = 193585 nodes$' ./sateen run -n 2 --workers 1 -b rp \
		--rp-threshold 32 --stack $stack --stats=json:"$scratch/json" \
		./uts -t 0 -r 42 -b 200 -m 8 -q 0.124 &&
		[ "$(counted total.came_home)" -gt 0 ]
	ok $? "RP: a record for which no node has enough stack goes home and is run"
else
	skip "RP: a record for which no node has enough stack" "uts (nettle-dev)"
fi

run chs
sums CHS
# A child counts as idle in three cases: it has refused since the search began; its
# request is parked here; or its request was parked when the search skipped it and
# asked the next child.
holds "CHS: a node asks its parent or another root only if its subtree is idle" '
function child(number) { return cluster($2) * 4 + ($2 % 4) * 2 + number }
function is_child(rank, i) {
	for (i = 1; i <= 2; i++)
		if (rank == child(i) && rank < cluster($2) * 4 + 4)
			return 1
	return 0
}
function begin() { delete refused }
FNR == 1 { begin(); delete waiting; delete cancelled }
$3 == "take" && $4 == "request" { waiting[$5] = 1 }
$3 == "send" && $4 == "request" && $5 == child(2) && is_child($5) {
	if (waiting[child(1)])
		refused[child(1)] = 1
}
$3 == "send" && reply() { waiting[$5] = 0 }
$3 == "send" && $4 == "cancel" { cancelled[$6] = 1 }
$3 == "take" && $4 == "refuse" && is_child($5) && !cancelled[$6] {
	refused[$5] = 1
}
$3 == "send" && $4 == "request" && !is_child($5) {
	above++
	for (i = 1; i <= 2; i++)
		if (is_child(child(i)) && !refused[child(i)] &&
		    !waiting[child(i)])
			wrong("child " child(i) " may have work")
	if (abroad() && !(root($2) && root($5)))
		wrong("roots ask roots")
	if (!abroad() && $5 != cluster($2) * 4 + int(($2 % 4 - 1) / 2))
		wrong("not its parent")
}
$3 == "take" && (reply() && (!is_child($5) || cancelled[$6]) ||
		 $4 == "grant") { begin() }
END { if (above < 20) wrong("few asked above") }'
holds "CHS: a result or a cancel that arrives cancels the node's own request" '
FNR == 1 { delete out; cause = "" }
$3 == "take" { cause = $4 }
$3 == "send" && $4 == "request" { out[$5, $6] = 1 }
$3 == "take" && reply() { delete out[$5, $6] }
$3 == "send" && $4 == "cancel" {
	cancels[cause]++
	if (!(($5, $6) in out))
		wrong("is not out")
	if (cause != "result" && cause != "cancel")
		wrong("for no reason")
}
END {
	if (!cancels["result"])
		wrong("no result cancelled anything")
}'
holds "CHS: no record goes back and forth between nodes that wait for a record" '
$3 == "send" && $4 == "grant" { grants++ }
$3 == "send" && $4 == "result" { results++ }
END { if (grants > 2.5 * results) wrong(grants " for " results) }'

run cls
sums CLS
holds "CLS: only the first node of a cluster, its coordinator, asks other clusters" '
$3 == "send" && $4 == "request" && abroad() {
	far++
	if (!root($2))
		wrong("is no coordinator")
}
END { if (!far) wrong("nobody asked") }'
holds "CLS: a coordinator has one such request under way at a time" '
FNR == 1 { out = 0 }
$3 == "send" && $4 == "request" && abroad() && ++out > 1 { wrong("two") }
$3 == "take" && reply() && abroad() { out-- }'
holds "CLS: nodes tell their own coordinator their load when it changes" '
FNR == 1 { told = 0 }
$3 == "send" && $4 == "load" {
	loads++
	if (abroad() || !root($5))
		wrong("not its coordinator")
	if ($6 == told)
		wrong("nothing new")
	told = $6
}
END { if (loads < 9) wrong("few loads were told") }'

run crs
sums CRS
holds "CRS: a node asks one other cluster before it asks in its own" '
FNR == 1 { out = 0 }
$3 == "send" && $4 == "request" && abroad() && ++out > 1 { wrong("two") }
$3 == "send" && $4 == "request" && !abroad() {
	near++
	if (!out)
		wrong("asks at home first")
}
$3 == "take" && reply() && abroad() { out-- }
END { if (near < 50) wrong("few requests at home") }'
holds "CRS: no request is cancelled" '$4 == "cancel" { wrong("is") }'

run lrs
sums LRS
holds "LRS: at most two requests are under way, to two different clusters" '
FNR == 1 { delete out }
$3 == "send" && $4 == "request" && abroad() {
	far++
	if (++out[cluster($5)] > 1)
		wrong("two to one cluster")
}
$3 == "send" && $4 == "request" && !abroad() { near++ }
$3 == "take" && reply() && abroad() { out[cluster($5)]-- }
END { if (near < 50 || far < 10) wrong("few requests") }'

# probe TRANSPORT: a run in which each node is alone in its cluster, and records
# have 1 MB, so that victims refuse with a probe.
product=$(./matmul --seq 768 | head -n 1)
probe() {
	prints "^$product\$" ./sateen run -n 4 \
		--clusters 4 --wan 1ms,10MB/s --workers 1 --balancer lrs \
		--stats=json:"$scratch/json" --transport "$1" ./matmul 768 &&
		grep -q '"hold": true' "$scratch/json"
}

for transport in loop shm; do
	probe $transport && probe $transport
	ok $? "LRS: refusals with a probe cross a slow link, over $transport"
done

complains 1 "can't write the message log $scratch/no/trace.0: No such file" \
	./sateen run --message-log "$scratch/no/trace" ./fib 20
ok $? "a message log that can't be opened ends the run with a line that says so"
ln -s /dev/full "$scratch/full.0"
complains 1 "node 0's message log is cut short: No space left" \
	./sateen run -n 2 --message-log "$scratch/full" ./fib 20
ok $? "a message log for which the disk has no space ends the run with such a line"

plan
