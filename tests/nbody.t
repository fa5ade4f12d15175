#!/bin/sh
# nbody.t: particles move as known solutions do, files of particles come back and
# malformed ones are refused, and each number of nodes prints the same.
. "$(dirname "$0")/tap.sh"

amber=$source_directory/tests/amber.pl

# value LINE WORD: the number behind a word of a line that the last command has
# printed.
value() {
	sed -n "s/^$1:.*$2 \([-0-9.e+]*\).*/\1/p" "$scratch/out"
}

# near NUMBER EXPECTED DIFFERENCE: two numbers differ by so much at most.
near() {
	awk -v a="$1" -v b="$2" -v most="$3" 'BEGIN {
		exit !(a != "" && a - b <= most && b - a <= most)
	}' || { echo "# $1 is not within $3 of $2"; return 1; }
}

prints '^usage: ' ./nbody --help
ok $? "nbody --help prints its usage"

# Distributions.
for distribution in uniform gaussian corner plummer; do
	prints '^error: asked 0.0001, ' ./nbody --seq -n 2000 -t 3 \
		-d $distribution --check 100 &&
		near "$(value change momentum)" 0 1e-6
	ok $? "$distribution: the error is as asked, and the momentum stays"
done
# is_wanted LEAST ERROR GRADIENT OPTION...: the measured error is at most what is
# asked for, and at least a part of it; that of gradients is at most GRADIENT.
is_wanted() {
	part=$1
	error=$2
	gradient=$3
	shift 3
	prints '^error: ' ./nbody --seq -t 0 -e "$error" --check 100 "$@" &&
		awk -v a="$(value error potential)" -v e="$error" -v p="$part" \
			-v g="$(value error gradient)" -v most="$gradient" \
			'BEGIN { exit !(a <= e && a * p >= e && g > 0 && g <= most) }'
}
for distribution in uniform gaussian corner plummer; do
	is_wanted 8 2e-4 4e-3 -n 20000 -d $distribution
	ok $? "$distribution: an error of 2e-4 is not computed too exactly"
	is_wanted 10 1e-6 4e-5 -n 20000 -d $distribution
	ok $? "nor is one of 1e-6"
	is_wanted 10 5e-4 2e-3 -n 20000 -d $distribution --charges
	ok $? "nor is one of 5e-4 for charges"
done
prints '^before' ./nbody --seq -n 4000 -t 0
near "$(value before energy)" -0.1473 0.01 &&
	near "$(value before 'kinetic')" 0.1473 0.01 &&
	near "$(value before 'potential')" -0.2945 0.01
ok $? "Plummer's model has its energy, and is in equilibrium"
prints '^before' ./nbody --seq -n 4000 -t 0 -d uniform
near "$(value before potential)" -0.9411 0.015
ok $? "the uniform cube has its energy"
prints checksum ./nbody --seq -n 50 -t 0 --seed 2
cp "$scratch/out" "$scratch/two"
prints checksum ./nbody --seq -n 50 -t 0 --seed 3 &&
	! cmp -s "$scratch/two" "$scratch/out"
ok $? "another seed makes other particles"

# If edges of cells were only halved, 33000 particles would take 1.54 times as much
# work for each particle as 12500, because their cells have 8 particles or 64.
work() {
	prints 'checksum' ./sateen sim -n 1 --cost counted ./nbody -d uniform \
		-e 2e-4 -t 0 -n "$1" --check 50 &&
		sed -n 's/^sateen: simulated 1 nodes for \([0-9.]*\) s.*/\1/p' \
			"$scratch/err" >"$scratch/work.$1"
}
work 12500 && work 33000 &&
	awk 'NR == 1 { least = $1 / 12500 } END { exit !($1 / 33000 < 1.35 * least) }' \
		"$scratch/work.12500" "$scratch/work.33000"
ok $? "the work for a particle hardly depends on their number"

# Known solutions.
for options in --seq ''; do
	# shellcheck disable=SC2086 # words
	prints '^error: .* potential 0, gradient 0' ./nbody $options -n 1 --check 1
	[ "$(value after potential)" = 0 ] && [ "$(value change momentum)" = 0 ]
	ok $? "one particle moves straight on $options"
done

if ! grep -q '^#define NETCDF_SONAME' config.h; then
	complains 1 'built without netCDF' ./nbody --read "$scratch/none"
	ok $? "without netCDF, a line says so"
	plan
	exit
fi

# particles OPTION... <LINES: a file of these particles, $scratch/in.nc.
particles() {
	perl "$amber" write "$@" >"$scratch/in.nc"
}

# Two bodies of mass 1/2 on a circle of diameter 1 go round in 2 pi.
orbit='0.5 1 0.5 0 0 0 0.5 0
0.5 -1 -0.5 0 0 0 -0.5 0'
echo "$orbit" | particles
prints '^before: energy -0.125 = kinetic 0.125 + potential -0.25$' \
	./nbody --seq -e 1e-9 --read "$scratch/in.nc" -t 62832 --step 1e-4 \
	--write "$scratch/orbit.nc"
ok $? "two bodies on a circle have their energy"
near "$(value change energy)" 0 1e-10
ok $? "which stays"
perl "$amber" read "$scratch/orbit.nc" >"$scratch/orbit"
# shellcheck disable=SC2046 # words
set -- $(sed -n 2p "$scratch/orbit")
near "$3" 0.5 1e-5 && near "$4" 0 1e-5 && near "$6" 0 1e-5 && near "$7" 0.5 1e-5
ok $? "they are back after their period"
# shellcheck disable=SC2046 # words
set -- $(sed -n 1p "$scratch/orbit")
[ "$1 $2" = "1 2" ] && near "$3" 8.7832 1e-6
ok $? "the file has one frame with the time"

# With charges of 1 and -1, the force is 4 times that of masses of 1/2; bodies at
# rest at distance 1 fall towards each other.
echo "$orbit" | particles
prints '^before: energy -0.875 = kinetic 0.125 + potential -1$' \
	./nbody --seq -e 1e-9 --charges --read "$scratch/in.nc" -t 1
ok $? "charges of opposite signs attract each other"
printf '1 1 0 0 0 0 0 0\n1 1 2 0 0 0 0 0\n' | particles
prints '^before: energy 0.5 = kinetic 0 + potential 0.5$' ./nbody --seq \
	--charges --read "$scratch/in.nc" -t 100 --step 0.01 \
	--write "$scratch/apart.nc"
[ "$(perl "$amber" read "$scratch/apart.nc" | awk 'NR == 3 { print ($3 > 2) }')" = 1 ]
ok $? "equal charges repel each other"
prints '^error: ' ./nbody --seq --charges -n 2001 -t 2 --check 50 -d uniform
ok $? "charges that cancel have the error that is asked for"

# Far from the origin, coordinates have fewer digits behind the point.
awk 'BEGIN { srand(1); for (i = 0; i < 3000; i++)
	printf "1 0 %.9f %.9f %.9f 0 0 0\n", 1e12 + rand(), rand(), rand() - 1e12 }' |
	particles
for options in --seq '--part 200'; do
	# shellcheck disable=SC2086 # words
	prints '^error: asked 1e-09' ./nbody $options -e 1e-9 \
		--read "$scratch/in.nc" -t 0 --check 50
	ok $? "particles may be far from the origin, with $options"
done

# Runs on several nodes.
prints checksum ./nbody --seq --direct -n 3000 -t 2 --charges
grep -v '^time' "$scratch/out" >"$scratch/alone"
# same COMMAND...: prints the same as --seq.
same() {
	prints checksum "$@" ./nbody --direct -n 3000 -t 2 --charges &&
		grep -v '^time' "$scratch/out" | cmp - "$scratch/alone"
}
same env STN_WORKERS=2
ok $? "direct sums have the same bits with two workers"
same ./sateen run -n 3 -w 1
ok $? "on three nodes"
same ./sateen sim -n 9 -c 3 --wan 1ms,10MB/s --cost counted
ok $? "and in virtual time"

# cells COMMAND...: prints what one node prints.
cells() {
	prints checksum "$@" ./nbody -n 3000 --part 150 -t 3 --step 0.05 \
		--check 100 &&
		grep -v '^time' "$scratch/out" | cmp - "$scratch/one"
}
prints '^error: asked 0.0001, ' ./nbody --seq -n 3000 -t 3 --step 0.05 --check 100
energy=$(value after energy)
prints '^error: asked 0.0001, ' env STN_WORKERS=1 ./nbody -n 3000 --part 150 -t 3 \
	--step 0.05 --check 100
ok $? "the error of particles in parts is as asked"
near "$(value after energy)" "$energy" 1e-4
ok $? "they move as those of --seq do"
grep -v '^time' "$scratch/out" >"$scratch/one"
cells env STN_WORKERS=3
ok $? "they have the same bits with three workers"
for scheduler in settle restless equal smooth; do
	cells ./sateen run -n 3 -w 1 --scheduler $scheduler
	ok $? "on three nodes with $scheduler"
done
cells ./sateen sim -n 10 -c 2 --wan 1ms,10MB/s --speed 1,0.2 --cost counted
ok $? "and in virtual time"
printf '1 0.2\n@ 50ms\n* 1\n3 0.2\n' >"$scratch/loads"
for options in '--hector no' '--hector yes' '--hectiling yes'; do
	# shellcheck disable=SC2086 # words
	cells ./sateen sim -n 6 --spare 2 --cost counted --scheduler fractiling \
		--hector-period 5ms --speeds "$scratch/loads" $options
	ok $? "with fractiling, $options"
done
# 32 MB if all nodes got the brief summaries of all parts.
prints checksum ./sateen sim -n 50 --cost counted --stats=json:"$scratch/json" \
	./nbody -n 5000 --part 10 -d uniform -t 0 -e 1e-2 &&
	[ "$(counted total.bytes_lan)" -lt 24000000 ]
ok $? "nodes get the summaries that they need: $(counted total.bytes_lan) bytes"
prints '^error: ' ./sateen run -n 2 -w 1 ./nbody -n 1000 --part 50 --check 50 -t 1 \
	-e 1e-7
ok $? "a small error is kept on two nodes"

# One node says that it has no fused multiply-add; then none uses it. The C library
# of that node doesn't use it either.
cat >"$scratch/unfused" <<'END'
#!/bin/sh
if [ "$STN_RANK" = 1 ]; then
	STN_FUSE=no
	GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-AVX2_Usable,-FMA_Usable
	export STN_FUSE GLIBC_TUNABLES
fi
exec "$@"
END
chmod +x "$scratch/unfused"
mixed() {
	prints checksum "$@" -n 2000 -t 1 --step 0.05 &&
		sed -n 's/.*checksum//p' "$scratch/out" >"$scratch/mixed$mixed"
}
mixed=1 mixed ./sateen run -n 1 -w 1 --fuse no ./nbody &&
	mixed=2 mixed ./sateen run -n 3 -w 1 "$scratch/unfused" ./nbody &&
	cmp "$scratch/mixed1" "$scratch/mixed2"
ok $? "a node without fused multiply-add makes all nodes do without"
complains 1 'fuse is "yes"; it can be auto or no' env STN_FUSE=yes ./nbody
ok $? "no node can be made to have it"

# Special places.
printf '1 0 .25 .5 .75 0 0 0\n1 0 .25 .5 .75 0 0 0\n1 0 .25 .5 1.75 0 0 0\n' |
	particles
prints 'potential -2$' ./nbody --seq -e 1e-9 --read "$scratch/in.nc" -t 0 --check 3
ok $? "two particles at one point don't see each other"
prints 'potential -1.95$' ./nbody --seq --direct --read "$scratch/in.nc" -t 0 \
	--softening 1.3333333333333333 --check 3
ok $? "unless their distance is softened"
awk 'BEGIN { for (i = 0; i < 300; i++) print "1 0 3 4 5 0 0 0" }' | particles
for options in --seq '--part 50' '--part 4096'; do
	# shellcheck disable=SC2086 # words
	prints 'potential 0$' ./nbody $options --read "$scratch/in.nc" -t 2 --check 3
	ok $? "all particles may be at one point, with $options"
done

# work COMMAND...: the work that it does.
work() {
	prints checksum env STN_STATS=json:"$scratch/json" "$@" &&
		work=$(counted total.points)
}
awk 'BEGIN { for (i = 0; i < 2000; i++)
	print "1 0", i % 2 * 1e-9 + (i == 7) , 4, 5, "0 0 0" }' | particles
work ./nbody -t 0 --part 2000 --read "$scratch/in.nc"
whole=$work
work ./nbody -t 0 --part 100 --read "$scratch/in.nc"
[ "$work" -lt $((whole * 4)) ]
ok $? "particles of a deepest cell can be divided among parts without more work"

# Files.
prints checksum ./nbody --seq --direct -n 100 -t 4 --write "$scratch/whole.nc"
whole=$(sed -n 's/.*checksum/checksum/p' "$scratch/out")
prints checksum ./nbody --seq --direct -n 100 -t 2 --write "$scratch/half.nc"
prints "$whole\$" ./nbody --seq --direct -t 2 --read "$scratch/half.nc" \
	--write "$scratch/again.nc" && cmp "$scratch/whole.nc" "$scratch/again.nc"
ok $? "a run that continues from a file has the bits of a whole run"
prints checksum ./nbody --seq --direct -n 100 -t 4 --every 1 \
	--write "$scratch/frames.nc"
[ "$(perl "$amber" read "$scratch/frames.nc" | head -n 1 | cut -d ' ' -f 1)" = 5 ] &&
	[ "$(perl "$amber" read "$scratch/frames.nc" | tail -n +2)" = \
		"$(perl "$amber" read "$scratch/whole.nc" | tail -n +2)" ]
ok $? "a file may have a frame of each step"
for workers in 1 2; do
	prints checksum ./sateen run -n $workers -w 1 ./nbody -n 500 --part 50 -t 4 \
		--every 2 --write "$scratch/cells$workers.nc" \
		--png "$scratch/cells$workers.png"
done
cmp "$scratch/cells1.nc" "$scratch/cells2.nc" && [ -s "$scratch/cells1.nc" ]
ok $? "two nodes write the same file as one"
cmp "$scratch/cells1.png" "$scratch/cells2.png"
ok $? "and the same picture"
prints checksum ./sateen run -n 2 -w 1 ./nbody -t 0 --read "$scratch/cells2.nc" \
	--part 50 --write "$scratch/again.nc" &&
	perl "$amber" read "$scratch/again.nc" | tail -n +2 >"$scratch/again" &&
	perl "$amber" read "$scratch/cells1.nc" | tail -n +2 | cmp - "$scratch/again"
ok $? "two nodes read it"
for options in --float --restart '--without velocities' '--without mass' \
	'--without time' '--frames 3'; do
	# shellcheck disable=SC2086 # words
	echo "$orbit" | particles $options
	prints 'potential -0.25$' ./nbody --seq --direct --read "$scratch/in.nc" -t 0
	ok $? "a file made with $options is read"
done
echo "$orbit" | particles --scale 2
prints 'kinetic 0.5 ' ./nbody --seq --read "$scratch/in.nc" -t 0
ok $? "scale_factor multiplies velocities"

# refuses PATTERN OPTION...: a file made with these options is refused.
refuses() {
	pattern=$1
	shift
	echo "${lines:-$orbit}" | particles "$@"
	complains 1 "^nbody: $scratch/in.nc: $pattern" \
		./nbody --read "$scratch/in.nc" --charges
	ok $? "a file is refused: $pattern"
}

refuses 'no variable coordinates' --rename coordinates
refuses 'no variable charge' --without charge
refuses 'coordinates is not of type float or double' --integers
refuses 'coordinates are not in 3 dimensions' --spatial 2
refuses 'it has no frame' --frames 0
refuses 'it is cut off or damaged' --atoms 1000
refuses 'it is cut off or damaged' --atoms 0
lines='0 1 2 3 4 5 6 7' refuses 'the mass of particle 0 is not positive'
lines='1 1 2 inf 4 5 6 7' refuses 'coordinates of particle 0 is not finite'
echo "$orbit" | particles
head -c 470 "$scratch/in.nc" >"$scratch/short.nc"
complains 1 'short.nc: it is cut off or damaged' ./nbody --read "$scratch/short.nc"
ok $? "so is a file that ends early"
complains 1 'not in netCDF.s classic format' ./nbody --read /etc/passwd
ok $? "and one of another format"
complains 1 'nowhere.nc: No such file' ./nbody --read "$scratch/nowhere.nc"
ok $? "and one that is not there"
mkfifo "$scratch/pipe"
complains 1 'pipe: it is not a regular file' ./nbody --read "$scratch/pipe"
ok $? "and a pipe"
printf '1 0 1e308 0 0 1e308 0 0\n1 0 -1e308 0 0 0 0 0\n' | particles
complains 1 'the energy is not a finite number$' ./nbody --seq \
	--read "$scratch/in.nc" -t 1 --check 2
ok $? "an energy that is not finite is an error"
complains 1 'nowhere/x.nc: No such file' ./nbody --seq -n 9 \
	--write "$scratch/nowhere/x.nc"
ok $? "a file that can't be written is told in one line"
complains 1 'nowhere/x.png: No such file' ./nbody --seq -n 9 -t 1000000000 \
	--png "$scratch/nowhere/x.png"
ok $? "and a picture before the first step"
complains 1 'full.nc: .*large' sh -c "ulimit -f 10
	exec ./nbody --seq -n 1000 -t 1 --write $scratch/full.nc" &&
	[ -z "$(find "$scratch" -name '*full*')" ]
ok $? "so is a full disk, and no file is left"
grep -q '^nbody(.*checksum' "$scratch/out"
ok $? "the run goes on, and prints its result"
complains 1 'full.nc: .*large' sh -c "ulimit -f 10
	exec ./nbody -n 1000 -t 3 --every 1 --check 9 \
		--write $scratch/full.nc" &&
	grep -q '^error: asked' "$scratch/out"
ok $? "also with particles in parts"
mkdir "$scratch/lacks"
: >"$scratch/lacks/$(sed -n 's/^#define NETCDF_SONAME "\(.*\)"/\1/p' config.h)"
complains 1 'netCDF' env LD_LIBRARY_PATH="$scratch/lacks" ./nbody --seq -n 999 \
	-t 1000000000 --write "$scratch/lacks/x.nc"
ok $? "the lack of the library netCDF is told before the first step"

CC=cc CFLAGS='' prints '^| 2 processes | plummer, 2000 ' \
	"$source_directory/bench/nbody/bench-nbody" --quick
ok $? "bench-nbody's runs have the same results"

# Command lines.
for bad in '-n 0' '--write=' '--read=' '--png=' '--softening 0.1' '--part 0' '-n 1e6' '-n 100000001' '-d cube' '-e 0' '-e 1e-10' '-e 0.1' \
	'-e x' '-t -1' '--step -1' '--step nan' '--softening -1' '--check x' \
	'--every 2' '--read a -n 5' '--read a -d corner' '--seed -1' 'file'; do
	# shellcheck disable=SC2086 # words
	complains 2 '^nbody: ' ./nbody $bad
	ok $? "nbody $bad is refused"
done

plan
