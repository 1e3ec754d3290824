/* SPDX-License-Identifier: MIT */
/* {"format": "armature-excitation", "version": 1, ..}: joints from 1, SI, what is infinite or not
 * identifiable is null. Lists of parameters are in the order of `columns`. */
#include "cli/excite_report.h"
#include "io/arm/base_text.h"
#include "io/arm/excitation_text.h"
#include "io/json/json_write.h"

static void put_null(AioJsonWriter *w, const char *key) {
  aio_json_write_key(w, key);
  aio_json_write_null(w);
}

static void put_joints(AioJsonWriter *w, const char *key, const bool *is_listed, gsize n) {
  aio_json_write_key(w, key);
  aio_json_write_begin_array(w);
  for (gsize j = 0; j < n; j++)
    if (is_listed[j])
      aio_json_write_int(w, (gint64)j + 1);
  aio_json_write_end_array(w);
}

static void write_columns(AioJsonWriter *w, const CliExcitation *report) {
  const ArmBase *base = report->base;
  aio_json_write_key(w, "columns");
  aio_json_write_begin_array(w);
  for (gsize b = 0; b < base->count; b++) {
    g_autofree char *name = aio_base_name(base, b);
    aio_json_write_string(w, name);
  }
  aio_json_write_end_array(w);
  aio_json_write_key(w, "units");
  aio_json_write_begin_array(w);
  for (gsize b = 0; b < base->count; b++)
    aio_json_write_string(w, aio_base_unit(&report->arm->model, &base->column[base->kept[b]]));
  aio_json_write_end_array(w);
}

static void write_weakest(AioJsonWriter *w, const CliExcitation *report) {
  aio_json_write_key(w, "weakest");
  aio_json_write_begin_array(w);
  for (gsize d = 0; d < report->found->n_weakest; d++) {
    const ArmWeakDirection *weak = &report->found->weakest[d];
    g_autofree char *direction = aio_excitation_direction(report->base, report->found, d);
    g_autofree char *motion = aio_excitation_motion(&report->arm->model, report->limits, weak);
    aio_json_write_begin_flat_object(w);
    aio_json_put_string(w, "direction", direction);
    aio_json_put_number(w, "sd", weak->sd);
    aio_json_put_string(w, "motion", motion);
    aio_json_put_number(w, "gain", weak->gain);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
}

bool cli_excite_is_within(const CliExcitation *report) {
  return report->n_violations == 0 && report->broken.n_currents == 0 &&
         report->broken.n_clearances == 0;
}

bool cli_excite_is_feasible(const CliExcitation *report) {
  return cli_excite_is_within(report) && report->n_contradictions == 0;
}

static void write_violation(AioJsonWriter *w, const CliExcitation *report, gsize joint,
                            const char *quantity, gsize worst, double value, double limit,
                            gsize samples) {
  aio_json_write_begin_flat_object(w);
  aio_json_put_int(w, "joint", (gint64)joint + 1);
  aio_json_put_string(w, "quantity", quantity);
  aio_json_put_number(w, "time_s", report->motion->t[worst]);
  aio_json_put_number(w, "value", value);
  aio_json_put_number(w, "limit", limit);
  aio_json_put_int(w, "samples", (gint64)samples);
}

/* "other" of a clearance: the other joint's link, null: the table. */
static void write_violations(AioJsonWriter *w, const CliExcitation *report) {
  const CliExciteBroken *broken = &report->broken;
  aio_json_write_key(w, "violations");
  aio_json_write_begin_array(w);
  for (gsize k = 0; k < report->n_violations; k++) {
    const ArmMotionViolation *v = &report->violations[k];
    write_violation(w, report, v->joint, aio_motion_quantity(v->quantity), v->worst, v->value,
                    v->limit, v->samples);
    aio_json_write_end_object(w);
  }
  for (gsize k = 0; k < broken->n_currents; k++) {
    const ArmCurrentViolation *v = &broken->currents[k];
    write_violation(w, report, v->joint, "current", v->worst, v->value, v->limit, v->samples);
    aio_json_write_end_object(w);
  }
  for (gsize k = 0; k < broken->n_clearances; k++) {
    const ArmClearanceViolation *v = &broken->clearances[k];
    write_violation(w, report, v->link[0], "clearance", v->worst, v->value, 0, v->samples);
    if (v->is_table)
      put_null(w, "other");
    else
      aio_json_put_int(w, "other", (gint64)v->link[1] + 1);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
}

/* Means over a time, per second or per second squared: what it says of them, and what the changes
 * of positions, or of speeds, are. `line` is that of the end. */
static void write_contradictions(AioJsonWriter *w, const CliExcitation *report) {
  const AioMotionTable *motion = report->motion;
  aio_json_write_key(w, "contradictions");
  aio_json_write_begin_array(w);
  for (gsize k = 0; k < report->n_contradictions; k++) {
    const ArmMotionContradiction *c = &report->contradictions[k];
    aio_json_write_begin_flat_object(w);
    aio_json_put_int(w, "joint", (gint64)c->joint + 1);
    aio_json_put_string(w, "quantity", aio_motion_quantity(c->quantity));
    aio_json_put_int(w, "line", motion->line[c->to]);
    aio_json_put_number(w, "from_s", motion->t[c->from]);
    aio_json_put_number(w, "to_s", motion->t[c->to]);
    aio_json_put_number(w, "stated", c->stated);
    aio_json_put_number(w, "found", c->found);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
}

/* What nobody can tell is not judged, which is said. */
static void write_scene(AioJsonWriter *w, const CliExcitation *report) {
  const ArmDriveCurrents *currents = &report->scene->currents;
  bool is_kept[ARM_MAX_JOINTS];
  for (gsize j = 0; j < currents->n; j++)
    is_kept[j] = currents->limit[j] <= G_MAXDOUBLE;
  put_joints(w, "current_limits", is_kept, currents->n);
  aio_json_put_bool(w, "current_friction", report->scene->has_friction);
  aio_json_put_int(w, "clearances", (gint64)report->scene->clearance->count);
  aio_json_put_int(w, "clearances_ignored", (gint64)report->scene->clearance->ignored);
}

/* Coefficients joint by joint, in the order of core/excite/basis.h. */
static void write_trajectory(AioJsonWriter *w, const ArmTrajectory *trajectory) {
  const ArmBasis *basis = &trajectory->basis;
  const gsize functions = arm_basis_functions(basis);
  aio_json_put_string(w, "kind", basis->kind == ARM_BASIS_FOURIER ? "fourier" : "quintic_spline");
  aio_json_put_int(w, basis->kind == ARM_BASIS_FOURIER ? "harmonics" : "knots",
                   (gint64)basis->order);
  aio_json_put_number(w, "period_s", basis->period_s);
  aio_json_put_bool(w, "rest", basis->is_at_rest);
  aio_json_write_key(w, "coefficients");
  aio_json_write_begin_array(w);
  for (gsize j = 0; j < trajectory->n; j++) {
    aio_json_write_begin_array(w);
    for (gsize k = 0; k < functions; k++)
      aio_json_write_number(w, trajectory->c[j * functions + k]);
    aio_json_write_end_array(w);
  }
  aio_json_write_end_array(w);
}

/* The points as they are passed, and what their energies alone would tell. */
static void write_points(AioJsonWriter *w, const CliExcitation *report) {
  const ArmPoints *points = report->points;
  const ArmSequence *sequence = report->sequence;
  aio_json_put_string(w, "kind", "points");
  aio_json_put_int(w, "rows", (gint64)points->points - 1);
  aio_json_put_bool(w, "rest", report->is_at_rest);
  aio_json_put_number(w, "slowness", report->slowness);
  aio_json_put_number(w, "energy_cond_raw", points->condition);
  aio_json_put_number(w, "energy_cond_scaled", points->normalised);
  aio_json_put_number(w, "energy_S", points->spread);
  aio_json_write_key(w, "points");
  aio_json_write_begin_array(w);
  for (gsize k = 0; k < sequence->points; k++) {
    double q[ARM_MAX_JOINTS], qd[ARM_MAX_JOINTS];
    arm_sequence_at(sequence, sequence->time[k], q, qd, NULL);
    for (gsize j = 0; j < sequence->n; j++)
      qd[j] /= report->slowness;
    aio_json_write_begin_flat_object(w);
    aio_json_put_number(w, "t_s", report->slowness * sequence->time[k]);
    aio_json_put_numbers(w, "q", q, sequence->n);
    aio_json_put_numbers(w, "qd", qd, sequence->n);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
}

static void write_basis(AioJsonWriter *w, const CliExcitation *report) {
  if (!report->is_design) {
    put_null(w, "basis");
    return;
  }
  aio_json_write_key(w, "basis");
  aio_json_write_begin_object(w);
  if (report->trajectory)
    write_trajectory(w, report->trajectory);
  else
    write_points(w, report);
  aio_json_write_end_object(w);
}

static void write_head(AioJsonWriter *w, const CliExcitation *report) {
  const AioMotionTable *motion = report->motion;
  aio_json_put_string(w, "format", "armature-excitation");
  aio_json_put_int(w, "version", 1);
  aio_json_put_string(w, "method", report->method);
  aio_json_put_string(w, "criterion", report->criterion);
  aio_json_put_string(w, "weights", report->weights);
  if (report->is_design)
    aio_json_put_int(w, "seed", report->seed);
  else
    put_null(w, "seed");
  aio_json_put_int(w, "evaluations", report->evaluations);
  aio_json_put_bool(w, "feasible", cli_excite_is_feasible(report));
  aio_json_put_number(w, "duration_s", motion->t[motion->rows - 1] - motion->t[0]);
  aio_json_put_int(w, "samples", (gint64)motion->rows);
}

char *cli_excite_format(const CliExcitation *report, gsize *length) {
  GString *out = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(out);
  const ArmExcitation *found = report->found;
  const gsize n = report->motion->n;
  aio_json_write_begin_object(w);
  write_head(w, report);
  write_columns(w, report);
  aio_json_put_int(w, "rank", (gint64)found->rank);
  aio_json_put_number(w, "cond_raw", found->cond_raw);
  aio_json_put_number(w, "cond_scaled", found->cond_scaled);
  aio_json_put_number(w, "log_det", found->log_det);
  aio_json_put_number(w, "S", found->spread);
  aio_json_put_numbers(w, "noise", report->noise, n);
  put_joints(w, "noise_assumed", report->is_assumed, n);
  aio_json_put_numbers(w, "predicted_sd", found->sd, found->count);
  write_weakest(w, report);
  write_violations(w, report);
  write_contradictions(w, report);
  write_scene(w, report);
  put_joints(w, "speeds_derived", report->motion->is_speed_derived, n);
  put_joints(w, "accelerations_derived", report->motion->is_acceleration_derived, n);
  write_basis(w, report);
  aio_json_put_string(w, "csv", report->csv);
  aio_json_write_end_object(w);
  aio_json_writer_free(w);
  *length = out->len;
  return g_string_free(out, FALSE);
}
