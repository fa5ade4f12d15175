# table.awk: prints bench-core's medians as a table. Needs median.awk.

function shown(name) {
	sub(/_/, " ", name)
	return name
}

# other_sizes(name): the numbers of tasks of runtimes that had another size.
function other_sizes(name,	i, all, text) {
	split("sateen openmp tbb lace", all)
	for (i = 1; i in all; i++)
		if (measured(name, all[i], 1) && \
		    tasks[name, all[i], 1] != tasks[name, "seq", 1])
			text = text sprintf("%s %s %d", text ? "," : "",
				title[all[i]], tasks[name, all[i], 1])
	return text
}

function cell(is_there, value, format) {
	printf "%10s", is_there ? sprintf(format, value) : "-"
}

function against(name, runtime, workers) {
	cell(measured(name, runtime, workers),
		measured(name, runtime, workers) ? \
		ratio(name, runtime, workers, "seq", 1) : 0, "%.2f")
}

# run_ratios(name, runtime, workers, other, other_workers): the ratio of each run. If
# one of the two ran fewer times, its last run stands for the runs that it lacks.
function run_ratios(name, runtime, workers, other, other_workers,	i, a, b, of_a,
		of_b, scale, list) {
	scale = tasks[name, runtime, workers] == tasks[name, other, other_workers] ? 1 : \
		tasks[name, other, other_workers] / tasks[name, runtime, workers]
	of_a = split(seconds[name, runtime, workers], a, " ")
	of_b = split(seconds[name, other, other_workers], b, " ")
	for (i = 1; i <= of_a || i <= of_b; i++)
		list = list " " (b[i < of_b ? i : of_b] ? scale * \
			a[i < of_a ? i : of_a] / b[i < of_b ? i : of_b] : 0)
	return list
}

function ratio_row(name, runtime, workers, other, other_workers, target,	shown_name) {
	if (!measured(name, runtime, workers) ||
		!measured(name, other, other_workers))
		return
	shown_name = sprintf("%s: %s, %d / %s", shown(name), title[runtime],
		workers, other == "seq" ? "plain C" : \
		title[other] ", " other_workers)
	row(shown_name, target, sprintf("%.3f", ratio(name, runtime, workers,
		other, other_workers)), range(run_ratios(name, runtime, workers,
		other, other_workers), "%.3f"))
}

# rows_of(name): the rows of a benchmark, with the targets.
function rows_of(name) {
	ratio_row(name, "sateen", 1, "seq", 1, most_alone[name])
	ratio_row(name, "sateen", 2, "seq", 1, most_of_two[name])
	ratio_row(name, "sateen", 2, "sateen", 1, name == "fib_40" ? "<= 0.53" : "")
	for (i = 1; i <= 2; i++) {
		ratio_row(name, "sateen", i, "openmp", i, "<= 1")
		ratio_row(name, "sateen", i, "tbb", i, "<= 1")
		ratio_row(name, "sateen", i, "lace", i, "")
	}
	if (name == "fib_40")
		row("fib 40: ns a task, 1 worker", "<= 1.5", sprintf("%.3f",
			1e9 * cost(name, "sateen", 1)))
}

function times(name) {
	printf "%-18s", shown(name)
	cell(1, median(seconds[name, "seq", 1]), "%.3f")
	against(name, "sateen", 1)
	against(name, "sateen", 2)
	cell(1, ratio(name, "sateen", 1, "sateen", 2), "%.2f")
	cell(1, ratio(name, "seq", 1, "sateen", 2), "%.2f")
	against(name, "openmp", 1)
	against(name, "openmp", 2)
	against(name, "tbb", 1)
	against(name, "tbb", 2)
	against(name, "lace", 1)
	against(name, "lace", 2)
	print ""
}

function task(name, runtime, workers, text) {
	text = "-"
	if (measured(name, runtime, workers))
		text = sprintf("%.2f (%.1f)",
			1e9 * cost(name, runtime, workers),
			ticks_a_task(name, runtime, workers))
	printf "%17s", text
}

function tasks_of(name) {
	printf "%-18s", shown(name)
	task(name, "seq", 1)
	task(name, "sateen", 1)
	task(name, "sateen", 2)
	task(name, "openmp", 1)
	task(name, "tbb", 1)
	task(name, "lace", 1)
	print ""
}

function latency_line(name, part, parts) {
	printf "%-18s", shown(name)
	split("p10 median p90 max", parts)
	for (part = 1; part <= 4; part++)
		printf "%12.0f", median(latency[name, parts[part]])
	sub(/.*_/, "", name)
	print "   " meaning[name]
}

BEGIN {
	meaning["awake"] = "from a spawn to its start on a worker that is awake"
	meaning["asleep"] = "from a spawn to its start on a worker that sleeps"
	meaning["line"] = "a cache line's travel time from core to core"
	meaning["first"] = "from a spawn to its start on another node"
	meaning["next"] = "from one steal to the next"
	title["sateen"] = "Sateen"
	title["openmp"] = "OpenMP"
	title["tbb"] = "oneTBB"
	title["lace"] = "Lace"
	most_alone["fib_40"] = "<= 2.3"
	most_alone["nqueens_13"] = most_alone["board_13"] = "<= 1.03"
	most_alone["uts_T1"] = most_alone["uts_T3"] = "<= 1.03"
	most_of_two["uts_T3L"] = "<= 0.52"
	most_of_two["matmul_1024"] = "<= 0.53"
	slowest["awake"] = "<= 100"
}

END {
	print cpu ", " cores " cores, " kernel ", " compiler ", " flags
	print "medians of " runs " runs; load " load_average ", governor " governor
	if (absent)
		print "not found by configure:" absent
	print ""
	printf "%-18s%10s%20s%20s%20s%20s%20s\n", "time", "plain C",
		"Sateen / plain C", "2 workers against", "OpenMP / plain C",
		"oneTBB / plain C", "Lace / plain C"
	printf "%-18s%10s%10s%10s%10s%10s%10s%10s%10s%10s%10s%10s\n", "",
		"seconds", "1 worker", "2", "1", "plain C", "1 thread", "2",
		"1 thread", "2", "1 worker", "2"
	for (i = 1; i <= name_count; i++)
		times(names[i])
	for (i = 1; i <= name_count; i++)
		if (other_sizes(names[i]))
			print shown(names[i]) ": ratios of a task; tasks of" \
				other_sizes(names[i])
	printf "\n%-18s%17s%17s%17s%17s%17s%17s\n", "ns (ticks) a task",
		"plain C", "Sateen", "2 workers", "OpenMP", "oneTBB", "Lace"
	for (i = 1; i <= name_count; i++)
		if (tasks[names[i], "seq", 1])
			tasks_of(names[i])
	printf "\n%-18s%12s%12s%12s%12s\n", "latency, ns", "10 %", "median",
		"90 %", "max"
	for (i = 1; i <= latency_count; i++)
		latency_line(latency_names[i])
	print "\nbench-core.json has all measurements."
	for (n = 1; n <= name_count; n++)
		rows_of(names[n])
	for (n = 1; n <= latency_count; n++) {
		name = latency_names[n]
		row(shown(name) ", ns", slowest[name],
			sprintf("%.1f", median(latency[name, "median"])),
			range(latency[name, "median"], "%.1f"))
	}
}
