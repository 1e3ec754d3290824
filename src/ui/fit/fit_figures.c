/* SPDX-License-Identifier: MIT */
/* Directions differ by ink and stroke, speeds by width; what the fit computed is dotted where it
 * lies over what was measured. What is far off lies beside the picture, which does not grow for it:
 * its legend says how much of it is not seen. */
#include "ui/fit/fit_figures.h"

#include <glib/gi18n.h>
#include <math.h>

#include "ui/kit/format.h"

typedef struct {
  AuiInk ink;
  AuiStroke stroke;
  double width; /* 0: as it is */
  bool is_by_direction, is_unlisted, is_aside;
} Style;

static const Style styles[ASE_SERIES_ROLES] = {
    [ASE_SERIES_MEASURED] = {AUI_INK_BLUE, AUI_STROKE_SOLID, 0.0, true, true, false},
    [ASE_SERIES_COMPUTED] = {AUI_INK_BLUE, AUI_STROKE_SOLID, 0.0, true, true, false},
    [ASE_SERIES_RESIDUAL] = {AUI_INK_BLUE, AUI_STROKE_POINTS, 2.0, true, false, false},
    [ASE_SERIES_LEFT_OUT] = {AUI_INK_GREY, AUI_STROKE_POINTS, 2.0, false, true, false},
    [ASE_SERIES_WILD] = {AUI_INK_FOREGROUND, AUI_STROKE_MARKS, 0.0, false, false, true},
    [ASE_SERIES_FAR] = {AUI_INK_GREY, AUI_STROKE_MARKS, 0.0, false, false, true},
    [ASE_SERIES_DECIDES] = {AUI_INK_PURPLE, AUI_STROKE_POINTS, 4.0, false, true, false},
    [ASE_SERIES_BAND] = {AUI_INK_GREY, AUI_STROKE_BAND, 0.0, false, false, false},
    [ASE_SERIES_COUNT] = {AUI_INK_BLUE, AUI_STROKE_BAND, 0.0, false, false, false},
    [ASE_SERIES_EXPECTED] = {AUI_INK_ORANGE, AUI_STROKE_DASH, 0.0, false, false, false},
    [ASE_SERIES_VALUE] = {AUI_INK_BLUE, AUI_STROKE_SOLID, 0.0, false, false, false},
};
static const Style over = {AUI_INK_FOREGROUND, AUI_STROKE_DOT, 1.3, false, true, false};

static const char *sign_of(int direction) {
  return direction < 0 ? "\xe2\x88\x92" : "+";
}

static const char *use_text(AseRowUse use) {
  static const char *const texts[ASE_ROWS] = {
      N_("used"),        N_("fault"), N_("gap"),         N_("clipped"), N_("excluded"),
      N_("not settled"), N_("slow"),  N_("off plateau"), N_("missing"), N_("wild")};
  return _(texts[use]);
}

/* ---- units ---- */

double aui_fit_scale(const AseShown *shown, const char **unit) {
  const AseSwept *data = shown->data;
  const bool turns = !data || shown->joint < 1 || shown->joint > data->joints ||
                     data->model.joints[shown->joint - 1].type == ARM_JOINT_R;
  if (turns)
    return aui_format_angle(unit);
  *unit = "m";
  return 1.0;
}

/* In thousands the labels of an axis do not fit. */
static double residual_scale(const AseShown *shown, const char **unit) {
  const AseSweptJoint *joint = ase_shown_joint(shown);
  const bool is_large = joint && joint->sd >= 0.25;
  *unit = is_large ? "A" : "mA";
  return is_large ? 1.0 : 1e3;
}

static double scale_of(AseQuantity quantity, const AseShown *shown, const char **unit) {
  switch (quantity) {
  case ASE_QUANTITY_POSITION:
    return aui_fit_scale(shown, unit);
  case ASE_QUANTITY_RESIDUAL:
    return residual_scale(shown, unit);
  case ASE_QUANTITY_TIME:
    *unit = "s";
    break;
  case ASE_QUANTITY_CURRENT:
    *unit = "A";
    break;
  case ASE_QUANTITY_LAG:
    *unit = _("samples");
    break;
  case ASE_QUANTITY_NUMBER:
    *unit = NULL;
    break;
  }
  return 1.0;
}

/* ---- words ---- */

char *aui_fit_run_text(const AseShown *shown, const AseSweptRun *run) {
  const char *unit;
  const double scale = aui_fit_scale(shown, &unit);
  /* Translators: one sweep of a joint: number of the hold pose, speed, its unit. */
  return g_strdup_printf(_("hold %u, %.3g %s/s"), run->hold, scale * run->speed, unit);
}

/* Of those that lie aside; NULL: there are none. */
static char *count_text(const AuiFigure *figure, const AuiSeries *series, AseSeriesRole role) {
  double x[2], y[2] = {NAN, NAN};
  guint beyond = 0;
  aui_figure_bounds(figure, x, y);
  for (guint k = 0; k < series->n; k++)
    beyond += series->y[k] < y[0] || series->y[k] > y[1];
  if (!series->n)
    return NULL;
  if (role == ASE_SERIES_FAR)
    /* Translators: legend: so many samples that are used lie above or below the picture. */
    return g_strdup_printf(_("beyond: %u"), series->n);
  /* Translators: legend: samples that were left out because nothing around is like them; how
   * many, and how many of them lie above or below the picture. */
  return beyond ? g_strdup_printf(_("wild: %u (%u beyond)"), series->n, beyond)
                : g_strdup_printf(_("wild: %u"), series->n);
}

/* NULL: it has none. */
static char *label_of(const AseSeries *series, const AseShown *shown) {
  const bool is_line = series->role == ASE_SERIES_MEASURED || series->role == ASE_SERIES_COMPUTED;
  if (series->name)
    return g_strdup(_(series->name));
  if (series->role == ASE_SERIES_LEFT_OUT)
    /* Translators: the reason follows: clipped, excluded, not settled... */
    return g_strdup_printf(_("not used: %s"), use_text(series->use));
  if (series->run && is_line)
    return aui_fit_run_text(shown, ase_shown_joint(shown)->runs->pdata[series->run - 1]);
  return series->direction && series->role != ASE_SERIES_DECIDES
             ? g_strdup(sign_of(series->direction))
             : NULL;
}

/* ---- series ---- */

static bool has_role(const AsePicture *picture, AseSeriesRole role) {
  for (guint k = 0; k < picture->series->len; k++)
    if (((const AseSeries *)picture->series->pdata[k])->role == role)
      return true;
  return false;
}

static void scale_all(double *value, guint n, double scale) {
  for (guint k = 0; value && k < n; k++)
    value[k] *= scale;
}

/* As wide as what is there already; false: that is nothing. */
static bool widen_band(const AuiFigure *figure, AuiSeries *band) {
  double x[2], y[2];
  if (!aui_figure_bounds(figure, x, y))
    return false;
  for (guint k = 0; k < band->n; k++)
    band->x[k] = isfinite(band->x[k]) ? band->x[k] : band->x[k] < 0.0 ? x[0] : x[1];
  return true;
}

static double width_of(const AseSeries *series, const Style *style) {
  const bool is_key = series->is_key;
  if (style->stroke == AUI_STROKE_POINTS && is_key)
    return 4.0;
  if (style->is_by_direction && style->stroke != AUI_STROKE_POINTS && !is_key)
    return 1.2 + 0.4 * MIN(series->rank, 4);
  return style->width > 0.0 && !is_key ? style->width : 1.5;
}

static AuiSeries *add(AuiFigure *figure, const AseSeries *series, const Style *style,
                      const char *label) {
  const bool is_back = style->is_by_direction && series->direction < 0;
  const bool is_dashed = is_back && style->stroke == AUI_STROKE_SOLID;
  AuiSeries *out = aui_figure_add(figure, label, is_back ? AUI_INK_ORANGE : style->ink,
                                  is_dashed ? AUI_STROKE_DASH : style->stroke, 0);
  out->width = width_of(series, style);
  out->is_unlisted = style->is_unlisted && !series->is_key;
  out->is_aside = style->is_aside;
  return out;
}

/* Its points become the figure's. */
static void take_points(AuiFigure *figure, AuiSeries *out, AseSeries *series) {
  g_free(out->x), g_free(out->y), g_free(out->top);
  out->n = series->n;
  out->x = g_steal_pointer(&series->x);
  out->y = g_steal_pointer(&series->y);
  out->top = g_steal_pointer(&series->top);
  if (series->role == ASE_SERIES_BAND && !widen_band(figure, out))
    out->n = 0;
  if (out->is_aside)
    out->label = count_text(figure, out, series->role);
}

AuiFigure *aui_fit_figure(const AseFigure *of, const AseShown *shown) {
  g_autoptr(AsePicture) picture = ase_picture_new(of, shown);
  const char *x_unit, *y_unit;
  const double x = scale_of(picture->x.quantity, shown, &x_unit);
  const double y = scale_of(picture->y.quantity, shown, &y_unit);
  const bool is_compared = has_role(picture, ASE_SERIES_MEASURED);
  AuiFigure *figure =
      aui_figure_new(_(picture->title), _(picture->x.name), x_unit, _(picture->y.name), y_unit);
  figure->empty = picture->none ? g_strdup(_(picture->none)) : NULL;
  figure->x.low = x * picture->x.low, figure->x.high = x * picture->x.high;
  figure->y.low = y * picture->y.low, figure->y.high = y * picture->y.high;
  for (guint k = 0; k < picture->series->len; k++) {
    AseSeries *series = picture->series->pdata[k];
    const bool is_over = series->role == ASE_SERIES_COMPUTED && is_compared;
    g_autofree char *label = label_of(series, shown);
    AuiSeries *out = add(figure, series, is_over ? &over : &styles[series->role], label);
    scale_all(series->x, series->n, x);
    scale_all(series->y, series->n, y);
    scale_all(series->top, series->n, y);
    take_points(figure, out, series);
  }
  return figure;
}
