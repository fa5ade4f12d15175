# STN_MISSING(VARIABLE, LIBRARY, PACKAGE): for the option --with-... whose value is in
# VARIABLE: sets it to no because the library was not found. If the option was given,
# with any value, configure ends.
AC_DEFUN([STN_MISSING], [
	AS_CASE([$$1], [check | no], [],
		[AC_MSG_ERROR([$2 was not found; install $3, or set PKG_CONFIG_PATH to the directory that has the .pc file of another installation])])
	$1=no
])
