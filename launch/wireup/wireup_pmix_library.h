/*
 * wireup_pmix_library.h: libpmix, which is loaded when a launcher offers PMIx.
 * PMIx 3 and later have these functions and structures.
 */
#ifndef STN_LAUNCH_WIREUP_WIREUP_PMIX_LIBRARY_H
#define STN_LAUNCH_WIREUP_WIREUP_PMIX_LIBRARY_H

#include <pmix.h>

#include "transport/error.h"

struct pmix_library {
	pmix_status_t (*init)(pmix_proc_t *, pmix_info_t *, size_t);
	pmix_status_t (*finalize)(const pmix_info_t *, size_t);
	pmix_status_t (*abort)(int, const char *, pmix_proc_t *, size_t);
	pmix_status_t (*put)(pmix_scope_t, const char *, pmix_value_t *);
	pmix_status_t (*commit)(void);
	pmix_status_t (*fence_nb)(const pmix_proc_t *, size_t,
				  const pmix_info_t *, size_t, pmix_op_cbfunc_t,
				  void *);
	pmix_status_t (*get)(const pmix_proc_t *, const char *,
			     const pmix_info_t *, size_t, pmix_value_t **);
	const char *(*error_string)(pmix_status_t);
};

/* pmix_library_load: STN_MISSING if the library is not installed. */
STN_CHECKED enum stn_err pmix_library_load(struct pmix_library *library,
					   struct stn_why *why);

#endif
