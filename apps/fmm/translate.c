/*
 * translate.c: translations between octets, as products of their spectra and
 * the kernel's. All octets are computed for one frequency before the next one,
 * because the kernel's part for one frequency fits into the first cache.
 */
#include <stdbool.h>
#include <string.h>

#include "apps/fmm/vector.h"
#include "apps/fmm/wide.h"
#include "apps/fmm/wide_names.h"

#define REAL float
#define VECTOR vfloat
#define FUSE fuse_floats
#define OF_REALS(name) JOIN(name, floats)
#include "apps/fmm/translate.h"
#undef REAL
#undef VECTOR
#undef FUSE
#undef OF_REALS

#define REAL double
#define VECTOR vdouble
#define FUSE fuse
#define OF_REALS(name) JOIN(name, doubles)
#include "apps/fmm/translate.h"
