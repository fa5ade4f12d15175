/*
 * create.h: this node makes its part of an array, by the command CREATE. Net
 * lock held.
 */
#ifndef STN_PARTS_CREATE_H
#define STN_PARTS_CREATE_H

#include "parts/parts.h"

/*
 * stn_create: carries @create out. STN_MALFORMED if it describes no grid.
 * stn_grid_of: the grid that @create describes.
 */
STN_CHECKED enum stn_err stn_create(struct stn_parts_service *service,
				    const struct stn_parts_create *create);
struct stn_grid stn_grid_of(const struct stn_parts_create *create);

#endif
