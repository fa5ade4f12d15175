# STN_LIBPNG: the ray tracer, and pictures of grids, need libpng; the
# runtime does not.
AC_DEFUN([STN_LIBPNG], [
	stn_png_summary=" (no raytracer: libpng-dev is missing)"
	PKG_CHECK_MODULES([LIBPNG], [libpng],
		[have_libpng=yes
		 stn_png_summary=" raytracer"
		 AC_DEFINE([HAVE_LIBPNG], [1], [libpng is there])],
		[have_libpng=no])
	AM_CONDITIONAL([HAVE_LIBPNG], [test "x$have_libpng" = xyes])
])
