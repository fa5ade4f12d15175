# finishing.awk: when nodes finish a sweep. Reads the files of --message-log, sorted by
# time. For each of an array's longest operations (those that take at least half as
# long as the longest) it prints its number, its time in milliseconds, and the
# coefficient of variation of the nodes' finishing times: the time from the
# operation's start until a node last reports that all its parts are swept. Node 0
# sends no report, and is left out.

$4 == "operate" && !($6 in start) { start[$6] = $1 }
$3 == "send" && $4 == "finished" {
	last[$6, $2] = $1
	if ($1 > end[$6])
		end[$6] = $1
	nodes = $2 > nodes ? $2 : nodes
	count = $6 > count ? $6 : count
}
END {
	for (i = 0; i <= count; i++)
		if (i in end && i in start && end[i] - start[i] > longest)
			longest = end[i] - start[i]
	for (i = 0; i <= count; i++) {
		if (!(i in end) || !(i in start) ||
			end[i] - start[i] < longest / 2)
			continue
		n = sum = squares = 0
		for (j = 1; j <= nodes; j++)
			if ((i, j) in last) {
				n++
				sum += last[i, j] - start[i]
			}
		for (j = 1; j <= nodes; j++)
			if ((i, j) in last)
				squares += (last[i, j] - start[i] - sum / n) ^ 2
		printf "%d %.1f %.3f\n", i, (end[i] - start[i]) / 1e6,
			sqrt(squares / n) / (sum / n)
	}
}
