# STN_VECTORS: sets STN_AVX2 and STN_AVX512, flags for files that are compiled
# for several widths of vectors, if the compiler accepts them all; and STN_PLAIN,
# flags for files that must run on all processors, and compute without fused
# multiply-add, although CFLAGS may have -march=native. Flags such as -mfma in CFLAGS
# come later, and win.
AC_DEFUN([STN_VECTORS], [
	STN_AVX2=
	STN_AVX512=
	STN_PLAIN=
	AS_CASE([$host_cpu], [x86_64], [
		STN_ADD_CFLAG([STN_PLAIN], [-mno-avx])
		STN_ADD_CFLAG([STN_AVX2], [-mavx2])
		STN_ADD_CFLAG([STN_AVX2], [-mfma])
		STN_AVX512=$STN_AVX2
		STN_ADD_CFLAG([STN_AVX512], [-mavx512f])
		STN_ADD_CFLAG([STN_AVX512], [-mavx512dq])
		STN_ADD_CFLAG([STN_AVX512], [-mavx512vl])
	])
	AC_SUBST([STN_AVX2])
	AC_SUBST([STN_AVX512])
	AC_SUBST([STN_PLAIN])
	AM_CONDITIONAL([X86_VECTORS],
		[test "x$STN_AVX512" = "x -mavx2 -mfma -mavx512f -mavx512dq -mavx512vl"])
])
