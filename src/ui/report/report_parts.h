/* SPDX-License-Identifier: MIT */
/* Inside report*.c only: parts of a report whose content is long. */
#ifndef ARMATURE_UI_REPORT_PARTS_H
#define ARMATURE_UI_REPORT_PARTS_H

#include "session/session.h"
#include "ui/report/report_page.h"
#include "ui/sweep/sweep_curves.h"

/* Texts of a table, row by row; free with g_ptr_array_unref. */
GPtrArray *aui_cells_new(void);
void aui_cells_take(GPtrArray *cells, char *text);
void aui_cells_add(GPtrArray *cells, const char *text);
/* A row of a list: left out when there is no text. Takes it over. */
void aui_cells_take_pair(GPtrArray *cells, const char *name, char *text);

void aui_report_add_procedure(AuiFlow *flow, AseSession *session, const ArmParamSet *found);
/* Of whatever method. */
void aui_report_add_parameters(AuiFlow *flow, const ArmParamSet *found);
void aui_report_add_quality(AuiFlow *flow, const ArmParamSet *found);
void aui_report_add_validation(AuiFlow *flow, AseSession *session);

/* "sha256:..", what identifies the text of a parameter file of whatever method. g_free.
 * NULL: what aio_params_load_origin reports. */
char *aui_report_digest(const char *parameters, GError **error);

/* Every joint that was fitted, from the last to the first, at each of its holds. */
typedef struct {
  AuiCurves curves; /* curves.session NULL: not begun */
  guint joint, hold;
} AuiReportFigures;

void aui_report_figures_begin(AuiReportFigures *figures, AuiFlow *flow, AseSession *session);
/* The next hold; false: there is none. */
bool aui_report_figures_add(AuiReportFigures *figures, AuiFlow *flow);
void aui_report_figures_clear(AuiReportFigures *figures);

#endif
