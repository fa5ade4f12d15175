/* wide_table.c: the table of the functions for one width of vectors. */
#include "apps/fmm/vector.h"
#include "apps/fmm/wide.h"
#include "apps/fmm/wide_names.h"

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

const struct wide WIDE(wide) = {
	.name = TEXT(FMM_ISA),
	.fused = FUSED,
	.fields = WIDE(fields),
	.potentials = WIDE(potentials),
	.multiply = WIDE(multiply),
	.fold = WIDE(fold),
	.mirror = WIDE(mirror),
	.forward = WIDE(forward),
	.inverse = WIDE(inverse),
	.take_floats = WIDE(take_floats),
	.take_doubles = WIDE(take_doubles),
	.give_floats = WIDE(give_floats),
	.give_doubles = WIDE(give_doubles),
	.translate_floats = WIDE(translate_floats),
	.translate_doubles = WIDE(translate_doubles),
};
