# section.awk: prints the rows of a command as a table. A test (@is_test) has one row: the
# sums of its tests, or whether it succeeded. For a command that reports no rows or fails,
# its output is printed. Of a test that is skipped as a whole the reason is printed. Reads
# two files: the rows (README.md), and the output.
BEGIN { FS = "\t" }

function number(text) {
	sub(/^[^0-9.+-]*/, "", text)
	return text + 0
}

function verdict(target, value, given) {
	if (quick)
		return "not judged"
	if (given || target !~ /^[<>]=? /)
		return given
	if (value !~ /[0-9]/)
		return "missed"
	if (target ~ /^[<>] / && number(value) == number(target))
		return "missed"
	return (target ~ /^</) == (number(value) < number(target)) || \
		number(value) == number(target) ? "met" : "missed"
}

function head() {
	if (!headed++)
		print "| | target | measured | spread | |\n|---|---|---|---|---|"
}

FILENAME == ARGV[1] {
	head()
	printf "| %s | %s | %s | %s | %s |\n", $2, $3, $4, $5,
		verdict($3, $4, $6)
	next
}

/^make +all-am$/ || /^make(\[[0-9]+\])?: (Entering|Leaving) directory / { next }

# Results of tests: those of single tests, or the sums of automake's harness.
/^ok .*# SKIP/ || /^1\.\.0 # SKIP/ { skipped++ }
/^1\.\.0 # SKIP/ { reason = ": " substr($0, length("1..0 # SKIP ") + 1) }
/^ok / && !/# SKIP/ { passed++ }
/^not ok / { failed++ }
/^# (PASS|SKIP|FAIL|ERROR): / {
	split($0, part, /: */)
	passed += part[1] == "# PASS" ? part[2] : 0
	skipped += part[1] == "# SKIP" ? part[2] : 0
	failed += part[1] ~ /FAIL|ERROR/ ? part[2] : 0
}
!/^  (CC|CCLD|CXX|CXXLD) / { lines[++count] = $0 }

END {
	if (is_test) {
		head()
		printf "| tests | all pass | %s | | %s |\n",
			passed + failed + skipped ? sprintf("%d passed, %d failed, " \
			"%d skipped%s", passed, failed, skipped, reason) : lines[count],
			failed || status ? "missed" : \
			skipped && !passed ? "unresolved" : "met"
	}
	if (status)
		printf "%sThe command failed with status %d.\n",
			headed ? "\n" : "", status
	if (headed && !status)
		exit
	print (status ? "\n" : "") "```"
	for (i = status && count > 20 ? count - 19 : 1; i <= count; i++)
		print lines[i]
	print "```"
}
