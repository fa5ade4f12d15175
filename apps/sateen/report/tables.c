#include "apps/sateen/report/tables.h"

#include <inttypes.h>
#include <stdlib.h>

#include "apps/sateen/report/profile.h"
#include "apps/sateen/xml.h"

#define MATRIX_MOST 24 /* nodes; larger runs: a matrix of clusters */

void
tables_cut(uint32_t shown, uint32_t all, const char *what, FILE *out)
{
	if (shown < all)
		fprintf(out,
			"<p class=\"faint\">The first %" PRIu32 " of %" PRIu32
			" %s.</p>\n",
			shown, all, what);
}

/*
 * Counts of steal requests by thief and victim: nodes, or clusters if there are
 * many nodes.
 */
struct matrix {
	uint32_t size;
	uint64_t *granted, *asked; /* [thief * size + victim] */
	uint64_t most;
};

static uint32_t
place(const struct run *run, uint32_t rank)
{
	const struct node *node = &run->nodes[rank];

	return run->begun <= MATRIX_MOST ? node->number : node->cluster;
}

/* What people call a row or column: the node's rank, or the cluster. */
static void
write_place(const struct run *run, uint32_t at, FILE *out)
{
	char room[RUN_CLUSTER_ROOM];
	uint32_t rank = 0;

	if (run->begun > MATRIX_MOST) {
		xml_text(run_cluster(run, at, "", room), out);
		return;
	}
	while (rank + 1 < run->node_count && run->nodes[rank + 1].number <= at)
		rank++;
	fprintf(out, "%" PRIu32, rank);
}

/* @matrix has its size. */
static bool
fill_matrix(const struct run *run, struct matrix *matrix)
{
	size_t cells = (size_t)matrix->size * matrix->size;

	matrix->granted = calloc(cells, sizeof(matrix->granted[0]));
	matrix->asked = calloc(cells, sizeof(matrix->asked[0]));
	if (!matrix->granted || !matrix->asked)
		return false;
	for (uint32_t i = 0; i < run->node_count; i++)
		for (uint32_t j = 0; j < run->nodes[i].steal_count; j++) {
			const struct steal *steal = &run->nodes[i].steals[j];
			size_t cell;

			if (steal->victim >= run->node_count ||
			    place(run, i) >= matrix->size ||
			    place(run, steal->victim) >= matrix->size)
				continue;
			cell = (size_t)place(run, i) * matrix->size +
			       place(run, steal->victim);
			matrix->asked[cell]++;
			matrix->granted[cell] += steal->granted;
			if (matrix->granted[cell] > matrix->most)
				matrix->most = matrix->granted[cell];
		}
	return true;
}

static void
write_cell(const struct matrix *matrix, size_t cell, FILE *out)
{
	uint64_t granted = matrix->granted[cell];
	unsigned shade =
		matrix->most ? (unsigned)(60 * granted / matrix->most) : 0;

	fprintf(out,
		"<td title=\"%" PRIu64 " of %" PRIu64 " requests\" "
		"style=\"background:color-mix(in srgb,var(--works) %u%%,"
		"transparent)\">",
		granted, matrix->asked[cell], shade);
	if (matrix->asked[cell])
		fprintf(out, "%" PRIu64, granted);
	fputs("</td>", out);
}

static void
write_matrix(const struct run *run, const struct matrix *matrix, FILE *out)
{
	fprintf(out,
		"<h2>Steals</h2>\n<p class=\"faint\">Rows: the thief's %s; "
		"columns: the victim's. The number of calls that were stolen; "
		"empty where nobody asked.</p>\n<div class=\"scroll\"><table "
		"id=\"steals\">"
		"<tr><th></th>",
		run->begun <= MATRIX_MOST ? "node" : "cluster");
	for (uint32_t i = 0; i < matrix->size; i++) {
		fputs("<th>", out);
		write_place(run, i, out);
		fputs("</th>", out);
	}
	fputs("</tr>\n", out);
	for (uint32_t i = 0; i < matrix->size; i++) {
		fputs("<tr><td>", out);
		write_place(run, i, out);
		fputs("</td>", out);
		for (uint32_t j = 0; j < matrix->size; j++)
			write_cell(matrix, (size_t)i * matrix->size + j, out);
		fputs("</tr>\n", out);
	}
	fputs("</table></div>\n", out);
}

void
tables_steals(const struct run *run, FILE *out)
{
	struct matrix matrix = {
		.size = run->begun <= MATRIX_MOST ? run->begun
						  : run->cluster_count,
	};

	if (matrix.size > ROWS_MOST || run->begun < 2)
		return;
	if (fill_matrix(run, &matrix))
		write_matrix(run, &matrix, out);
	free(matrix.granted);
	free(matrix.asked);
}
