#!/bin/sh
# parts_files.t: grids go to files and come back, and what can go wrong with a
# file is told in one line.
. "$(dirname "$0")/tap.sh"

file=$scratch/grid.nc
if ! grep -q '^#define NETCDF_SONAME' config.h; then
	complains 1 'built without netCDF' ./files write "$file"
	ok $? "without netCDF, a line says so"
	plan
	exit
fi

# right OPTIONS...: all shapes of tests/toy/grids.c are right in such a run, where
# each of them goes through a file.
right() {
	prints ': right$' ./sateen "$@" ./grids 13 "$file" &&
		! grep -q WRONG "$scratch/out" &&
		[ "$(grep -c right "$scratch/out")" = 25 ]
}

right run -n 1 -w 1
ok $? "grids go through files on one node"
right run -n 3 -w 2
ok $? "on three nodes"
right run -n 4 -w 2 --scheduler restless
ok $? "while parts move"
right sim -n 5 --cost counted --scheduler smooth --smooth-every 1
ok $? "in virtual time"

prints 'real64: right' ./sateen run -n 2 -w 1 ./files types "$file" &&
	! grep -q WRONG "$scratch/out" &&
	[ "$(grep -c right "$scratch/out")" = 13 ]
ok $? "numbers of all types come back"
magic() {
	od -An -c -N4 "$file" | tr -d ' '
}
prints '' ./files write "$file"
[ "$(magic)" = 'CDF002' ] &&
	[ "$(wc -c <"$file")" = $((1024 + 7 * 6 * 8)) ] &&
	[ "$(tail -c +1033 "$file" | od -An -tx1 -N8 | tr -d ' ')" = \
		"c025000000000000" ]
ok $? "a file has netCDF's format, and its points begin at byte 1024"
(umask 0 && cd "$scratch" && [ "$(echo *)" = "err grid.nc out" ])
ok $? "no unfinished file is left"

complains 1 'the points of this grid are no numbers' ./files pairs "$file"
ok $? "elements that are no numbers are refused"
complains 1 'grid.nc: real64 has 1 x 7 x 6 points, but the grid 1 x 7 x 7$' \
	./files size "$file"
ok $? "a file of another size is refused"
complains 1 'real64 has 2 dimensions, but the grid 3$' ./files deep "$file"
ok $? "a file with other dimensions is refused"
complains 1 'real64 are of type double, but the grid.s of type float$' \
	./files type "$file"
ok $? "a file with numbers of another type is refused"
complains 1 'grid.nc: no variable pressure$' ./files name "$file"
ok $? "a file without the variable is refused"
complains 1 'nowhere.nc: No such file' ./files name "$scratch/nowhere.nc"
ok $? "a file that is not there is refused"
complains 1 'grid.nc: No such file or directory$' ./files write \
	"$scratch/nowhere/grid.nc"
ok $? "so is a directory that is not there"
echo garbage >"$scratch/garbage"
complains 1 'garbage: .*[Uu]nknown' ./files name "$scratch/garbage"
ok $? "a file of another format is refused"

# cut FILE LENGTHS...: prints the first of these lengths at which the beginning of
# the file is not refused when ./files $what reads it.
cut() {
	whole_file=$1
	shift
	for length; do
		head -c "$length" "$whole_file" >"$scratch/short"
		complains 1 'short: ' ./files "$what" "$scratch/short" >&2 ||
			{ echo "$length" && break; }
	done
}
what='read'
# shellcheck disable=SC2046 # numbers
found=$(cut "$file" $(seq 0 8 128) 1023 1024 1025 1351 1352 1353 1359)
[ -z "$found" ] && complains 1 'short: it is cut off or damaged$' \
	./files read "$scratch/short" && ./files read "$file"
ok $? "so is a file that ends early${found:+, but not at $found bytes}"
# The last frame of coordinates ends at byte 448, and another variable follows.
what=frames
echo 1 1 1 2 3 4 5 6 |
	perl "$source_directory/tests/amber.pl" write --frames 2 >"$scratch/frames"
found=$(cut "$scratch/frames" 376 400 424 440 447)
head -c 448 "$scratch/frames" >"$scratch/enough"
[ -z "$found" ] && ./files frames "$scratch/enough"
ok $? "so is a file of records, unless only another variable is cut off${found:+; $found}"
complains 1 'not a regular file$' ./files write /dev/full
ok $? "a device is not replaced by a file"

field=$scratch/sor
prints error ./sateen run -n 3 -w 1 ./sor -r 30 -c 40 -n 20 --part-rows 7 \
	--part-columns 6 --write "$field.nc" --png "$field.png" &&
	prints error ./sor -r 30 -c 40 -n 20 --png "$field.alone.png" &&
	cmp "$field.png" "$field.alone.png" &&
	[ "$(od -An -tx1 -j16 -N8 "$field.png" | tr -d ' ')" = \
		000000280000001e ]
ok $? "sor writes the same picture on one node and on three"
whole=$(./sor -r 30 -c 40 -n 50 | sed -n 's/.*error \([^ ]*\).*/\1/p')
prints "error $whole " ./sor -r 30 -c 40 -n 30 --read "$field.nc"
ok $? "sor continues from its file"
# A number that is none, in the middle of a part: its points are the last in the file.
nan=$(($(wc -c <"$field.nc") - 8 * (30 * 40 - 15 * 40 - 20)))
cp "$field.nc" "$scratch/nan.nc"
printf '\177\370\0\0\0\0\0\0' |
	dd of="$scratch/nan.nc" bs=1 seek=$nan conv=notrunc 2>"$scratch/log"
complains 1 'the error is inf' ./sor -r 30 -c 40 -n 2 --read "$scratch/nan.nc"
ok $? "and finds a NaN there"
complains 1 'x.png: No such file' ./sor -n 1000000000 \
	--png "$scratch/nowhere/x.png" &&
	complains 1 'x.nc: No such file' ./jacobi -n 1000000000 \
		--write "$scratch/nowhere/x.nc" &&
	! [ -e "$scratch/nowhere" ]
ok $? "an unwritable path is reported before the first sweep"
# An empty file stands in for a library that is missing.
mkdir "$scratch/lacks"
: >"$scratch/lacks/$(sed -n 's/^#define NETCDF_SONAME "\(.*\)"/\1/p' config.h)"
for program in jacobi sor heat3d; do
	complains 1 'netCDF' env LD_LIBRARY_PATH="$scratch/lacks" ./$program \
		-n 100000 --write "$scratch/lacks/x.nc" && ! [ -s "$scratch/out" ]
	ok $? "so is the lack of the library netCDF: $program"
done
for program in 'jacobi -n 5' 'sor -n 5' 'heat3d -n 8 -t 5'; do
	# shellcheck disable=SC2086 # words
	complains 1 'full: ' ./$program --png /dev/full &&
		grep -q error "$scratch/out" && grep -q '^time: ' "$scratch/out"
	ok $? "$program prints its result although the picture can't be written"
done
for options in 'jacobi -r 1000000 -c 1000000' 'sor -r 1000000 -c 1000000' \
	'heat3d -n 100000'; do
	! sanitized || break
	# The limit, 1 TB, is for systems that promise more memory than they have.
	complains 1 'out of memory$' sh -c \
		"ulimit -v 1000000000; exec ./$options --seq"
	ok $? "without memory for a grid, a line says so: $options --seq"
done
complains 1 'full.nc: .*large' sh -c "ulimit -f 100
	exec ./jacobi -n 5 --write $scratch/full.nc" &&
	grep -q 'error' "$scratch/out"
ok $? "jacobi prints its result although the grid can't be written"
prints error ./jacobi -r 20 -c 30 -n 3 --write "$field.nc" &&
	prints error ./heat3d -n 8 -t 3 --write "$scratch/heat.nc" \
		--png "$scratch/heat.png" &&
	[ "$(wc -c <"$scratch/heat.nc")" = $((1024 + 8 * 8 * 8 * 8)) ]
ok $? "jacobi and heat3d write files, too"

# points ROWS COLUMNS SWEEPS: have the numbers on standard input, in this order, the
# values that jacobi.c knows for this grid?
points() {
	awk -v rows="$1" -v columns="$2" -v sweeps="$3" '
		BEGIN {
			pi = atan2(0, -1)
			a = pi / (rows + 1)
			b = pi / (columns + 1)
			wave = ((cos(a) + cos(b)) / 2) ^ sweeps
		}
		{
			i = int((NR - 1) / columns) + 1
			j = (NR - 1) % columns + 1
			right = (j * j - i * i) / (rows + 1) / (columns + 1) + \
				wave * sin(a * i) * sin(b * j)
			wrong += ($1 - right) ^ 2 > 1e-24
		}
		END { exit wrong || NR != rows * columns }'
}
if command -v ncdump >/dev/null; then
	[ "$(ncdump -h "$field.nc" | tr -d '[:space:]')" = \
		'netcdfsor{dimensions:y=20;x=30;variables:doubleu(y,x);}' ] &&
		ncdump -p 9,17 -v u "$field.nc" | sed '1,/^ u =/d' |
		tr -cs '0-9.e+-' '\n' | grep . | points 20 30 3
	ok $? "ncdump reads the file of jacobi: the names, the sizes and all points"
else
	skip "another program reads the file of jacobi" "netcdf-bin"
fi

# The limit on the size of files stands in for a full disk. Memory that nodes share
# counts as a file.
cp "$file" "$scratch/before"
complains 1 'grid.nc: File too large$' \
	sh -c "ulimit -f 100; exec ./files write $file 100000"
ok $? "a disk that gets full is told in one line"
cmp "$file" "$scratch/before" && [ -z "$(find "$scratch" -name '*unfinished*')" ]
ok $? "then the former file stays, and no other"
complains 1 'File too large' sh -c "ulimit -f 1
	exec ./sateen run -n 2 -w 1 ./files write $file"
ok $? "a run without room for the memory that its nodes share is told in one line"

plan
