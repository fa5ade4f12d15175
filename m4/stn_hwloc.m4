# STN_HWLOC: --without-hwloc. hwloc binds workers to cores, and their slabs to the
# memory next to these cores.
AC_DEFUN([STN_HWLOC], [
	AC_ARG_WITH([hwloc],
		[AS_HELP_STRING([--without-hwloc],
			[leave workers where the kernel puts them])],
		[], [with_hwloc=check])
	stn_hwloc_summary="no (libhwloc-dev is missing)"
	have_hwloc=no
	AS_IF([test "x$with_hwloc" != xno], [
		PKG_CHECK_MODULES([HWLOC], [hwloc >= 2.0],
			[have_hwloc=yes
			 stn_hwloc_summary="by hwloc"
			 AC_DEFINE([HAVE_HWLOC], [1], [Workers are pinned.])],
			[STN_MISSING([with_hwloc], [hwloc >= 2.0],
				[libhwloc-dev])])
	], [stn_hwloc_summary="no (--without-hwloc)"])
])
