# STN_HOST: headers, libraries and the byte order that the runtime requires.
AC_DEFUN([STN_HOST], [
	AC_CHECK_HEADERS([linux/membarrier.h sys/eventfd.h sys/timerfd.h], [],
		[AC_MSG_ERROR([Sateen needs Linux and its headers ($ac_header)])])
	AC_SEARCH_LIBS([rint], [m])
	AC_SEARCH_LIBS([pthread_create], [pthread])
	AC_SEARCH_LIBS([dlopen], [dl])
	AC_C_BIGENDIAN([AC_MSG_ERROR([the wire format needs a little-endian machine])])
])
