#include "parts/order.h"

#include <string.h>

uint64_t
stn_order_blocks(const struct stn_parts_operate *order, uint32_t block)
{
	switch (order->what) {
	case STN_PARTS_FILL:
	case STN_PARTS_REFRESH:
	case STN_CELLS_JOIN:
		return 1;
	case STN_PARTS_SWEEPS:
		return (order->sweeps + block - 1) / block;
	}
	return 0;
}

bool
stn_order_changes(const struct stn_parts_operate *order)
{
	switch (order->what) {
	case STN_PARTS_DEAL:
	case STN_PARTS_SUMMARISE:
	case STN_CELLS_SPLIT:
	case STN_CELLS_PLACE:
	case STN_CELLS_BRIEFS:
		return true;
	}
	return false;
}

bool
stn_order_fits(const struct stn_parts_operate *order, bool cells)
{
	if (cells)
		return order->what != STN_PARTS_BOUNDARY &&
		       order->what != STN_PARTS_DEAL &&
		       order->what != STN_PARTS_REFRESH;
	return order->what != STN_PARTS_SUMMARISE &&
	       order->what <= STN_PARTS_REFRESH;
}

bool
stn_order_ends_call(const struct stn_parts_operate *order)
{
	switch (order->what) {
	case STN_PARTS_FILL:
	case STN_PARTS_SWEEPS:
	case STN_PARTS_FREE:
	case STN_CELLS_JOIN:
	case STN_CELLS_BRIEFS:
		return true;
	}
	return false;
}

struct stn_cells_order
stn_cells_order(const struct stn_parts_operate *order)
{
	struct stn_cells_order argument = { 0 };

	if (order->what > STN_PARTS_REFRESH && order->what < STN_CELLS_END)
		memcpy(&argument, order->arguments, sizeof(argument));
	return argument;
}

uint32_t
stn_cells_plan_of(const struct stn_parts_operate *order)
{
	uint32_t plan = 0;

	if (order->what > STN_PARTS_REFRESH && order->what < STN_CELLS_END)
		return stn_cells_order(order).plan;
	if (order->what < STN_PARTS_FREE)
		memcpy(&plan, order->arguments + STN_CELLS_PLAN_AT,
		       sizeof(plan));
	return plan;
}
