# steals.awk: prints bench-steals' ratios. Reads the rows of all runs as CSV, and the
# list of ratios. Needs median.awk and rows.awk. Names in CSV have commas.
FILENAME == ARGV[1] {
	match($0, ",(shm|ofi),(auto|tcp),")
	benchmark = substr($0, 1, RSTART - 1)
	fabric = substr($0, RSTART + 1, RLENGTH - 2)
	rest = substr($0, RSTART + RLENGTH)
	match(rest, ",0,[0-9.e+-]*,")
	path = substr(rest, 1, RSTART - 1)
	value = substr(rest, RSTART + 3, RLENGTH - 4)
	values[benchmark, fabric, path] = \
		values[benchmark, fabric, path] " " value
	next
}

{
	split($0, part, "|")
	ours = values[part[1], part[2] "," part[3], part[4]]
	theirs = values[part[1], part[2] "," part[3], part[5]]
	if (!ours || !theirs)
		next
	name = sprintf("%s over %s %s / %s", part[1], part[2], part[3], part[5])
	count = split(ours, a, " ")
	split(theirs, b, " ")
	ratios = ""
	for (i = 1; i <= count; i++)
		ratios = ratios " " a[i] / b[i]
	printf "%-52s %8.2f us %8.2f us %6.2f\n", name, median(ours),
		median(theirs), median(ratios)
	row(name, part[6] ? "<= " part[6] : "",
		sprintf("%.2f (%.2f / %.2f us)", median(ratios), median(ours),
			median(theirs)), range(ratios, "%.2f"))
}
