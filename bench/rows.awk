# rows.awk: the results of a benchmark for `make bench-all`: lines of the file that
# $BENCH_ROWS names (README.md).
#
# row(name, target, value, spread, verdict): adds a row; does nothing without
# $BENCH_ROWS. Without a verdict, the first number of the value decides, if the
# target is such as "<= 1.1" or "< 1".
function row(name, target, value, spread, verdict) {
	if (ENVIRON["BENCH_ROWS"])
		printf "row\t%s\t%s\t%s\t%s\t%s\n", name, target, value,
			spread, verdict >>ENVIRON["BENCH_ROWS"]
}

# range(list, format): the least and the most of the numbers in a list.
function range(list, format,	count, i, values, least, most) {
	count = split(list, values, " ")
	least = most = values[1] + 0
	for (i = 2; i <= count; i++) {
		if (values[i] + 0 < least)
			least = values[i] + 0
		if (values[i] + 0 > most)
			most = values[i] + 0
	}
	return sprintf(format " to " format, least, most)
}
