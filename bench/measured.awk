# measured.awk: prints a document of measurements. Reads documents; a section of a later
# one replaces the section of the same name. New sections come last.
FNR == 1 { name = "" }

/^## / {
	name = substr($0, 4)
	if (!(name in text))
		names[++count] = name
	text[name] = ""
}

name != "" { text[name] = text[name] $0 "\n" }

function verdicts(word,	i, sum) {
	for (i = 1; i <= count; i++)
		sum += gsub("[|] " word " [|]", "&", text[names[i]])
	return sum + 0
}

END {
	print "# Measured\n"
	print "Written by `make bench-all` and `make check-all` in the build " \
		"directory, which replace a section\nwhen they measure it again. " \
		"`bench/README.md` says what is measured. Values are medians. The\n" \
		"spread is that of the runs, or an interval that the script explains."
	printf "\nTargets: %d met, %d missed, %d unresolved.\n",
		verdicts("met"), verdicts("missed"), verdicts("unresolved")
	for (i = 1; i <= count; i++) {
		sub(/\n+$/, "", text[names[i]])
		printf "\n%s\n", text[names[i]]
	}
}
