/*
 * ucx_library.h: UCX, loaded when it is first needed, so that programs that
 * don't use it don't pay for it.
 */
#ifndef STN_TRANSPORT_UCX_UCX_LIBRARY_H
#define STN_TRANSPORT_UCX_UCX_LIBRARY_H

#include <ucp/api/ucp.h>

#include "transport/error.h"

/* The functions used. Each has UCX's name without the prefix ucp_. */
struct ucx_library {
	ucs_status_t (*config_read)(const char *prefix, const char *file,
				    ucp_config_t **config_p);
	ucs_status_t (*config_modify)(ucp_config_t *config, const char *name,
				      const char *value);
	void (*config_release)(ucp_config_t *config);
	ucs_status_t (*init_version)(unsigned major, unsigned minor,
				     const ucp_params_t *params,
				     const ucp_config_t *config,
				     ucp_context_h *context_p);
	void (*get_version)(unsigned *major_p, unsigned *minor_p,
			    unsigned *release_p);
	void (*cleanup)(ucp_context_h context);
	void (*context_print_info)(const ucp_context_h context, FILE *out);
	ucs_status_t (*worker_create)(ucp_context_h context,
				      const ucp_worker_params_t *params,
				      ucp_worker_h *worker_p);
	void (*worker_destroy)(ucp_worker_h worker);
	ucs_status_t (*worker_get_address)(ucp_worker_h worker,
					   ucp_address_t **address_p,
					   size_t *bytes_p);
	void (*worker_release_address)(ucp_worker_h worker,
				       ucp_address_t *address);
	ucs_status_t (*worker_get_efd)(ucp_worker_h worker, int *fd_p);
	ucs_status_t (*worker_arm)(ucp_worker_h worker);
	unsigned (*worker_progress)(ucp_worker_h worker);
	ucs_status_ptr_t (*worker_flush_nbx)(ucp_worker_h worker,
					     const ucp_request_param_t *params);
	ucs_status_t (*worker_set_am_recv_handler)(
		ucp_worker_h worker, const ucp_am_handler_param_t *params);
	ucs_status_t (*ep_create)(ucp_worker_h worker,
				  const ucp_ep_params_t *params,
				  ucp_ep_h *endpoint_p);
	ucs_status_ptr_t (*ep_close_nbx)(ucp_ep_h endpoint,
					 const ucp_request_param_t *params);
	ucs_status_ptr_t (*am_send_nbx)(ucp_ep_h endpoint, unsigned id,
					const void *header, size_t header_bytes,
					const void *buffer, size_t count,
					const ucp_request_param_t *params);
	ucs_status_ptr_t (*am_recv_data_nbx)(ucp_worker_h worker, void *data,
					     void *buffer, size_t count,
					     const ucp_request_param_t *params);
	void (*am_data_release)(ucp_worker_h worker, void *data);
	ucs_status_t (*request_check_status)(void *request);
	void (*request_free)(void *request);
	const char *(*status_string)(ucs_status_t status); /* ucs_ */
};

/*
 * ucx_library_load: fills in @library. Returns STN_MISSING, with a line in
 * @why, if this machine has no UCX. UCX stays loaded. Any thread.
 */
STN_CHECKED enum stn_err ucx_library_load(struct ucx_library *library,
					  struct stn_why *why);

#endif
