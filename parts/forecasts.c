#include <string.h>

#include "parts/forecast.h"

static const struct stn_forecast *const forecasts[] = {
	&stn_forecast_es,     &stn_forecast_last,    &stn_forecast_mean,
	&stn_forecast_median, &stn_forecast_best,    &stn_forecast_tendency,
	&stn_forecast_ar,     &stn_forecast_fourier,
};

#define FORECASTS (sizeof(forecasts) / sizeof(forecasts[0]))

const struct stn_forecast *
stn_forecast_find(const char *name)
{
	for (size_t i = 0; i < FORECASTS; i++)
		if (!strcmp(forecasts[i]->name, name))
			return forecasts[i];
	return NULL;
}

void
stn_forecast_list(FILE *out)
{
	for (size_t i = 0; i < FORECASTS; i++)
		fprintf(out, "  %-8s %s\n", forecasts[i]->name,
			forecasts[i]->help);
}
