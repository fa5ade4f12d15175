# STN_UCX: --without-ucx; for the transport "ucx". The build needs only the
# headers: the library is loaded when the transport is opened.
AC_DEFUN([STN_UCX], [
	AC_ARG_WITH([ucx],
		[AS_HELP_STRING([--without-ucx],
			[leave out the transport ucx])],
		[], [with_ucx=check])
	stn_ucx_summary=" (no ucx: libucx-dev is missing)"
	AS_IF([test "x$with_ucx" != xno], [
		PKG_CHECK_MODULES([UCX], [ucx >= 1.13],
			[with_ucx=yes],
			[STN_MISSING([with_ucx], [UCX >= 1.13], [libucx-dev])])
	])
	AS_IF([test "x$with_ucx" = xyes], [
		stn_ucx_summary=" ucx"
		AC_DEFINE([HAVE_UCX], [1], [UCX is there])
	])
	AM_CONDITIONAL([HAVE_UCX], [test "x$with_ucx" = xyes])
])
