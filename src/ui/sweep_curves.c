/* SPDX-License-Identifier: MIT */
#include "ui/sweep_curves.h"

#include <math.h>
#include <string.h>

#include "core/predict.h"

#define MOVING 0.1 /* part of the commanded speed below which a sample has no direction */

static const ArmModel *model_of(const AuiCurves *curves) {
  return &ase_session_arm(curves->session)->model;
}

double aui_curves_scale(const AuiCurves *curves, const char **unit) {
  const bool turns = model_of(curves)->joints[curves->joint - 1].type == ARM_JOINT_R;
  *unit = turns ? "deg" : "m";
  return turns ? 180.0 / G_PI : 1.0;
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

static AuiCurve *curve_new(const AuiCurves *curves, gint64 run, double speed) {
  double low, high;
  aui_curves_range(curves, &low, &high);
  AuiCurve *curve = g_new0(AuiCurve, 1);
  curve->run = run;
  curve->speed = speed;
  aui_bins_init(&curve->current, low, high, AUI_CURVE_BINS);
  aui_bins_init(&curve->qd, low, high, AUI_CURVE_BINS);
  aui_bins_init(&curve->left_out, low, high, AUI_CURVE_BINS);
  return curve;
}

static void curve_free(gpointer data) {
  AuiCurve *curve = data;
  if (!curve)
    return;
  aui_bins_clear(&curve->current);
  aui_bins_clear(&curve->qd);
  aui_bins_clear(&curve->left_out);
  g_free(curve);
}

static void set_pose(AuiCurve *curve, const double *q, gsize joints) {
  memcpy(curve->pose, q, joints * sizeof *q);
  curve->has_pose = true;
}

static void add_sample(AuiCurve *curve, double q, double qd, double current, AseSampleUse use) {
  const double least = MOVING * curve->speed;
  const int direction = qd > least ? 1 : qd < -least ? -1 : 0;
  aui_bins_add(&curve->qd, q, qd, direction);
  aui_bins_add(use == ASE_SAMPLE_USED ? &curve->current : &curve->left_out, q, current, direction);
}

/* Row of the run's first sample; rows: there is none. */
static gsize first_row(const AseSelection *selection, gint64 run) {
  const gsize rows = selection->recording->rows;
  gsize row = 0;
  while (row < rows && selection->run[row] != run)
    row++;
  return row;
}

static void add_run(AuiCurves *curves, const AseRun *run, const AseSelection *selection) {
  AuiCurve *curve = curve_new(curves, run->id, run->speed);
  gsize row = selection ? first_row(selection, run->id) : 0;
  const AseTrace *trace = ase_run_trace(run);
  if (trace->samples > 0)
    set_pose(curve, trace->pose, model_of(curves)->n);
  for (guint k = 0; k < trace->points->len; k++, row += trace->step) {
    const AseTracePoint *point = &g_array_index(trace->points, AseTracePoint, k);
    const bool is_judged =
        selection && row < selection->recording->rows && selection->run[row] == run->id;
    const AseSampleUse use = is_judged ? (AseSampleUse)selection->use[row] : ASE_SAMPLE_USED;
    curve->use[use] += trace->step;
    add_sample(curve, point->q, point->qd, point->current, use);
  }
  g_ptr_array_add(curves->curves, curve);
}

static bool is_shown(const AuiCurves *curves, const AseRun *run) {
  return run->sweeps && run->purpose == ASE_PURPOSE_MEASURE && run->joint == curves->joint &&
         run->hold == curves->hold &&
         (curves->speed == 0.0 || fabs(run->speed - curves->speed) < 1e-9);
}

/* ---- following the session ---- */

void aui_curves_init(AuiCurves *curves, AseSession *session) {
  *curves = (AuiCurves){.session = session,
                        .joint = 1,
                        .hold = 1,
                        .curves = g_ptr_array_new_with_free_func(curve_free)};
}

void aui_curves_clear(AuiCurves *curves) {
  g_ptr_array_unref(curves->curves);
  curve_free(curves->live);
  *curves = (AuiCurves){0};
}

void aui_curves_show(AuiCurves *curves, guint joint, guint hold, double speed) {
  if (curves->joint != joint || curves->hold != hold)
    g_clear_pointer(&curves->live, curve_free);
  curves->joint = joint;
  curves->hold = hold;
  curves->speed = speed;
  aui_curves_update(curves);
}

/* While the arm moves the selection is not asked for: it would be made anew after every sweep. */
void aui_curves_update(AuiCurves *curves) {
  const GPtrArray *runs = ase_session_runs(curves->session);
  const AseStepState sweep =
      ase_procedure_state(ase_session_procedure(curves->session), ASE_STEP_SWEEP);
  const AseSelection *selection =
      sweep == ASE_STATE_RUNNING ? NULL : ase_session_selection(curves->session);
  curves->joint = CLAMP(curves->joint, 1, (guint)model_of(curves)->n);
  g_ptr_array_set_size(curves->curves, 0);
  if (curves->live)
    curves->live->computed_low = curves->live->computed_high = 0.0;
  for (guint k = 0; k < runs->len; k++)
    if (is_shown(curves, runs->pdata[k]))
      add_run(curves, runs->pdata[k], selection);
}

void aui_curves_leg(AuiCurves *curves, const AseLeg *leg) {
  const GPtrArray *runs = ase_session_runs(curves->session);
  const AseRun *last = runs->len ? runs->pdata[runs->len - 1] : NULL;
  curves->last_motion = last ? last->motion : 0;
  g_clear_pointer(&curves->live, curve_free);
  if (leg->sweeps && leg->joint == curves->joint && leg->hold == curves->hold)
    curves->live = curve_new(curves, 0, leg->speed_R);
}

bool aui_curves_add(AuiCurves *curves, const AioChunk *chunk) {
  bool is_seen = false;
  for (guint k = 0; curves->live && k < chunk->n; k++) {
    const bool is_late = curves->last_motion && chunk->motion[k] == curves->last_motion;
    if (chunk->joint[k] != curves->joint || curves->joint > chunk->joints || is_late)
      continue;
    const gsize first = (gsize)k * chunk->joints, at = first + curves->joint - 1;
    if (!curves->live->has_pose)
      set_pose(curves->live, chunk->q + first, chunk->joints);
    curves->live->use[ASE_SAMPLE_USED]++;
    add_sample(curves->live, chunk->q[at], chunk->qd[at], chunk->current[at], ASE_SAMPLE_USED);
    is_seen = true;
  }
  return is_seen;
}

/* ---- computed ---- */

static double predict(const AuiCurves *curves, const AuiCurve *curve, double q, double qd) {
  double pose[ARM_MAX_JOINTS], speed[ARM_MAX_JOINTS] = {0}, current[ARM_MAX_JOINTS];
  double sd[ARM_MAX_JOINTS];
  const ArmPredictOptions options = {.zero_speed = ARM_ZERO_SPEED_NONE};
  memcpy(pose, curve->pose, sizeof pose);
  pose[curves->joint - 1] = q;
  speed[curves->joint - 1] = qd;
  if (arm_predict(model_of(curves), &ase_session_fit(curves->session)->refined, pose, speed, NULL,
                  &options, current, sd) != ARM_OK)
    return NAN;
  return current[curves->joint - 1];
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
  const ArmGravityFit *fit = ase_session_fit(curves->session);
  if (!fit || !curve->has_pose || fit->refined.n != model_of(curves)->n)
    return NAN;
  if (curve->computed_low != curve->current.low || curve->computed_high != curve->current.high)
    compute(curves, curve);
  const double at = (q - curve->computed_low) / (curve->computed_high - curve->computed_low);
  const double node = CLAMP(at, 0.0, 1.0) * AUI_CURVE_NODES;
  const guint k = MIN((guint)node, AUI_CURVE_NODES - 1);
  const double *value = curve->computed[direction];
  return value[k] + (node - k) * (value[k + 1] - value[k]);
}
