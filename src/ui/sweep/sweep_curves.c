/* SPDX-License-Identifier: MIT */
/* Two sources for one picture: samples as they come, and traces of sweeps that have ended; which of
 * them are used is known when the arm rests. Each replaces the one before, in bins, so that a
 * picture costs the same. */
#include "ui/sweep/sweep_curves.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define MOVING    0.1  /* part of the commanded speed below which a sample has no direction */
#define OVERSHOOT 0.03 /* part of the range that a joint may leave it without wider bins */

static const ArmModel *model_of(const AuiCurves *curves) {
  return &ase_session_arm(curves->session)->model;
}

double aui_curves_scale(const AuiCurves *curves, const char **unit) {
  const bool turns = model_of(curves)->joints[curves->joint - 1].type == ARM_JOINT_R;
  *unit = !turns ? _("m") : curves->in_radians ? _("rad") : _("deg");
  return turns && !curves->in_radians ? 180.0 / G_PI : 1.0;
}

static bool find_eta(const AuiCurves *curves, double *eta) {
  double rel_sd;
  return arm_model_nominal_eta(model_of(curves), curves->joint - 1, eta, &rel_sd);
}

bool aui_curves_has_torque(const AuiCurves *curves) {
  double eta;
  return find_eta(curves, &eta);
}

double aui_curves_load(const AuiCurves *curves, const char **unit) {
  double eta;
  const bool turns = model_of(curves)->joints[curves->joint - 1].type == ARM_JOINT_R;
  if (!curves->in_torque || !find_eta(curves, &eta)) {
    *unit = "A";
    return 1.0;
  }
  *unit = turns ? "N m" : "N";
  return 1.0 / eta;
}

/* ---- curves ---- */

void aui_curves_range(const AuiCurves *curves, double *low, double *high) {
  const AseEdits *edits = ase_session_edits(curves->session);
  const ArmPlan *plan = ase_session_plan(curves->session);
  const ArmJointPlan *joint = plan ? &plan->joint[curves->joint - 1] : NULL;
  const bool is_swept = joint && joint->is_swept && joint->from != joint->to;
  *low = is_swept ? fmin(joint->from, joint->to) : edits->low[curves->joint - 1];
  *high = is_swept ? fmax(joint->from, joint->to) : edits->high[curves->joint - 1];
  if (!(*high > *low))
    *low = -1.0, *high = 1.0;
}

static AuiCurve *curve_new(const AuiCurves *curves, gint64 run, AsePurpose purpose, double speed) {
  double low, high;
  aui_curves_range(curves, &low, &high);
  AuiCurve *curve = g_new0(AuiCurve, 1);
  curve->run = run;
  curve->purpose = purpose;
  curve->speed = speed;
  const double margin = OVERSHOOT * (high - low);
  AuiBins *const over_position[] = {&curve->current, &curve->qd, &curve->left_out};
  for (guint k = 0; k < G_N_ELEMENTS(over_position); k++)
    aui_bins_init(over_position[k], low - margin, high + margin, AUI_CURVE_BINS);
  aui_bins_init(&curve->qd_time, 0.0, speed > 0.0 ? (high - low) / speed : 1.0, AUI_CURVE_BINS);
  return curve;
}

static void curve_free(gpointer data) {
  AuiCurve *curve = data;
  if (!curve)
    return;
  aui_bins_clear(&curve->current);
  aui_bins_clear(&curve->qd);
  aui_bins_clear(&curve->left_out);
  aui_bins_clear(&curve->qd_time);
  g_free(curve);
}

typedef struct {
  double t_s, q, qd, current; /* t_s NAN: not known */
} Sample;

static void add_sample(AuiCurve *curve, const Sample *s, AseSampleUse use) {
  const double least = MOVING * curve->speed;
  const int direction = s->qd > least ? 1 : s->qd < -least ? -1 : 0;
  if (!curve->has_start && isfinite(s->t_s)) {
    curve->start_s = s->t_s;
    curve->has_start = true;
  }
  aui_bins_add(&curve->qd, s->q, s->qd, direction);
  aui_bins_add(&curve->qd_time, s->t_s - curve->start_s, s->qd, direction);
  aui_bins_add(use == ASE_SAMPLE_USED ? &curve->current : &curve->left_out, s->q, s->current,
               direction);
}

static void add_chunk_sample(AuiCurve *curve, const AioChunk *chunk, guint k, guint joint) {
  const gsize at = (gsize)k * chunk->joints;
  const Sample sample = {1e-6 * (double)chunk->t_us[k], chunk->q[at + joint - 1],
                         chunk->qd[at + joint - 1], chunk->current[at + joint - 1]};
  if (!curve->has_pose)
    memcpy(curve->pose, chunk->q + at, chunk->joints * sizeof *chunk->q);
  curve->has_pose = true;
  curve->use[ASE_SAMPLE_USED]++;
  add_sample(curve, &sample, ASE_SAMPLE_USED);
}

/* Of a long run not every sample is needed for a picture.
 *   use  NULL: not judged yet */
static void add_trace(AuiCurve *curve, const AseRun *run, const AseRunUse *use, gsize joints) {
  const AseTrace *trace = ase_run_trace(run);
  if (!trace->samples)
    return;
  memcpy(curve->pose, trace->pose, joints * sizeof *curve->pose);
  curve->has_pose = true;
  for (guint k = 0; k < trace->points->len; k++) {
    const AseTracePoint *point = &g_array_index(trace->points, AseTracePoint, k);
    const Sample sample = {point->t, point->q, point->qd, point->current};
    const gsize row = (gsize)k * trace->step;
    guint8 judged = ASE_SAMPLE_USED;
    if (use && row < use->rows)
      ase_run_use_fill(use, row, 1, &judged);
    add_sample(curve, &sample, (AseSampleUse)judged);
  }
  if (use)
    memcpy(curve->use, use->counts, sizeof curve->use);
  else
    curve->use[ASE_SAMPLE_USED] = trace->samples;
}

/* What stays to be seen when it is over: not the dry run. */
static bool is_measurement(AsePurpose purpose) {
  return purpose == ASE_PURPOSE_MEASURE || purpose == ASE_PURPOSE_VALIDATE;
}

static bool is_here(const AuiCurves *curves, const AseRun *run) {
  return run->sweeps && is_measurement(run->purpose) && run->joint == curves->joint &&
         run->hold == curves->hold;
}

static bool is_shown(const AuiCurves *curves, const AseRun *run) {
  return is_here(curves, run) && (curves->speed == 0.0 || fabs(run->speed - curves->speed) < 1e-9);
}

/* ---- following the session ---- */

void aui_curves_init(AuiCurves *curves, AseSession *session) {
  *curves = (AuiCurves){.session = session,
                        .joint = 1,
                        .hold = 1,
                        .curves = g_ptr_array_new_with_free_func(curve_free),
                        .earlier = g_ptr_array_new_with_free_func(curve_free)};
}

void aui_curves_clear(AuiCurves *curves) {
  g_ptr_array_unref(curves->curves);
  g_ptr_array_unref(curves->earlier);
  curve_free(curves->live);
  ase_predictor_unref(curves->predictor);
  *curves = (AuiCurves){0};
}

static void forget(AuiCurves *curves) {
  g_ptr_array_set_size(curves->curves, 0);
  g_ptr_array_set_size(curves->earlier, 0);
}

void aui_curves_show(AuiCurves *curves, guint joint, guint hold, double speed) {
  if (curves->joint != joint || curves->hold != hold)
    g_clear_pointer(&curves->live, curve_free);
  curves->joint = joint;
  curves->hold = hold;
  curves->speed = speed;
  forget(curves);
  aui_curves_update(curves);
}

static AuiCurve *take_curve(GPtrArray *curves, gint64 run) {
  for (guint k = 0; k < curves->len; k++)
    if (((AuiCurve *)curves->pdata[k])->run == run)
      return g_ptr_array_steal_index(curves, k);
  return NULL;
}

/* The sweep that was watched and has just become a run. */
static AuiCurve *adopt_live(AuiCurves *curves, const AseRun *run) {
  AuiCurve *live = curves->live;
  if (!live || !is_measurement(live->purpose) || fabs(live->speed - run->speed) > 1e-9)
    return NULL;
  curves->live = NULL;
  live->run = run->id;
  return live;
}

static AuiCurve *curve_of_run(const AuiCurves *curves, const AseRun *run, const AseRunUse *use) {
  AuiCurve *curve = curve_new(curves, run->id, run->purpose, run->speed);
  add_trace(curve, run, use, model_of(curves)->n);
  return curve;
}

/* Judged samples while there are any. While the arm moves there are none: what is known of a run is
 * kept, for it does not change. */
static void update_curves(AuiCurves *curves, const AseSelection *selection) {
  const GPtrArray *runs = ase_session_runs(curves->session);
  g_autoptr(GPtrArray) old = curves->curves;
  curves->curves = g_ptr_array_new_with_free_func(curve_free);
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    if (!is_shown(curves, run))
      continue;
    const AseRunUse *use = selection ? ase_selection_find(selection, run->id) : NULL;
    AuiCurve *curve = selection ? NULL : take_curve(old, run->id);
    if (!curve && !selection)
      curve = adopt_live(curves, run);
    g_ptr_array_add(curves->curves, curve ? curve : curve_of_run(curves, run, use));
  }
}

static void update_earlier(AuiCurves *curves) {
  const GPtrArray *runs = ase_session_earlier_runs(curves->session);
  guint known = 0;
  for (guint k = 0; curves->shows_earlier && k < runs->len; k++)
    known += is_shown(curves, runs->pdata[k]);
  if (known == curves->earlier->len)
    return;
  g_ptr_array_set_size(curves->earlier, 0);
  for (guint k = 0; curves->shows_earlier && k < runs->len; k++)
    if (is_shown(curves, runs->pdata[k]))
      g_ptr_array_add(curves->earlier, curve_of_run(curves, runs->pdata[k], NULL));
}

void aui_curves_show_earlier(AuiCurves *curves, bool is_shown) {
  curves->shows_earlier = is_shown;
  update_earlier(curves);
}

static void forget_computed(gpointer curve, gpointer data) {
  (void)data;
  ((AuiCurve *)curve)->computed_low = ((AuiCurve *)curve)->computed_high = 0.0;
}

static void update_predictor(AuiCurves *curves) {
  g_clear_pointer(&curves->predictor, ase_predictor_unref);
  curves->predictor = ase_session_measuring(curves->session)
                          ->predictor(model_of(curves), ase_session_fit(curves->session));
}

/* While the arm moves the selection is not asked for: it would be made anew after every sweep. */
void aui_curves_update(AuiCurves *curves) {
  const AseStepState sweep =
      ase_procedure_state(ase_session_procedure(curves->session), ASE_STEP_SWEEP);
  curves->joint = CLAMP(curves->joint, 1, (guint)model_of(curves)->n);
  update_curves(curves, sweep == ASE_STATE_RUNNING ? NULL : ase_session_selection(curves->session));
  update_earlier(curves);
  update_predictor(curves);
  g_ptr_array_foreach(curves->curves, forget_computed, NULL);
  if (curves->live)
    forget_computed(curves->live, NULL);
}

void aui_curves_leg(AuiCurves *curves, const AseLeg *leg) {
  const GPtrArray *runs = ase_session_runs(curves->session);
  const AseRun *last = runs->len ? runs->pdata[runs->len - 1] : NULL;
  curves->last_motion = last ? last->motion : 0;
  g_clear_pointer(&curves->live, curve_free);
  if (!leg->sweeps || leg->joint != curves->joint || leg->hold != curves->hold)
    return;
  const bool turns = model_of(curves)->joints[leg->joint - 1].type == ARM_JOINT_R;
  curves->live = curve_new(curves, 0, leg->purpose, turns ? leg->speed_R : leg->speed_T);
}

bool aui_curves_add(AuiCurves *curves, const AioChunk *chunk) {
  bool is_seen = false;
  for (guint k = 0; curves->live && k < chunk->n; k++) {
    const bool is_late = curves->last_motion && chunk->motion[k] == curves->last_motion;
    if (chunk->joint[k] != curves->joint || curves->joint > chunk->joints || is_late)
      continue;
    add_chunk_sample(curves->live, chunk, k, curves->joint);
    is_seen = true;
  }
  return is_seen;
}

static int compare(gconstpointer a, gconstpointer b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void include_speed(GArray *speeds, double speed) {
  for (guint k = 0; k < speeds->len; k++)
    if (fabs(g_array_index(speeds, double, k) - speed) < 1e-9)
      return;
  g_array_append_val(speeds, speed);
}

GArray *aui_curves_speeds(const AuiCurves *curves) {
  GArray *speeds = g_array_new(FALSE, FALSE, sizeof(double));
  const ArmPlan *plan = ase_session_plan(curves->session);
  const GPtrArray *runs = ase_session_runs(curves->session);
  const ArmJointPlan *joint = plan ? &plan->joint[curves->joint - 1] : NULL;
  for (gsize k = 0; joint && joint->is_swept && k < joint->n_speeds; k++)
    include_speed(speeds, joint->speeds[k]);
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    if (is_here(curves, run))
      include_speed(speeds, run->speed);
  }
  g_array_sort(speeds, compare);
  return speeds;
}

/* ---- computed ---- */

static double predict(const AuiCurves *curves, const AuiCurve *curve, double q, double qd) {
  double pose[ARM_MAX_JOINTS], speed[ARM_MAX_JOINTS] = {0};
  memcpy(pose, curve->pose, sizeof pose);
  pose[curves->joint - 1] = q;
  speed[curves->joint - 1] = qd;
  return curves->predictor->current(curves->predictor, curves->joint, pose, speed);
}

static void compute(const AuiCurves *curves, AuiCurve *curve) {
  const double low = curve->current.low, high = curve->current.high;
  for (guint d = 0; d < 2; d++)
    for (guint k = 0; k <= AUI_CURVE_NODES; k++)
      curve->computed[d][k] = predict(curves, curve, low + k * (high - low) / AUI_CURVE_NODES,
                                      d ? -curve->speed : curve->speed);
  curve->computed_low = low;
  curve->computed_high = high;
}

double aui_curves_computed(const AuiCurves *curves, AuiCurve *curve, double q, guint direction) {
  if (!curves->predictor || !curve->has_pose)
    return NAN;
  if (curve->computed_low != curve->current.low || curve->computed_high != curve->current.high)
    compute(curves, curve);
  const double at = (q - curve->computed_low) / (curve->computed_high - curve->computed_low);
  const double node = CLAMP(at, 0.0, 1.0) * AUI_CURVE_NODES;
  const guint k = MIN((guint)node, AUI_CURVE_NODES - 1);
  const double *value = curve->computed[direction];
  return value[k] + (node - k) * (value[k + 1] - value[k]);
}
