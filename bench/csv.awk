# csv.awk: reads comma-separated values. A field with a comma stands in quotes, and a
# quote in it is written twice (RFC 4180).
#
# csv_split(line, fields): fills in the fields of a line. Returns their number.
function csv_split(line, fields,	count, field) {
	split("", fields)
	line = line ","
	while (match(line, /^("([^"]|"")*"|[^",]*),/)) {
		field = substr(line, 1, RLENGTH - 1)
		line = substr(line, RLENGTH + 1)
		if (field ~ /^"/) {
			field = substr(field, 2, length(field) - 2)
			gsub(/""/, "\"", field)
		}
		fields[++count] = field
	}
	return count
}
