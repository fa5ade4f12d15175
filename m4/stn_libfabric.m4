# STN_LIBFABRIC: --without-libfabric; for the transport "ofi". The build needs
# only the headers: the library is loaded when the transport is opened.
AC_DEFUN([STN_LIBFABRIC], [
	AC_ARG_WITH([libfabric],
		[AS_HELP_STRING([--without-libfabric],
			[leave out the transport ofi])],
		[], [with_libfabric=check])
	stn_ofi_summary=" (no ofi: libfabric-dev is missing)"
	AS_IF([test "x$with_libfabric" != xno], [
		PKG_CHECK_MODULES([LIBFABRIC], [libfabric >= 1.17],
			[with_libfabric=yes],
			[STN_MISSING([with_libfabric], [libfabric >= 1.17], [libfabric-dev])])
	])
	AS_IF([test "x$with_libfabric" = xyes], [
		stn_ofi_summary=" ofi (libfabric)"
		AC_DEFINE([HAVE_LIBFABRIC], [1], [libfabric is there])
	])
	AM_CONDITIONAL([HAVE_LIBFABRIC], [test "x$with_libfabric" = xyes])
])
