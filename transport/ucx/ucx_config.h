/*
 * ucx_config.h: the functions of ucx_config.c that other files of the backend
 * call.
 */
#ifndef STN_TRANSPORT_UCX_UCX_CONFIG_H
#define STN_TRANSPORT_UCX_UCX_CONFIG_H

#include "transport/ucx/ucx.h"

/* ucx_configure: the settings for @opening; the caller releases them. */
STN_CHECKED enum stn_err ucx_configure(const struct ucx_library *library,
				       const struct stn_opening *opening,
				       ucp_config_t **config_p,
				       struct stn_why *why);

/*
 * ucx_aborts: does UCX abort if an endpoint is closed before its connection is
 * made? UCX before 1.14 does, if the connection is made by datagrams of an RDMA
 * device.
 */
bool ucx_aborts(const struct ucx_library *library, const char *provider);

#endif
