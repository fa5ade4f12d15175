# pairs.awk: ratios of two paths that a benchmark measures alternately, once in each run.
#
# Needs median.awk and rows.awk. values[path] lists what was measured over a path.

# pairs_add(path, run, value): adds what a run has measured.
function pairs_add(path, run, value) {
	values[path] = values[path] " " value
	value_of[path, run] = value
	if (run + 0 > last_run)
		last_run = run + 0
}

# pairs_ratios(path, other): the ratios of the runs that have both; "" if there are none.
# Values of different runs are not compared, because the machine's load changes more from
# run to run than within one.
function pairs_ratios(path, other,	run, list) {
	for (run = 1; run <= last_run; run++)
		if ((path, run) in value_of && (other, run) in value_of)
			list = list " " value_of[path, run] / value_of[other, run]
	return list
}

# pairs_row(name, target, path, other, format, unit, verdict): adds a row with the median
# of their ratios, and with both medians in this format.
function pairs_row(name, target, path, other, format, unit, verdict,	ratios) {
	ratios = pairs_ratios(path, other)
	if (ratios)
		row(name, target, sprintf("%.3f (" format " / " format " %s)",
			median(ratios), median(values[path]),
			median(values[other]), unit), range(ratios, "%.3f"), verdict)
	else
		row(name, target, "not measured in the same run", "", "unresolved")
}
