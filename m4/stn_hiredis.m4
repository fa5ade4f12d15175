# STN_HIREDIS: --without-hiredis. Gateways use hiredis to reach their meeting
# point. Must follow STN_OPENSSL: sateen join needs both libraries.
AC_DEFUN([STN_HIREDIS], [
	AC_REQUIRE([STN_OPENSSL])
	AC_ARG_WITH([hiredis],
		[AS_HELP_STRING([--without-hiredis],
			[leave out sateen join, which joins clusters])],
		[], [with_hiredis=check])
	AS_CASE([$with_hiredis,$with_openssl], [check,* | no,* | *,yes], [],
		[AC_MSG_ERROR([--with-hiredis is for sateen join, which also needs OpenSSL; install libssl-dev, and leave out --without-openssl])])
	AS_IF([test "x$with_hiredis" != xno], [
		PKG_CHECK_MODULES([HIREDIS], [hiredis >= 0.14],
			[with_hiredis=yes],
			[STN_MISSING([with_hiredis], [hiredis >= 0.14], [libhiredis-dev])])
	])
	stn_gateway_summary="no sateen join (libssl-dev or libhiredis-dev is missing)"
	stn_gateways=no
	AS_IF([test "x$with_openssl" = xyes && test "x$with_hiredis" = xyes], [
		stn_gateways=yes
		stn_gateway_summary="sateen join (OpenSSL, Redis)"
		AC_DEFINE([HAVE_GATEWAYS], [1], [sateen join can be built])
	])
	AM_CONDITIONAL([HAVE_GATEWAYS], [test "x$stn_gateways" = xyes])
])
