/* SPDX-License-Identifier: MIT */
/* The plots of a report: those of the sweep page, made for paper. */
#include <glib/gi18n.h>
#include <math.h>

#include "ui/report/report_parts.h"
#include "ui/sweep/sweep_curves.h"

#define CURVE_WIDTH 1.0
#define POINT_WIDTH 2.2

static bool is_measured(const AuiSeries *series) {
  return series->stroke != AUI_STROKE_BAND &&
         (series->ink == AUI_INK_BLUE || series->ink == AUI_INK_ORANGE);
}

/* One entry in the legend for all speeds of a direction. */
static void relabel(AuiSeries *series, bool *is_known) {
  g_free(series->label);
  series->label = g_strdup(series->ink == AUI_INK_BLUE ? "+" : "\342\210\222");
  series->is_unlisted = *is_known;
  series->width = CURVE_WIDTH;
  *is_known = true;
}

static void measured_range(const AuiFigure *figure, double range[2]) {
  range[0] = INFINITY, range[1] = -INFINITY;
  for (guint s = 0; s < figure->series->len; s++) {
    const AuiSeries *series = figure->series->pdata[s];
    for (guint k = 0; is_measured(series) && k < series->n; k++)
      range[0] = fmin(range[0], series->x[k]), range[1] = fmax(range[1], series->x[k]);
  }
}

/* As wide as what was measured, not as what may be. */
static void crop(AuiFigure *figure) {
  double range[2];
  measured_range(figure, range);
  figure->x.low = figure->x.high = (double)NAN;
  for (guint s = 0; s < figure->series->len && range[0] <= range[1]; s++) {
    const AuiSeries *series = figure->series->pdata[s];
    for (guint k = 0; series->stroke == AUI_STROKE_BAND && k < series->n; k++)
      series->x[k] = k == 0 ? range[0] : k + 1 == series->n ? range[1] : series->x[k];
  }
}

static AuiFigure *for_paper(AuiFigure *figure, bool wants_points) {
  bool is_known[2] = {false, false};
  *figure->title = '\0'; /* is the caption */
  for (guint s = 0; s < figure->series->len; s++) {
    AuiSeries *series = figure->series->pdata[s];
    if (!is_measured(series))
      continue;
    relabel(series, &is_known[series->ink == AUI_INK_ORANGE]);
    if (wants_points) {
      series->stroke = AUI_STROKE_POINTS;
      series->width = POINT_WIDTH;
    }
  }
  crop(figure);
  return figure;
}

/* ---- one hold after the other ---- */

void aui_report_figures_begin(AuiReportFigures *figures, AuiFlow *flow, AseSession *session) {
  aui_curves_init(&figures->curves, session);
  g_auto(ArmParamSet) found = {0};
  figures->joint = ase_session_found(session, &found, NULL) ? (guint)found.n_joints : 0;
  figures->hold = 0;
  aui_flow_heading(flow, _("Measured and computed currents"));
  aui_flow_paragraph(flow,
                     _("Of each joint at each of its holds, at all speeds: + measured while the "
                       "position increases, \342\210\222 while it decreases. Beside it what is "
                       "left, measured minus computed, with a band of two standard "
                       "deviations."));
}

/* The next hold at which the joint was measured; 0: none. */
static guint next_hold(AseSession *session, guint joint, guint hold) {
  const GPtrArray *runs = ase_session_runs(session);
  guint next = 0;
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    if (run->sweeps && run->purpose == ASE_PURPOSE_MEASURE && run->joint == joint &&
        run->hold > hold && (!next || run->hold < next))
      next = run->hold;
  }
  return next;
}

static bool advance(AuiReportFigures *figures) {
  AseSession *session = figures->curves.session;
  g_auto(ArmParamSet) found = {0};
  if (!ase_session_found(session, &found, NULL))
    return false;
  for (; figures->joint >= 1; figures->joint--, figures->hold = 0) {
    if (!found.joint[figures->joint - 1].rows_used)
      continue;
    figures->hold = next_hold(session, figures->joint, figures->hold);
    if (figures->hold)
      return true;
  }
  return false;
}

bool aui_report_figures_add(AuiReportFigures *figures, AuiFlow *flow) {
  if (!advance(figures))
    return false;
  AuiCurves *curves = &figures->curves;
  aui_curves_show(curves, figures->joint, figures->hold, 0.0);
  g_autofree char *caption = g_strdup_printf(_("Joint %u, hold %u"), curves->joint, curves->hold);
  AuiFigure *const pair[] = {for_paper(aui_curves_current_figure(curves), false),
                             for_paper(aui_curves_residual_figure(curves), true)};
  aui_flow_figures(flow, caption, G_N_ELEMENTS(pair), pair);
  return true;
}

void aui_report_figures_clear(AuiReportFigures *figures) {
  if (figures->curves.session)
    aui_curves_clear(&figures->curves);
}
