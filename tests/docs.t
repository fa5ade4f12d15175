#!/bin/sh
# docs.t: the commands that README.md, the tutorial, the guides and the pages for users
# of other systems show do what the documents say, and their programs compile. DOCS
# may name some of them: DOCS=docs/tutorial.md make check TESTS=tests/docs.t
# tests/docs.pl says which blocks of a document are run.
. "$(dirname "$0")/tap.sh"

if [ ! -f .libs/libsateen.so ] || sanitized; then
	skip "the commands in the documents" "a shared library without sanitizers"
	plan
fi

# The build tree and an installation, as a user has them after the tutorial's first
# steps: ~/sateen, with build in it, and sateen in the PATH.
source_directory=$(realpath "$source_directory")
build=$PWD
home=$scratch/home
mkdir -p "$home/sateen/build"
install_to "$scratch/root"
ok $? "make install succeeds"
prefix=$(sed -n 's/^prefix = //p' Makefile)
for file in "$source_directory"/*; do
	[ "$file" = "$build" ] || [ -e "$home/sateen/${file##*/}" ] ||
		ln -s "$file" "$home/sateen/"
done
for program in "$build"/*; do
	case $program in
	*.t | *.la | *.o) continue ;;
	esac
	[ ! -f "$program" ] || [ ! -x "$program" ] ||
		ln -s "$program" "$home/sateen/build/"
done
export PATH="$scratch/root$prefix/bin:$PATH"
export PKG_CONFIG_PATH="$scratch/root$prefix/lib/pkgconfig"
export PKG_CONFIG_SYSROOT_DIR="$scratch/root"
export LD_LIBRARY_PATH="$scratch/root$prefix/lib"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export CC TERM=dumb HOME="$home"
CC=$(sed -n 's/^CC = //p' Makefile)

# lacks WORD COMMAND...: blocks with the word are skipped if the command fails.
lacking=
lacks() {
	word=$1
	shift
	"$@" >/dev/null 2>&1 || lacking=$lacking$word,
}
lacks cxx sh -c 'command -v c++'
lacks files grep -q '^#define NETCDF_SONAME' config.h
lacks gateways sh -c '[ -f libgateway.la ] && command -v redis-server'
lacks metrics sh -c \
	'grep -q "^#define HAVE_MICROHTTPD" config.h && command -v curl'
lacks mpirun sh -c 'command -v mpirun && grep -q "^#define HAVE_PMIX" config.h'
lacks mpi sh -c 'command -v mpicc && grep -q "^#define HAVE_PMIX" config.h'
lacks opencilk sh -c 'echo "int x;" | clang -fopencilk -x c -c -o /dev/null -'
lacks report grep -q '^#define HAVE_YAJL' config.h
lacks speedup grep -q '^#define HAVE_YAJL' config.h
have_ofi || lacking=${lacking}net,

# document FILE [DIRECTORY]: tests all its blocks, in that directory of the home.
document() {
	cd "$home/${2:-sateen/build}" || exit 99
	timeout -k 5 300 perl "$source_directory/tests/docs.pl" \
		"$source_directory/$1" "$lacking" >"$scratch/blocks" 2>&1
	ok $? "the blocks of $1 are well-formed"
	while IFS='	' read -r status what; do
		case $status in
		'#'*) echo "$status $what" ;;
		skip\ *) skip "$what" "${status#skip }" ;;
		*) ok "$status" "$what" ;;
		esac
	done <"$scratch/blocks"
	# What the page shows with STN_MAIN compiles without a warning.
	find "$home" -type f -name '*.c' >"$scratch/programs"
	while read -r file; do
		grep -q 'include <sateen' "$file" || continue
		# shellcheck disable=SC2046 # flags
		$CC -Wall -Wextra -Werror -O1 -fsyntax-only "$file" \
			$(pkg-config --cflags sateen) >"$scratch/log" 2>&1
		status=$?
		sed 's/^/# /' "$scratch/log"
		ok $status "${file##*/} of $1 compiles without a warning"
		rm -f "$file"
	done <"$scratch/programs"
	cd "$build" || exit 99
}

cd "$source_directory" || exit 99
for page in ${DOCS:-README.md docs/tutorial.md docs/guides/*.md docs/reference.md \
	docs/from/*.md}; do
	case $page in
	README.md) document README.md sateen ;;
	docs/tutorial.md) document docs/tutorial.md . ;;
	*) document "$page" ;;
	esac
done

# The Satin program runs sequentially with empty classes.
what="the Satin program compiles, and counts right"
if [ ! -f "$home/sateen/build/Queens.java" ]; then
	:
elif command -v javac >/dev/null; then
	mkdir -p "$scratch/java/ibis/satin"
	echo 'package ibis.satin; public interface Spawnable { }' \
		>"$scratch/java/ibis/satin/Spawnable.java"
	echo 'package ibis.satin; public class SatinObject {
		public void sync() { } }' \
		>"$scratch/java/ibis/satin/SatinObject.java"
	cp "$home/sateen/build/Queens.java" "$scratch/java/" &&
		(cd "$scratch/java" && javac -nowarn Queens.java 2>"$scratch/log") &&
		prints '^queens(10) = 724$' java -cp "$scratch/java" Queens 10
	ok $? "$what"
else
	skip "$what" "a Java compiler"
fi

plan
