# pairs.awk: ratios of two paths that a benchmark has measured by turns. Needs median.awk.
#
# values[path] lists what was measured over a path.

# pairs_add(path, run, value): adds what a run has measured.
function pairs_add(path, run, value) {
	values[path] = values[path] " " value
	value_of[path, run] = value
	if (run + 0 > last_run)
		last_run = run + 0
}

# pairs_ratios(path, other): the ratios of the runs in which both were measured: the
# state of the machine changes between two runs more than within one.
function pairs_ratios(path, other,	run, list) {
	for (run = 1; run <= last_run; run++)
		if ((path, run) in value_of && (other, run) in value_of)
			list = list " " value_of[path, run] / value_of[other, run]
	return list ? list : median(values[path]) / median(values[other])
}
