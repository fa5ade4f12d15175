# steals.awk: prints bench-steals' ratios. Reads the rows of all runs as CSV, each after
# the number of its run, and the list of ratios. Needs csv.awk, median.awk, pairs.awk and
# rows.awk.
FILENAME == ARGV[1] {
	csv_split($0, cells)
	benchmark = cells[2]
	fabric = cells[3] "," cells[4]
	path = cells[5]
	unit[benchmark] = cells[9]
	if (benchmark == "latency") # the rate one way, in GB/s
		pairs_add(benchmark SUBSEP fabric SUBSEP path, cells[1],
			2 * cells[6] / cells[7] / 1000)
	else
		pairs_add(benchmark SUBSEP fabric SUBSEP path, cells[1], cells[7])
	if (path !~ /^sateen/)
		paths[benchmark, fabric] = paths[benchmark, fabric] "|" path
	next
}

# best(benchmark, fabric): the bare path with the highest median rate.
function best(benchmark, fabric,	count, i, names, line, fastest) {
	count = split(paths[benchmark, fabric], names, "|")
	for (i = 2; i <= count; i++) {
		line = benchmark SUBSEP fabric SUBSEP names[i]
		if (!fastest || median(values[line]) > median(values[fastest]))
			fastest = line
	}
	return fastest
}

{
	split($0, part, "|")
	fabric = part[2] "," part[3]
	ours = part[1] SUBSEP fabric SUBSEP part[4]
	if (part[5] == "bare stream")
		theirs = best("throughput", fabric)
	else if (part[5] == "bare message")
		theirs = best("latency", fabric)
	else
		theirs = part[1] SUBSEP fabric SUBSEP part[5]
	if (!(ours in values) || !(theirs in values))
		next
	name = sprintf("%s over %s %s / %s", part[1], part[2], part[3], part[5])
	ratios = pairs_ratios(ours, theirs)
	printf "%-52s %8.2f %8.2f %s %6.3f\n", name, median(values[ours]),
		median(values[theirs]), unit[part[1]], median(ratios)
	row(name, part[6], sprintf("%.3f (%.2f / %.2f %s)", median(ratios),
		median(values[ours]), median(values[theirs]), unit[part[1]]),
		range(ratios, "%.3f"))
}
