# STN_NCURSES: the view of `sateen top` that redraws itself needs ncurses; its
# table (--once) and the runtime do not.
AC_DEFUN([STN_NCURSES], [
	PKG_CHECK_MODULES([NCURSES], [ncurses],
		[have_ncurses=yes
		 AC_DEFINE([HAVE_NCURSES], [1], [ncurses is there])],
		[have_ncurses=no
		 stn_watch_summary="$stn_watch_summary; no view: libncurses-dev is missing"])
	AM_CONDITIONAL([HAVE_NCURSES], [test "x$have_ncurses" = xyes])
])
