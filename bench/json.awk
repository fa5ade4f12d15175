# json.awk: prints all measurements as JSON. Needs median.awk.

function quoted(text) {
	gsub(/["\\]/, "\\\\&", text)
	gsub(/[[:cntrl:]]/, " ", text)
	return "\"" text "\""
}

function member(name, text, last) {
	printf "\t\t\"%s\": %s%s\n", name, text, last ? "" : ","
}

function list(numbers) {
	sub(/^ /, "", numbers)
	gsub(/ /, ", ", numbers)
	return "[" numbers "]"
}

function machine() {
	print "\t\"machine\": {"
	member("cpu", quoted(cpu))
	member("cores", cores)
	member("kernel", quoted(kernel))
	member("governor", quoted(governor))
	member("load", load_average)
	member("compiler", quoted(compiler))
	member("flags", quoted(flags), 1)
	print "\t},"
}

# program(name, runtime, workers): one program's runs of a benchmark.
function program(name, runtime, workers) {
	if (!measured(name, runtime, workers))
		return
	printf "%s\n\t\t{ \"benchmark\": %s, \"runtime\": %s, \"workers\": %d,",
		separator, quoted(name), quoted(runtime), workers
	printf "\n\t\t  \"seconds\": %.9f, \"tasks\": %d,",
		median(seconds[name, runtime, workers]),
		tasks[name, runtime, workers]
	printf "\n\t\t  \"to_seq\": %.4f, \"to_one_worker\": %.4f,",
		ratio(name, runtime, workers, "seq", 1),
		ratio(name, runtime, workers, runtime, 1)
	if (tasks[name, runtime, workers])
		printf "\n\t\t  \"ns_a_task\": %.3f, \"ticks_a_task\": %.2f,",
			1e9 * cost(name, runtime, workers),
			ticks_a_task(name, runtime, workers)
	printf "\n\t\t  \"samples\": %s }", list(seconds[name, runtime, workers])
	separator = ","
}

function parts_of(name,	part, parts) {
	split("p10 median p90 max", parts)
	for (part = 1; part <= 4; part++)
		printf ",\n\t\t  \"%s\": %.0f, \"%s_samples\": %s", parts[part],
			median(latency[name, parts[part]]), parts[part],
			list(latency[name, parts[part]])
}

function latency_of(name) {
	printf "%s\n\t\t{ \"latency\": %s, \"unit\": \"ns\"", separator,
		quoted(name)
	parts_of(name)
	printf " }"
	separator = ","
}

END {
	print "{"
	machine()
	print "\t\"runs\": " runs ","
	printf "\t\"benchmarks\": ["
	for (i = 1; i <= name_count; i++) {
		program(names[i], "seq", 1)
		program(names[i], "sateen", 1)
		program(names[i], "sateen", 2)
		program(names[i], "openmp", 1)
		program(names[i], "openmp", 2)
		program(names[i], "tbb", 1)
		program(names[i], "tbb", 2)
		program(names[i], "lace", 1)
		program(names[i], "lace", 2)
	}
	printf "\n\t],\n\t\"latencies\": ["
	separator = ""
	for (i = 1; i <= latency_count; i++)
		latency_of(latency_names[i])
	print "\n\t]\n}"
}
