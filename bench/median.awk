# median.awk: reads the samples of bench-core and bench-apps for table.awk,
# apps.awk and json.awk.
#
#	run NAME RUNTIME WORKERS SECONDS TASKS TICKS
#	latency NAME P10 MEDIAN P90 MAX COUNT

$1 == "run" {
	if (!(($2, "seq", 1) in seconds))
		names[++name_count] = $2
	seconds[$2, $3, $4] = seconds[$2, $3, $4] " " $5
	tasks[$2, $3, $4] = $6
	ticks[$2, $3, $4] = ticks[$2, $3, $4] " " $7
}

$1 == "latency" {
	if (!(($2, "median") in latency))
		latency_names[++latency_count] = $2
	latency[$2, "p10"] = latency[$2, "p10"] " " $3
	latency[$2, "median"] = latency[$2, "median"] " " $4
	latency[$2, "p90"] = latency[$2, "p90"] " " $5
	latency[$2, "max"] = latency[$2, "max"] " " $6
}

# median(list): the median of the numbers in a list.
function median(list,	count, i, j, values, value) {
	count = split(list, values, " ")
	for (i = 2; i <= count; i++) {
		value = values[i] + 0
		for (j = i - 1; j > 0 && values[j] + 0 > value; j--)
			values[j + 1] = values[j]
		values[j + 1] = value
	}
	i = int((count + 1) / 2)
	return (values[i] + values[count + 1 - i]) / 2
}

# measured(name, runtime, workers): true if this configuration was run.
function measured(name, runtime, workers) {
	return (name, runtime, workers) in seconds
}

# cost(name, runtime, workers): seconds of a task, or of the whole benchmark if
# its tasks are not counted.
function cost(name, runtime, workers,	count) {
	count = tasks[name, runtime, workers]
	return median(seconds[name, runtime, workers]) / (count ? count : 1)
}

# ticks_a_task(name, runtime, workers): the processor's ticks for a task.
function ticks_a_task(name, runtime, workers) {
	return median(ticks[name, runtime, workers]) / \
		tasks[name, runtime, workers]
}

# ratio(...): cost divided by the other configuration's cost; 0 if the latter
# was too small to be measured.
function ratio(name, runtime, workers, other, other_workers,	divisor) {
	divisor = cost(name, other, other_workers)
	return divisor ? cost(name, runtime, workers) / divisor : 0
}
