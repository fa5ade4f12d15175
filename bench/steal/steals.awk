# steals.awk: prints bench-steals' ratios. Reads the rows of all runs as CSV, and the
# list of ratios. Needs csv.awk, median.awk and rows.awk.
FILENAME == ARGV[1] {
	csv_split($0, cells)
	benchmark = cells[1]
	fabric = cells[2] "," cells[3]
	path = cells[4]
	unit[benchmark] = cells[8]
	if (benchmark == "latency") # the rate one way, in GB/s
		values[benchmark, fabric, path] = \
			values[benchmark, fabric, path] " " \
			2 * cells[5] / cells[6] / 1000
	else
		values[benchmark, fabric, path] = \
			values[benchmark, fabric, path] " " cells[6]
	if (path !~ /^sateen/)
		paths[benchmark, fabric] = paths[benchmark, fabric] "|" path
	next
}

# best(benchmark, fabric): the rates of the bare path with the highest median.
function best(benchmark, fabric,	count, i, names, list, fastest) {
	count = split(paths[benchmark, fabric], names, "|")
	for (i = 2; i <= count; i++) {
		list = values[benchmark, fabric, names[i]]
		if (!fastest || median(list) > median(fastest))
			fastest = list
	}
	return fastest
}

{
	split($0, part, "|")
	ours = values[part[1], part[2] "," part[3], part[4]]
	if (part[5] == "bare stream")
		theirs = best("throughput", part[2] "," part[3])
	else if (part[5] == "bare message")
		theirs = best("latency", part[2] "," part[3])
	else
		theirs = values[part[1], part[2] "," part[3], part[5]]
	if (!ours || !theirs)
		next
	name = sprintf("%s over %s %s / %s", part[1], part[2], part[3], part[5])
	count = split(ours, a, " ")
	split(theirs, b, " ")
	ratios = ""
	for (i = 1; i <= count; i++)
		ratios = ratios " " a[i] / b[i]
	printf "%-52s %8.2f %8.2f %s %6.2f\n", name, median(ours),
		median(theirs), unit[part[1]], median(ratios)
	row(name, part[6], sprintf("%.2f (%.2f / %.2f %s)", median(ratios),
		median(ours), median(theirs), unit[part[1]]),
		range(ratios, "%.2f"))
}
