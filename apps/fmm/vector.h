/*
 * vector.h: vectors of doubles and floats, as wide as the file's compiler flags
 * allow. Files that include this are compiled several times, with other flags
 * and another FMM_ISA. Their names end with that.
 *
 * Every lane computes for itself, in the same order on all machines, and
 * products are fused with sums only by fuse(). So results don't depend on the
 * width.
 */
#ifndef FMM_VECTOR_H
#define FMM_VECTOR_H

#include <stddef.h>
#include <stdint.h>

#if defined __ARM_NEON && !defined FMM_WITHOUT_FMA
#define USE_NEON
#endif

#if defined __AVX512F__ || defined __FMA__
#include <immintrin.h>
#elif defined USE_NEON
#include <arm_neon.h>
#endif

#if defined __AVX512F__
#define VECTOR_BYTES 64
#elif defined __FMA__
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

#if defined __AVX512F__ || defined __FMA__ || defined USE_NEON
#define FUSED true
#else
#define FUSED false
#endif

#define DOUBLES (VECTOR_BYTES / 8)
#define FLOATS (VECTOR_BYTES / 4)

#define VECTOR_OF(type)                                                        \
	type __attribute__((vector_size(VECTOR_BYTES), may_alias))

typedef VECTOR_OF(double) vdouble;
typedef VECTOR_OF(float) vfloat;
typedef VECTOR_OF(uint64_t) vbits;
typedef VECTOR_OF(int64_t) vmask;

#define JOIN_NAMES(a, b) a##_##b
#define JOIN(a, b) JOIN_NAMES(a, b)
#define WIDE_NAME(name, isa) JOIN_NAMES(name, isa)
#define WIDE(name) WIDE_NAME(name, FMM_ISA)

#ifdef __clang__
#define UNROLLED(...) _Pragma("unroll") for (__VA_ARGS__)
#else
#define UNROLLED(...) _Pragma("GCC unroll 16") for (__VA_ARGS__)
#endif

#define INLINE static inline __attribute__((always_inline))

/* a * b + c, rounded once if the processor can do that. */
INLINE vdouble
fuse(vdouble a, vdouble b, vdouble c)
{
#if defined __AVX512F__
	return (vdouble)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined __FMA__
	return (vdouble)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#elif defined USE_NEON
	return (vdouble)vfmaq_f64((float64x2_t)c, (float64x2_t)a,
				  (float64x2_t)b);
#else
	return a * b + c;
#endif
}

INLINE vfloat
fuse_floats(vfloat a, vfloat b, vfloat c)
{
#if defined __AVX512F__
	return (vfloat)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined __FMA__
	return (vfloat)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined USE_NEON
	return (vfloat)vfmaq_f32((float32x4_t)c, (float32x4_t)a,
				 (float32x4_t)b);
#else
	return a * b + c;
#endif
}

INLINE vdouble
all(double x)
{
	return x - (vdouble){ 0 };
}

INLINE vdouble
load(const double *from)
{
	return *(const vdouble *)from;
}

/* From memory that is aligned to a double only. */
INLINE vdouble
load_any(const double *from)
{
	typedef VECTOR_OF(double) vdouble_any __attribute__((aligned(8)));

	return *(const vdouble_any *)from;
}

INLINE void
store(double *to, vdouble v)
{
	*(vdouble *)to = v;
}

/* Those lanes of @v whose mask is set, others 0. */
INLINE vdouble
keep(vmask mask, vdouble v)
{
	return (vdouble)(mask & (vmask)v);
}

#endif
