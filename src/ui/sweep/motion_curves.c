/* SPDX-License-Identifier: MIT */
/* Positions of all joints share a plot as parts of what is free for them: degrees and metres do
 * not. What was commanded is drawn from the motion itself, before anything moves, too. */
#include "ui/sweep/motion_curves.h"

#include <glib/gi18n.h>
#include <math.h>

#include "ui/kit/format.h"

static const ArmModel *model_of(const AuiMotionCurves *curves) {
  return &ase_session_arm(curves->session)->model;
}

/* ---- samples ---- */

void aui_motion_curves_init(AuiMotionCurves *curves, AseSession *session) {
  *curves = (AuiMotionCurves){.session = session, .slowness = 1.0};
}

void aui_motion_curves_clear(AuiMotionCurves *curves) {
  for (guint j = 0; j < curves->n; j++) {
    aui_bins_clear(&curves->q[j]);
    aui_bins_clear(&curves->current[j]);
  }
  curves->n = 0;
}

void aui_motion_curves_forget(AuiMotionCurves *curves) {
  aui_motion_curves_clear(curves);
  curves->is_on = curves->is_dry_run = curves->has_start = false;
  curves->slowness = 1.0;
}

void aui_motion_curves_leg(AuiMotionCurves *curves, const AseLeg *leg) {
  curves->is_on = leg->trajectory != NULL;
  if (!leg->trajectory)
    return;
  aui_motion_curves_forget(curves);
  curves->is_on = true;
  curves->is_dry_run = leg->purpose == ASE_PURPOSE_DRY_RUN;
  curves->slowness = leg->slowness;
  curves->other = curves->seen;
  curves->n = (guint)leg->trajectory->cubics->n;
  for (guint j = 0; j < curves->n; j++) {
    aui_bins_init(&curves->q[j], 0.0, leg->duration_s, AUI_MOTION_BINS);
    aui_bins_init(&curves->current[j], 0.0, leg->duration_s, AUI_MOTION_BINS);
  }
}

static void add_sample(AuiMotionCurves *curves, const AioChunk *chunk, guint k) {
  const gsize at = (gsize)k * chunk->joints;
  if (!curves->has_start)
    curves->start_us = chunk->t_us[k];
  curves->has_start = true;
  const double t_s = 1e-6 * (double)(chunk->t_us[k] - curves->start_us);
  for (guint j = 0; j < MIN(curves->n, chunk->joints); j++) {
    aui_bins_add(&curves->q[j], t_s, chunk->q[at + j], 1);
    aui_bins_add(&curves->current[j], t_s, chunk->current[at + j], 1);
  }
}

/* Some of the way to where it begins may still come when it has begun. */
bool aui_motion_curves_add(AuiMotionCurves *curves, const AioChunk *chunk) {
  bool is_seen = false;
  for (guint k = 0; k < chunk->n; k++) {
    const guint16 motion = chunk->motion[k];
    if (curves->is_on && motion && motion != curves->other) {
      add_sample(curves, chunk, k);
      is_seen = true;
    }
    curves->seen = motion ? motion : curves->seen;
  }
  return is_seen;
}

/* ---- figures ---- */

/* From rad or m to what is shown of a position: zero and scale. */
typedef struct {
  double zero, scale;
  const char *name, *unit;
} Lens;

static Lens lens_of(const AuiMotionCurves *curves, guint j) {
  const AseEdits *edits = ase_session_edits(curves->session);
  Lens lens = {0.0, 1.0, _("position"), _("m")};
  if (!curves->joint) {
    const double span = edits->high[j] - edits->low[j];
    return (Lens){edits->low[j], span > 0.0 ? 100.0 / span : 0.0, _("position in its free range"),
                  "%"};
  }
  if (model_of(curves)->joints[j].type == ARM_JOINT_R)
    lens.scale = aui_format_angle(&lens.unit);
  return lens;
}

static bool is_shown(const AuiMotionCurves *curves, guint j) {
  return curves->joint ? j + 1 == curves->joint : j < model_of(curves)->n;
}

/* Joints differ by hue, and by stroke where there are more than hues. */
static AuiInk ink_of(guint j) {
  static const AuiInk inks[] = {AUI_INK_BLUE, AUI_INK_ORANGE, AUI_INK_GREEN, AUI_INK_PURPLE,
                                AUI_INK_GREY};
  return inks[j % G_N_ELEMENTS(inks)];
}

static AuiStroke stroke_of(guint j) {
  static const AuiStroke strokes[] = {AUI_STROKE_SOLID, AUI_STROKE_DASH};
  return strokes[j / 5 % G_N_ELEMENTS(strokes)];
}

static void add_bins(AuiFigure *figure, const AuiBins *bins, guint j, const Lens *lens) {
  g_autofree char *label = g_strdup_printf(_("joint %u"), j + 1);
  AuiSeries *series = aui_figure_add(figure, label, ink_of(j), stroke_of(j), bins->n);
  guint at = 0;
  for (guint k = 0; k < bins->n; k++) {
    const AuiBin *bin = &bins->bin[0][k];
    if (!bin->count)
      continue;
    series->x[at] = aui_bins_position(bins, k);
    series->y[at++] = lens->scale * (bin->sum / bin->count - lens->zero);
  }
  series->n = at;
}

/* Of all joints each in its own hue; before anything moves these lines are all there is. */
static void add_commanded(AuiFigure *figure, const AuiMotionCurves *curves, guint j,
                          const AseTrajectory *trajectory) {
  const Lens lens = lens_of(curves, j);
  const GArray *points = trajectory->outline[j];
  const bool is_alone = curves->joint != 0, is_first = curves->n == 0 && !is_alone;
  g_autofree char *label = is_alone   ? g_strdup(_("commanded"))
                           : is_first ? g_strdup_printf(_("joint %u"), j + 1)
                                      : g_strdup_printf(_("commanded, joint %u"), j + 1);
  AuiSeries *series = aui_figure_add(figure, label, is_alone ? AUI_INK_FOREGROUND : ink_of(j),
                                     is_first ? stroke_of(j) : AUI_STROKE_DOT, points->len);
  series->is_unlisted = !is_alone && !is_first;
  series->width = 1.2;
  for (guint k = 0; k < points->len; k++) {
    const AseTrajectoryPoint *point = &g_array_index(points, AseTrajectoryPoint, k);
    series->x[k] = curves->slowness * point->t;
    series->y[k] = lens.scale * (point->q - lens.zero);
  }
}

/* before: the title while nothing was followed. */
static AuiFigure *new_figure(const AuiMotionCurves *curves, const char *before, const char *name,
                             const char *unit) {
  const AseTrajectory *trajectory = ase_session_motion_to_follow(curves->session);
  const char *title = !curves->n            ? before
                      : !curves->is_dry_run ? _("The motion")
                                            : _("Dry run, ten times as slow");
  AuiFigure *figure = aui_figure_new(title, _("time since it began"), "s", name, unit);
  figure->x.low = 0.0;
  if (trajectory)
    figure->x.high = curves->slowness * arm_cubics_duration(trajectory->cubics);
  return figure;
}

AuiFigure *aui_motion_curves_position(const AuiMotionCurves *curves) {
  const AseTrajectory *trajectory = ase_session_motion_to_follow(curves->session);
  const Lens first = lens_of(curves, curves->joint ? curves->joint - 1 : 0);
  AuiFigure *figure = new_figure(curves, _("As it is to go"), first.name, first.unit);
  figure->empty = g_strdup(_("Where the joints go appears here once a motion is chosen"));
  for (guint j = 0; j < model_of(curves)->n; j++)
    if (trajectory && is_shown(curves, j))
      add_commanded(figure, curves, j, trajectory);
  for (guint j = 0; j < curves->n; j++) {
    const Lens lens = lens_of(curves, j);
    if (is_shown(curves, j))
      add_bins(figure, &curves->q[j], j, &lens);
  }
  if (trajectory && !curves->joint && curves->n) /* one line of the legend for all */
    aui_figure_add(figure, _("commanded"), AUI_INK_FOREGROUND, AUI_STROKE_DOT, 0);
  return figure;
}

/* Where it is held for its current: lines, as long as that is not far off what is seen, and the
 * value beside the name, which tells of it in any case. */
static void add_limit(AuiFigure *figure, const AuiMotionCurves *curves,
                      const AseTrajectory *trajectory) {
  const double most = trajectory->current_max[curves->joint - 1];
  const AuiBins *bins = &curves->current[curves->joint - 1];
  g_autofree char *value = aui_format_number(most, 3);
  /* Translators: of a line in a plot: the current beyond which the arm is held */
  g_autofree char *name = g_strdup_printf(_("held beyond %s A"), value);
  for (int sign = -1; isfinite(most) && sign <= 1; sign += 2) {
    AuiSeries *series =
        aui_figure_add(figure, sign < 0 ? NULL : name, AUI_INK_GREY, AUI_STROKE_DASH, 2);
    series->is_aside = true;
    series->x[0] = bins->low, series->x[1] = bins->high;
    series->y[0] = series->y[1] = sign * most;
  }
}

AuiFigure *aui_motion_curves_current(const AuiMotionCurves *curves) {
  const AseTrajectory *trajectory = ase_session_motion_to_follow(curves->session);
  const Lens lens = {0.0, 1.0, NULL, NULL};
  AuiFigure *figure = new_figure(curves, _("motor current"), _("motor current"), "A");
  figure->empty = g_strdup(_("Currents appear here while the arm follows the motion"));
  for (guint j = 0; j < curves->n; j++)
    if (is_shown(curves, j))
      add_bins(figure, &curves->current[j], j, &lens);
  if (trajectory && curves->joint && curves->joint <= curves->n)
    add_limit(figure, curves, trajectory);
  return figure;
}
