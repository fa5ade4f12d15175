# STN_MICROHTTPD: `sateen run --metrics` needs libmicrohttpd; the runtime does
# not.
AC_DEFUN([STN_MICROHTTPD], [
	stn_watch_summary="sateen top (no --metrics: libmicrohttpd-dev is missing)"
	PKG_CHECK_MODULES([MICROHTTPD], [libmicrohttpd >= 0.9.71],
		[have_microhttpd=yes
		 stn_watch_summary="sateen top, --metrics"
		 AC_DEFINE([HAVE_MICROHTTPD], [1], [libmicrohttpd is there])],
		[have_microhttpd=no])
	AM_CONDITIONAL([HAVE_MICROHTTPD], [test "x$have_microhttpd" = xyes])
])
