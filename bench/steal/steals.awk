# steals.awk: prints bench-steals' ratios. Reads the rows of all runs as CSV, each after
# the number of its run, and the list of ratios. Needs csv.awk, median.awk, pairs.awk and
# rows.awk.
FILENAME == ARGV[1] {
	csv_split($0, cells)
	benchmark = cells[2]
	path = cells[5]
	bytes = cells[6]
	where = cells[3] "," cells[4] SUBSEP bytes
	unit[benchmark] = cells[9]
	if (benchmark == "latency") # the rate one way, in GB/s
		pairs_add(benchmark SUBSEP where SUBSEP path, cells[1],
			2 * bytes / cells[7] / 1000)
	else
		pairs_add(benchmark SUBSEP where SUBSEP path, cells[1], cells[7])
	if (path !~ /^sateen/)
		paths[benchmark, where] = paths[benchmark, where] "|" path
	next
}

# best(benchmark, where): the bare path with the highest median rate.
function best(benchmark, where,	count, i, names, line, fastest) {
	count = split(paths[benchmark, where], names, "|")
	for (i = 2; i <= count; i++) {
		line = benchmark SUBSEP where SUBSEP names[i]
		if (!fastest || median(values[line]) > median(values[fastest]))
			fastest = line
	}
	return fastest
}

function size(bytes) {
	if (!bytes)
		return ""
	return bytes < 1000000 ? " of " bytes / 1000 " KB" : \
		" of " bytes / 1000000 " MB"
}

{
	split($0, part, "|")
	where = part[2] "," part[3] SUBSEP part[4]
	ours = part[1] SUBSEP where SUBSEP part[5]
	if (part[6] == "bare stream")
		theirs = best("throughput", where)
	else if (part[6] == "bare message")
		theirs = best("latency", where)
	else
		theirs = part[1] SUBSEP where SUBSEP part[6]
	if (!(ours in values) || !(theirs in values))
		next
	name = sprintf("%s%s over %s %s / %s", part[1], size(part[4]), part[2],
		part[3], part[6])
	ratios = pairs_ratios(ours, theirs)
	printf "%-62s %8.2f %8.2f %s %6s\n", name, median(values[ours]),
		median(values[theirs]), unit[part[1]],
		ratios ? sprintf("%.3f", median(ratios)) : "-"
	pairs_row(name, part[7], ours, theirs, "%.2f", unit[part[1]])
}
