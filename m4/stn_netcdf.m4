# STN_NETCDF: --without-netcdf; for files of grids. The build needs only the
# headers: the library is loaded when the first file is opened.
AC_DEFUN([STN_NETCDF], [
	AC_ARG_WITH([netcdf],
		[AS_HELP_STRING([--without-netcdf],
			[leave out the files of grids])],
		[], [with_netcdf=check])
	stn_netcdf_summary="no (libnetcdf-dev is missing)"
	AS_IF([test "x$with_netcdf" = xno],
		[stn_netcdf_summary="no (--without-netcdf)"],
		[PKG_CHECK_MODULES([NETCDF], [netcdf >= 4.4],
			[with_netcdf=yes],
			[STN_MISSING([with_netcdf], [netCDF >= 4.4], [libnetcdf-dev])])
	])
	AS_IF([test "x$with_netcdf" = xyes], [
		# The name that programs which link with the library load.
		stn_libs=$LIBS
		stn_cppflags=$CPPFLAGS
		LIBS="$NETCDF_LIBS $LIBS"
		CPPFLAGS="$NETCDF_CFLAGS $CPPFLAGS"
		stn_soname=
		AC_LINK_IFELSE([AC_LANG_PROGRAM(
			[[#include <netcdf.h>]], [[return !nc_inq_libvers();]])],
			[stn_soname=`${OBJDUMP-objdump} -p conftest$EXEEXT |
				$AWK '$[1] == "NEEDED" && $[2] ~ /^libnetcdf\.so/ { print $[2] }'`])
		LIBS=$stn_libs
		CPPFLAGS=$stn_cppflags
		AS_IF([test -n "$stn_soname"], [], [stn_soname=libnetcdf.so])
		stn_netcdf_summary="netCDF ($stn_soname)"
		AC_DEFINE_UNQUOTED([NETCDF_SONAME], ["$stn_soname"],
			[the shared library of netCDF])
	])
	AM_CONDITIONAL([HAVE_NETCDF], [test "x$with_netcdf" = xyes])
])
