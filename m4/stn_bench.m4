# STN_BENCH: the unbalanced tree search (uts) and the benchmarks need nettle's
# SHA-1. The benchmarks compare with OpenMP, oneTBB and SimGrid if these are installed.
AC_DEFUN([STN_BENCH], [
	stn_uts_summary=" (no uts: nettle-dev is missing)"
	PKG_CHECK_MODULES([NETTLE], [nettle >= 3.5],
		[have_nettle=yes
		 stn_uts_summary=" uts"],
		[have_nettle=no])
	AM_CONDITIONAL([HAVE_NETTLE], [test "x$have_nettle" = xyes])

	AC_OPENMP
	AM_CONDITIONAL([HAVE_OPENMP], [test "x$ac_cv_prog_c_openmp" != xunsupported &&
		test "x$enable_openmp" != xno])

	PKG_CHECK_MODULES([TBB], [tbb >= 2021], [have_tbb=yes], [have_tbb=no])
	AS_IF([test "x$GXX" != xyes], [have_tbb=no])
	AM_CONDITIONAL([HAVE_TBB], [test "x$have_tbb" = xyes])

	PKG_CHECK_MODULES([SIMGRID], [simgrid >= 3.32],
		[have_simgrid=yes], [have_simgrid=no])
	AM_CONDITIONAL([HAVE_SIMGRID], [test "x$have_simgrid" = xyes])

	stn_bench_summary="Sateen"
	AM_COND_IF([HAVE_OPENMP], [stn_bench_summary="$stn_bench_summary OpenMP"])
	AM_COND_IF([HAVE_TBB], [stn_bench_summary="$stn_bench_summary oneTBB"])
	AM_COND_IF([HAVE_SIMGRID], [stn_bench_summary="$stn_bench_summary SimGrid"])
	AM_COND_IF([HAVE_NETTLE], [],
		[stn_bench_summary="none: nettle-dev is missing"])
])
