# STN_VERBS: --without-verbs; for the transport "verbs". The build needs only the
# headers: the library is loaded when the transport is opened.
AC_DEFUN([STN_VERBS], [
	AC_ARG_WITH([verbs],
		[AS_HELP_STRING([--without-verbs],
			[leave out the transport verbs])],
		[], [with_verbs=check])
	stn_verbs_summary=" (no verbs: libibverbs-dev is missing)"
	AS_IF([test "x$with_verbs" != xno], [
		PKG_CHECK_MODULES([VERBS], [libibverbs],
			[with_verbs=yes],
			[STN_MISSING([with_verbs], [libibverbs], [libibverbs-dev])])
	])
	AS_IF([test "x$with_verbs" = xyes], [
		stn_verbs_summary=" verbs"
		AC_DEFINE([HAVE_VERBS], [1], [libibverbs is there])
	])
	AM_CONDITIONAL([HAVE_VERBS], [test "x$with_verbs" = xyes])
])
