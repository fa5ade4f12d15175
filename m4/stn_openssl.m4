# STN_OPENSSL: --without-openssl; for TLS between gateways.
AC_DEFUN([STN_OPENSSL], [
	AC_ARG_WITH([openssl],
		[AS_HELP_STRING([--without-openssl],
			[leave out sateen join, which joins clusters])],
		[], [with_openssl=check])
	AS_IF([test "x$with_openssl" != xno], [
		PKG_CHECK_MODULES([OPENSSL], [libssl >= 3.0 libcrypto >= 3.0],
			[with_openssl=yes],
			[STN_MISSING([with_openssl], [OpenSSL >= 3.0], [libssl-dev])])
	])
])
