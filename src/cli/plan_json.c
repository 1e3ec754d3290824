/* SPDX-License-Identifier: MIT */
/* The plan as JSON for programs that move arms of their own (`plan --json`); keys carry their unit.
 * The position of the swept joint in its own holds is null: nobody shall hold it there. */
#include <math.h>

#include "cli/fit_report.h"
#include "cli/plan_report.h"
#include "io/json/json_write.h"

static void put_key(AioJsonWriter *w, const char *stem, const char *unit) {
  g_autofree char *key = g_strconcat(stem, unit, NULL);
  aio_json_write_key(w, key);
}

/* Full positions of the arm; null where the swept joint moves anyway. */
static void write_holds(AioJsonWriter *w, const ArmJointPlan *joint, size_t n, size_t swept) {
  aio_json_write_key(w, "holds");
  aio_json_write_begin_array(w);
  for (size_t h = 0; h < joint->n_holds; h++) {
    aio_json_write_begin_array(w);
    for (size_t j = 0; j < n; j++)
      aio_json_write_number(w, j == swept ? (double)NAN : joint->holds[h][j]);
    aio_json_write_end_array(w);
  }
  aio_json_write_end_array(w);
}

static void write_sds(AioJsonWriter *w, const ArmParamSet *found, size_t i) {
  aio_json_write_key(w, "predicted_sd");
  aio_json_write_begin_flat_object(w);
  for (size_t k = 0; k < found->n; k++) {
    const ArmParamId id = found->param[k].id;
    if (id.i == i && arm_param_info(id.kind)->scope == ARM_OF_JOINT)
      aio_json_put_number(w, arm_param_key(id.kind), found->estimate[k].sd);
  }
  aio_json_write_end_object(w);
}

static void write_prediction(AioJsonWriter *w, const ArmPlanReport *report,
                             const ArmParamSet *found, size_t i) {
  const ArmJointStatistics *fit = &found->joint[i];
  aio_json_put_int(w, "excitation_rank", (gint64)report->excitation_rank[i]);
  aio_json_put_int(w, "excitation_required", (gint64)report->excitation_required[i]);
  aio_json_put_int(w, "rank", (gint64)fit->rank);
  aio_json_put_int(w, "columns", (gint64)fit->columns);
  aio_json_put_number(w, "cond_raw", fit->cond_raw);
  aio_json_put_number(w, "cond_equilibrated", fit->cond_equilibrated);
  aio_json_put_number(w, "cond_centred", fit->cond_centred);
  aio_json_put_number(w, "gravity_sd_A", report->score[i]);
  aio_json_put_number(w, "duration_s", report->duration_s[i]);
  write_sds(w, found, i);
}

static void write_joint(AioJsonWriter *w, const CliPlanReport *report, size_t i) {
  const ArmJointPlan *joint = &report->plan->joint[i];
  const bool is_R = report->arm->model.joints[i].type == ARM_JOINT_R;
  const double range[] = {joint->from, joint->to};
  aio_json_write_begin_object(w);
  aio_json_put_int(w, "joint", (gint64)i + 1);
  aio_json_put_string(w, "type", is_R ? "R" : "T");
  aio_json_put_bool(w, "swept", joint->is_swept);
  if (joint->is_swept) {
    put_key(w, "sweep", is_R ? "_rad" : "_m");
    aio_json_write_begin_array(w);
    aio_json_write_number(w, range[0]);
    aio_json_write_number(w, range[1]);
    aio_json_write_end_array(w);
    put_key(w, "speeds", is_R ? "_rad_s" : "_m_s");
    aio_json_write_begin_array(w);
    for (size_t k = 0; k < joint->n_speeds; k++)
      aio_json_write_number(w, joint->speeds[k]);
    aio_json_write_end_array(w);
    aio_json_put_int(w, "positions", (gint64)joint->positions);
    write_holds(w, joint, report->plan->n, i);
    write_prediction(w, report->report, report->found, i);
  }
  aio_json_write_end_object(w);
}

static void write_ratios(AioJsonWriter *w, const ArmParamSet *found) {
  aio_json_write_key(w, "ratios");
  aio_json_write_begin_array(w);
  for (size_t k = 0; k < found->n; k++) {
    if (!cli_fit_is_pair(found, k))
      continue;
    aio_json_write_begin_flat_object(w);
    aio_json_put_int(w, "i", (gint64)found->param[k].id.i + 1);
    aio_json_put_int(w, "j", (gint64)found->param[k].id.j + 1);
    aio_json_put_number(w, "predicted_sd", found->estimate[k].sd);
    aio_json_put_bool(w, "identifiable", found->estimate[k].identifiable);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
}

char *cli_plan_format(const CliPlanReport *report, gsize *length) {
  GString *out = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(out);
  double duration = 0.0;
  aio_json_write_begin_object(w);
  aio_json_put_string(w, "format", "armature-plan");
  aio_json_put_int(w, "version", 1);
  aio_json_put_string(w, "program", ARMATURE_PROGRAM);
  aio_json_write_key(w, "arm");
  aio_json_write_begin_object(w);
  aio_json_put_string(w, "name", report->arm->name);
  aio_json_put_string(w, "digest", report->arm->digest);
  aio_json_write_end_object(w);
  aio_json_put_string(w, "basis",
                      report->params_path           ? "parameters"
                      : report->options->is_made_up ? "made_up"
                                                    : "nominal");
  if (!report->params_path)
    aio_json_put_number(w, "assumed_noise_A", report->options->noise_sd);
  aio_json_put_int(w, "seed", (gint64)report->options->seed);
  aio_json_put_bool(w, "ignores_limits", report->options->ignores_limits);
  aio_json_write_key(w, "joints");
  aio_json_write_begin_array(w);
  for (size_t i = 0; i < report->plan->n; i++) {
    write_joint(w, report, i);
    duration += report->plan->joint[i].is_swept ? report->report->duration_s[i] : 0.0;
  }
  aio_json_write_end_array(w);
  write_ratios(w, report->found);
  aio_json_put_number(w, "duration_s", duration);
  aio_json_write_end_object(w);
  aio_json_writer_free(w);
  *length = out->len;
  return g_string_free(out, FALSE);
}
