# measured.awk: prints a document of measurements. Reads documents; a section of a later
# one replaces the section of the same name. New sections come last.
BEGIN { words["met"]; words["missed"]; words["unresolved"] }

FNR == 1 { name = ""; is_output = 0 }

# The output of a command stands between two lines of ```.
/^```/ { is_output = !is_output }

!is_output && /^## / {
	name = substr($0, 4)
	if (!(name in text))
		names[++count] = name
	text[name] = ""
	for (word in words)
		verdicts[name, word] = 0
}

name != "" {
	text[name] = text[name] $0 "\n"
	if (!is_output && match($0, /[|] (met|missed|unresolved) [|]$/))
		verdicts[name, substr($0, RSTART + 2, RLENGTH - 4)]++
}

function total(word,	i, sum) {
	for (i = 1; i <= count; i++)
		sum += verdicts[names[i], word]
	return sum + 0
}

END {
	print "# Measured\n"
	print "Written by `make bench-all` and `make check-all` in the build " \
		"directory, which replace a section\nwhen they measure it again. " \
		"`bench/README.md` says what is measured. Values are medians. The\n" \
		"spread is that of the runs, or an interval that the script explains."
	printf "\nTargets: %d met, %d missed, %d unresolved.\n",
		total("met"), total("missed"), total("unresolved")
	for (i = 1; i <= count; i++) {
		sub(/\n+$/, "", text[names[i]])
		printf "\n%s\n", text[names[i]]
	}
}
