# STN_PMIX: --without-pmix; for wire-up by launchers of MPI and Slurm. The build
# needs only the headers: processes that use the library load it themselves.
AC_DEFUN([STN_PMIX], [
	AC_ARG_WITH([pmix],
		[AS_HELP_STRING([--without-pmix],
			[leave out joining runs of mpirun and srun])],
		[], [with_pmix=check])
	stn_pmix_summary=" (no mpirun, srun: libpmix-dev is missing)"
	AS_IF([test "x$with_pmix" != xno], [
		PKG_CHECK_MODULES([PMIX], [pmix >= 3],
			[with_pmix=yes],
			[STN_MISSING([with_pmix], [PMIx >= 3], [libpmix-dev])])
	], [stn_pmix_summary=" (no mpirun, srun: --without-pmix)"])
	AS_IF([test "x$with_pmix" = xyes], [
		stn_pmix_summary=", mpirun and srun (PMIx)"
		AC_DEFINE([HAVE_PMIX], [1], [PMIx is there])
	])
	AM_CONDITIONAL([HAVE_PMIX], [test "x$with_pmix" = xyes])
])
