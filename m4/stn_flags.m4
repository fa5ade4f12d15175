# STN_ADD_CFLAG(VARIABLE, FLAG): adds FLAG to VARIABLE if the compiler accepts it.
AC_DEFUN([STN_ADD_CFLAG], [
	stn_save_CFLAGS=$CFLAGS
	CFLAGS="$CFLAGS -Werror $2"
	AC_MSG_CHECKING([whether $CC takes $2])
	AC_COMPILE_IFELSE([AC_LANG_PROGRAM],
		[AC_MSG_RESULT([yes])
		 $1="$$1 $2"],
		[AC_MSG_RESULT([no])])
	CFLAGS=$stn_save_CFLAGS
])

# STN_WARNINGS: --enable-werror; sets STN_CFLAGS.
AC_DEFUN([STN_WARNINGS], [
	AC_ARG_ENABLE([werror],
		[AS_HELP_STRING([--enable-werror], [make warnings errors])],
		[], [enable_werror=no])
	STN_CFLAGS="-std=gnu11 -Wall -Wextra -Wshadow -Wstrict-prototypes"
	STN_CFLAGS="$STN_CFLAGS -Wmissing-prototypes -Wpointer-arith -Wvla"
	STN_CFLAGS="$STN_CFLAGS -fno-strict-overflow -fno-math-errno"
	STN_CFLAGS="$STN_CFLAGS -ffp-contract=off"
	STN_ADD_CFLAG([STN_CFLAGS], [-Wno-missing-field-initializers])
	stn_warnings="shown"
	AS_IF([test "x$enable_werror" = xyes],
		[STN_CFLAGS="$STN_CFLAGS -Werror"
		 stn_warnings="errors"])
	AC_SUBST([STN_CFLAGS])
])

# STN_PROBED: sets STN_PROBED_CFLAGS for code whose stack frames are larger than
# the guard area of a worker's stack. With this flag, code touches a new frame
# page by page, so it can't jump over the guard.
AC_DEFUN([STN_PROBED], [
	STN_PROBED_CFLAGS=
	STN_ADD_CFLAG([STN_PROBED_CFLAGS], [-fstack-clash-protection])
	AC_SUBST([STN_PROBED_CFLAGS])
])

# STN_SANITIZERS: --enable-sanitizers=address,undefined|thread; sets STN_SANITIZE,
# which also defines STN_ASAN or STN_TSAN, because gcc and clang tell in different ways
# which sanitizer there is.
AC_DEFUN([STN_SANITIZERS], [
	AC_ARG_ENABLE([sanitizers],
		[AS_HELP_STRING([--enable-sanitizers=LIST],
			[build with these, e.g. address,undefined or thread])],
		[], [enable_sanitizers=no])
	stn_sanitizers=
	AS_CASE([$enable_sanitizers],
		[no], [],
		[yes], [stn_sanitizers=address,undefined],
		[stn_sanitizers=$enable_sanitizers])
	AS_IF([test -n "$stn_sanitizers"], [
		STN_SANITIZE="-fsanitize=$stn_sanitizers -fno-sanitize-recover=all -fno-omit-frame-pointer"
		# gcc's -Wtsan warns about fences. These fences run only where
		# the kernel has no membarrier.
		STN_ADD_CFLAG([STN_SANITIZE], [-Wno-tsan])
		AS_CASE([$stn_sanitizers],
			[*address*], [STN_SANITIZE="$STN_SANITIZE -DSTN_ASAN"],
			[*thread*], [STN_SANITIZE="$STN_SANITIZE -DSTN_TSAN"])
	])
	AC_SUBST([STN_SANITIZE])
	AM_CONDITIONAL([SANITIZED], [test -n "$stn_sanitizers"])
])

# STN_FUZZERS: --enable-fuzzers builds the fuzz targets with libFuzzer, by clang.
AC_DEFUN([STN_FUZZERS], [
	AC_ARG_ENABLE([fuzzers],
		[AS_HELP_STRING([--enable-fuzzers],
			[build libFuzzer programs (needs clang)])],
		[], [enable_fuzzers=no])
	stn_fuzzers="run over their corpus only"
	AS_IF([test "x$enable_fuzzers" = xyes], [
		AS_IF([test -z "$stn_sanitizers"],
			[AC_MSG_ERROR([--enable-fuzzers needs --enable-sanitizers=address])])
		STN_SANITIZE="$STN_SANITIZE -fsanitize=fuzzer-no-link"
		stn_fuzzers="libFuzzer"
	])
	AM_CONDITIONAL([LIBFUZZER], [test "x$enable_fuzzers" = xyes])
])
