# STN_OPENBLAS: --with-openblas; matmul then multiplies its leaves with OpenBLAS.
AC_DEFUN([STN_OPENBLAS], [
	AC_ARG_WITH([openblas],
		[AS_HELP_STRING([--with-openblas],
			[let OpenBLAS multiply matmul's leaves])],
		[], [with_openblas=no])
	stn_matmul_summary=" matmul"
	AS_IF([test "x$with_openblas" != xno], [
		PKG_CHECK_MODULES([OPENBLAS], [openblas],
			[with_openblas=yes
			 stn_matmul_summary=" matmul (by OpenBLAS)"],
			[STN_MISSING([with_openblas], [OpenBLAS],
				[libopenblas-dev])])
	])
	AM_CONDITIONAL([HAVE_OPENBLAS], [test "x$with_openblas" = xyes])
])
