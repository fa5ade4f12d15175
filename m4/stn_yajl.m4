# STN_YAJL: `sateen report` needs yajl; the runtime does not.
AC_DEFUN([STN_YAJL], [
	stn_report_summary="none (libyajl-dev is missing)"
	PKG_CHECK_MODULES([YAJL], [yajl],
		[have_yajl=yes
		 stn_report_summary="sateen report"
		 AC_DEFINE([HAVE_YAJL], [1], [yajl is there])],
		[have_yajl=no])
	AM_CONDITIONAL([HAVE_YAJL], [test "x$have_yajl" = xyes])
])
