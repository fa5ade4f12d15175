# fabric.awk: prints bench-fabric's rows as Markdown, or as JSON (output=json).
# Needs csv.awk, median.awk, pairs.awk, rows.awk and the file of @targets. Reads lines of
#
#	RUN,WIRE,BENCHMARK,TRANSPORT,PROVIDER,PATH,BYTES,MEDIAN,P99,UNIT,SAMPLES

{
	csv_split($0, cells)
	fabric = cells[4] (cells[5] == "auto" ? "" : " " cells[5])
	path = cells[6] (cells[4] == "mpi" ? "" : " over " fabric)
	size = cells[7]
	table = cells[3] SUBSEP cells[2]
	line = table SUBSEP path
	if (!(table in lines))
		tables[++table_count] = table
	if (!(line in transport)) {
		names[table, ++lines[table]] = path
		transport[line] = cells[4]
		provider[line] = cells[5]
		is_ours[line] = cells[6] == "sateen"
		ours[line] = table SUBSEP "sateen over " fabric
	}
	if (!((table, "column", size) in seen)) {
		seen[table, "column", size] = 1
		sizes[table, ++columns[table]] = size
	}
	unit[table] = cells[10]
	pairs_add(line SUBSEP size, cells[1], cells[8])
	p99s[line, size] = p99s[line, size] " " cells[9]
}

# counterpart(table, line, size): Sateen's line with which a line is compared:
# that of the same transport; for MPI, Sateen's best.
function counterpart(table, line, size,	i, other, best, better) {
	if (transport[line] != "mpi")
		return ours[line]
	for (i = 1; i <= lines[table]; i++) {
		other = table SUBSEP names[table, i]
		if (!is_ours[other] || !((other, size) in values))
			continue
		better = best != "" && median(values[other, size]) < \
			median(values[best, size])
		if (best == "" || better == (unit[table] == "us"))
			best = other
	}
	return best
}

function bytes(size) {
	if (size % 1048576 == 0)
		return size / 1048576 " MiB"
	return size % 1024 ? size " B" : size / 1024 " KiB"
}

function cell(table, line, size,	other, ratios) {
	if (!((line, size) in values))
		return " - |"
	if (is_ours[line])
		return sprintf(" %.4g |", median(values[line, size]))
	other = counterpart(table, line, size)
	ratios = pairs_ratios(other SUBSEP size, line SUBSEP size)
	if (!ratios)
		return sprintf(" %.4g |", median(values[line, size]))
	return sprintf(" %.4g (%.2f) |", median(values[line, size]), median(ratios))
}

function is_whole(text, pattern) {
	return text ~ "^(" pattern ")$"
}

# target_of(...): the first target that matches, or nothing.
function target_of(benchmark, transport, provider, path, size,	line, part, found) {
	while ((getline line <targets) > 0) {
		split(line, part, ",")
		if (!found && line !~ /^#/ && part[1] == benchmark &&
		    is_whole(transport, part[2]) && is_whole(provider, part[3]) &&
		    is_whole(path, part[4]) && is_whole(size, part[5]))
			found = part[6]
	}
	close(targets)
	return found
}

# beyond(target, ratios): whether all runs' ratios meet the target, "< 1" or "> 1".
# "unresolved" if the median meets it and a run does not, or a run is missing.
function beyond(target, ratios,	ends, worst, is_met, list) {
	split(range(ratios, "%.4f"), ends, " to ")
	worst = target ~ /^</ ? ends[2] : ends[1]
	is_met = target ~ /^</ ? median(ratios) < 1 : median(ratios) > 1
	if (!is_met)
		return "missed"
	return (target ~ /^</ ? worst < 1 : worst > 1) && \
		split(ratios, list, " ") >= runs ? "met" : "unresolved"
}

# result(table, line, size): adds a row that compares Sateen with this line.
function result(table, line, size,	part, other, ratios, path, target) {
	other = counterpart(table, line, size)
	if (is_ours[line] || !((line, size) in values) ||
	    !((other, size) in values))
		return
	split(table, part, SUBSEP)
	path = line
	sub(/^.*\034/, "", path)
	sub(/ over .*/, "", path)
	ratios = pairs_ratios(other SUBSEP size, line SUBSEP size)
	target = target_of(part[1], transport[line], provider[line], path, size)
	pairs_row(sprintf("%s of %s, %s / %s", part[1], bytes(size),
		substr(other, length(table) + 2), path), target,
		other SUBSEP size, line SUBSEP size, "%.4g", unit[table],
		transport[line] == "mpi" && ratios ? beyond(target, ratios) : "")
}

function results(table,	i, j) {
	for (j = 1; j <= lines[table]; j++)
		for (i = 1; i <= columns[table]; i++)
			result(table, table SUBSEP names[table, j],
				sizes[table, i])
}

function markdown(table,	part, i, j, head, rule, text) {
	split(table, part, SUBSEP)
	head = "| " part[1] " over " part[2] ", " unit[table] " |"
	rule = "|---|"
	for (i = 1; i <= columns[table]; i++) {
		head = head " " bytes(sizes[table, i]) " |"
		rule = rule "---|"
	}
	print head "\n" rule
	for (j = 1; j <= lines[table]; j++) {
		text = "| " names[table, j] " |"
		for (i = 1; i <= columns[table]; i++)
			text = text cell(table, table SUBSEP names[table, j],
				sizes[table, i])
		print text
	}
	print ""
}

function numbers(list) {
	sub(/^ /, "", list)
	gsub(/ /, ", ", list)
	return "[" list "]"
}

function json(table,	part, i, j, line) {
	split(table, part, SUBSEP)
	for (j = 1; j <= lines[table]; j++)
		for (i = 1; i <= columns[table]; i++) {
			line = table SUBSEP names[table, j]
			if (!((line, sizes[table, i]) in values))
				continue
			printf "%s\n    {\"benchmark\": \"%s\", " \
				"\"wire\": \"%s\", \"path\": \"%s\", ",
				separator, part[1], part[2], names[table, j]
			printf "\"transport\": \"%s\", \"provider\": \"%s\", ",
				transport[line], provider[line]
			printf "\"bytes\": %d, \"unit\": \"%s\", ",
				sizes[table, i], unit[table]
			printf "\"median\": %.6g, \"medians\": %s, ",
				median(values[line, sizes[table, i]]),
				numbers(values[line, sizes[table, i]])
			printf "\"p99s\": %s}",
				numbers(p99s[line, sizes[table, i]])
			separator = ","
		}
}

END {
	gsub(/["\\]/, "", cpu)
	if (output == "json") {
		printf "{\n  \"sateen_bench_fabric\": 1,\n  \"cpu\": \"%s\",\n",
			cpu
		printf "  \"kernel\": \"%s\",\n  \"load\": %s,\n", kernel,
			load_average
		printf "  \"runs\": %d,\n  \"rows\": [", runs
	} else {
		printf "%s, processors %s, %s, load %s, medians of %d runs.\n",
			cpu, cores, kernel, load_average, runs
		print "In brackets: Sateen's value divided by this one; for MPI, " \
			"the value of Sateen's best transport.\n"
	}
	for (t = 1; t <= table_count; t++)
		if (output == "json")
			json(tables[t])
		else {
			markdown(tables[t])
			results(tables[t])
		}
	if (output == "json")
		print "\n  ]\n}"
}
