# STN_XXHASH: the header of xxHash, whose functions steal/key.c includes as
# inline functions. The library itself is not linked. XXH3 is stable since 0.8.
AC_DEFUN([STN_XXHASH], [
	AC_MSG_CHECKING([for xxhash.h with XXH3])
	AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
			#define XXH_INLINE_ALL
			#include <xxhash.h>
			#if XXH_VERSION_NUMBER < 800
			#error "too old"
			#endif
		]], [[return (int)XXH3_128bits("", 0).low64;]])],
		[AC_MSG_RESULT([yes])],
		[AC_MSG_RESULT([no])
		 AC_MSG_ERROR([xxhash.h 0.8 or newer was not found; install libxxhash-dev])])
])
