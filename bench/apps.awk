# apps.awk: prints bench-apps' medians as a table. Needs median.awk.

function shown(name) {
	gsub(/_/, " ", name)
	sub(/fib threshold/, "fib_threshold", name)
	return name
}

# least(list): the smallest number in a list.
function least(list,	count, i, values, best) {
	count = split(list, values, " ")
	best = values[1] + 0
	for (i = 2; i <= count; i++)
		if (values[i] + 0 < best)
			best = values[i] + 0
	return best
}

function quotient(value, other) {
	return other ? sprintf("%.3f", value / other) : "-"
}

END {
	print cpu ", " cores " cores, " kernel ", " compiler ", " flags
	print "medians of " runs " runs; load " load_average ", governor " governor
	if (absent)
		print "not built:" absent
	print ""
	printf "%-34s%10s%10s%10s%14s\n", "time, s", "--seq", "1 worker",
		"ratio", "of the best"
	for (i = 1; i <= name_count; i++) {
		name = names[i]
		plain = seconds[name, "seq", 1]
		ours = seconds[name, "sateen", 1]
		printf "%-34s%10.3f%10.3f%10s%14s\n", shown(name),
			median(plain), median(ours),
			quotient(median(ours), median(plain)),
			quotient(least(ours), least(plain))
		row(shown(name) ", 1 worker / --seq",
			name ~ /^(fib|uts)_[^t]/ ? "" : "<= 1.05",
			quotient(median(ours), median(plain)),
			quotient(least(ours), least(plain)) " of the best runs")
	}
	print "\nbench-apps.json has all measurements."
}
