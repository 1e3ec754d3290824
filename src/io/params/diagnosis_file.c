/* SPDX-License-Identifier: MIT */
/* Causes as JSON, and the arm file that a cause implies where an arm file has a place for it; what
 * has none (a payload in one hold, a drift) is told in words only. */
#include "io/params/diagnosis_file.h"

#include <math.h>
#include <string.h>

#include "io/json/json_write.h"
#include "io/params/plausible_text.h"
#include "io/params/verdict_file.h"

static const double degree = 57.295779513082320877;

const char *aio_doubt_cause(ArmDoubtKind kind) {
  return kind == ARM_DOUBT_SPEED_UNIT     ? "speed-unit"
         : kind == ARM_DOUBT_SPEED_SIGN   ? "speed-sign"
         : kind == ARM_DOUBT_UNSIGNED     ? "unsigned-current"
         : kind == ARM_DOUBT_CURRENT_SIGN ? "current-sign"
                                          : NULL;
}

static void put_with_sd(AioJsonWriter *w, const ArmCause *c, const char *name, const char *unit,
                        double scale) {
  char *key = g_strconcat(name, unit, NULL), *sd = g_strconcat(name, "_sd", unit, NULL);
  aio_json_put_number(w, key, scale * c->value[0]);
  aio_json_put_number(w, sd, scale * c->sd[0]);
  g_free(key);
  g_free(sd);
}

static void put_tilt(AioJsonWriter *w, const ArmCause *c) {
  static const char *const axes[] = {"gravity_x_m_s2", "gravity_y_m_s2", "gravity_z_m_s2"};
  const double size = hypot(c->value[0], c->value[1]);
  aio_json_put_number(w, "tilt_deg", degree * size);
  aio_json_put_number(
      w, "tilt_sd_deg",
      size > 0 ? degree * hypot(c->value[0] * c->sd[0], c->value[1] * c->sd[1]) / size : NAN);
  for (size_t k = 0; k < 3; k++)
    aio_json_put_number(w, axes[k], c->gravity[k]);
}

static void put_payload(AioJsonWriter *w, const ArmCause *c) {
  static const char *const names[2][4] = {
      {"mass_star_A_s2_m", "moment_x_star_A_s2", "moment_y_star_A_s2", "moment_z_star_A_s2"},
      {"mass_kg", "moment_x_kg_m", "moment_y_kg_m", "moment_z_kg_m"}};
  for (size_t k = 0; k < 4; k++)
    aio_json_put_number(w, names[c->is_absolute][k], isfinite(c->sd[k]) ? c->value[k] : NAN);
  aio_json_put_number(w, c->is_absolute ? "mass_sd_kg" : "mass_star_sd_A_s2_m", c->sd[0]);
  if (isnan(c->time))
    aio_json_put_int(w, "hold", (gint64)c->hold + 1);
  else
    aio_json_put_number(w, "since_s", c->time);
}

static void put_values(AioJsonWriter *w, const ArmModel *model, const ArmCause *c) {
  const bool is_R = c->joint >= model->n || model->joints[c->joint].type == ARM_JOINT_R;
  const char *length = is_R ? "_deg" : "_m";
  const double scale = is_R ? degree : 1.0;
  if (c->code == ARM_CAUSE_BASE_TILT)
    put_tilt(w, c);
  if (c->code == ARM_CAUSE_JOINT_ZERO)
    put_with_sd(w, c, "zero", length, scale);
  if (c->code == ARM_CAUSE_GEAR_RATIO)
    put_with_sd(w, c, "true_over_recorded", "", 1.0);
  if (c->code == ARM_CAUSE_SWAPPED_JOINTS)
    aio_json_put_int(w, "other_joint", (gint64)c->other + 1);
  if (c->code == ARM_CAUSE_PAYLOAD_CHANGED)
    put_payload(w, c);
  if (c->code == ARM_CAUSE_ONE_SWEEP) {
    put_with_sd(w, c, "offset", "_A", 1.0);
    aio_json_put_int(w, "hold", (gint64)c->hold + 1);
    aio_json_put_number(w, is_R ? "speed_rad_s" : "speed_m_s", c->speed);
    aio_json_put_number(w, "t_s", c->time);
  }
  if (c->code == ARM_CAUSE_RIPPLE) {
    aio_json_put_number(w, "amplitude_A", hypot(c->value[0], c->value[1]));
    aio_json_put_number(w, "amplitude_sd_A", fmax(c->sd[0], c->sd[1]));
    aio_json_put_number(w, "phase_deg", degree * atan2(-c->value[1], c->value[0]));
    aio_json_put_int(w, "per_turn", (gint64)c->order);
  }
  if (c->code == ARM_CAUSE_CURRENT_GAIN) {
    put_with_sd(w, c, "gain", "", 1.0);
    aio_json_put_number(w, "since_s", c->time);
  }
  if (c->code == ARM_CAUSE_CURRENT_DELAY)
    put_with_sd(w, c, "delay", "_s", 1.0);
  if (c->code == ARM_CAUSE_BACKLASH)
    put_with_sd(w, c, "backlash", length, scale);
  if (c->code == ARM_CAUSE_LOAD_FRICTION)
    put_with_sd(w, c, "load", "", 1.0);
  if (c->code == ARM_CAUSE_FRICTION_CURVE)
    put_with_sd(w, c, "curve", "", 1.0);
  if (c->code == ARM_CAUSE_FRICTION_DRIFT) {
    put_with_sd(w, c, "drift", "", 1.0);
    aio_json_put_number(w, "time_s", c->time);
  }
}

static void put_joint(AioJsonWriter *w, size_t joint, size_t n) {
  aio_json_write_key(w, "joint");
  if (joint < n)
    aio_json_write_int(w, (gint64)joint + 1);
  else
    aio_json_write_null(w);
}

/* what the joint that misses most misses [A]; joint from 1, 0: nothing to tell */
static void put_effect(AioJsonWriter *w, size_t joint, double before, double after) {
  aio_json_write_key(w, "misfit_joint");
  if (joint > 0)
    aio_json_write_int(w, (gint64)joint);
  else
    aio_json_write_null(w);
  aio_json_put_number(w, "misfit_before_A", joint > 0 ? before : NAN);
  aio_json_put_number(w, "misfit_after_A", joint > 0 ? after : NAN);
}

static void put_doubt(AioJsonWriter *w, const ArmGravityFit *fit, const ArmDoubt *doubt) {
  const size_t n = fit->refined.n;
  char *message =
      aio_doubt_text(doubt, doubt->joint < n ? fit->refined.type[doubt->joint] : ARM_JOINT_R);
  aio_json_write_begin_object(w);
  aio_json_put_string(w, "code", aio_doubt_cause(doubt->kind));
  put_joint(w, doubt->joint, n);
  aio_json_write_key(w, "values");
  aio_json_write_begin_flat_object(w);
  aio_json_put_number(w, "found", doubt->found);
  aio_json_put_number(w, "expected", doubt->expected);
  aio_json_write_end_object(w);
  aio_json_put_number(w, "explained", NAN);
  aio_json_put_number(w, "rest", NAN);
  put_effect(w, 0, NAN, NAN);
  aio_json_write_key(w, "explains_it");
  aio_json_write_null(w);
  aio_json_put_string(w, "doubt", NULL);
  aio_json_write_key(w, "tied_with");
  aio_json_write_begin_array(w);
  aio_json_write_end_array(w);
  aio_json_put_string(w, "separate_by", NULL);
  aio_json_put_string(w, "message", message);
  aio_json_write_end_object(w);
  g_free(message);
}

/* before: causes that stand before the first of the diagnosis */
static void put_cause(AioJsonWriter *w, const ArmModel *model, const ArmDiagnosis *d, size_t k,
                      size_t before) {
  const ArmCause *c = &d->at[k];
  char *message = aio_cause_text(model, c), *separate = aio_cause_separate(d, k);
  aio_json_write_begin_object(w);
  aio_json_put_string(w, "code", arm_cause_key(c->code));
  put_joint(w, c->joint, model->n);
  aio_json_write_key(w, "values");
  aio_json_write_begin_flat_object(w);
  put_values(w, model, c);
  aio_json_write_end_object(w);
  aio_json_put_number(w, "explained", c->explained);
  aio_json_put_number(w, "rest", c->rest);
  put_effect(w, isnan(c->left) ? 0 : d->worst + 1, d->missed, c->left);
  aio_json_put_bool(w, "explains_it", c->explains_it);
  aio_json_put_string(w, "doubt", aio_cause_doubt(c));
  aio_json_write_key(w, "tied_with");
  aio_json_write_begin_array(w);
  for (size_t other = 0; other < d->count; other++)
    if (other != k && arm_causes_tied(c, &d->at[other]))
      aio_json_write_int(w, (gint64)(before + other));
  aio_json_write_end_array(w);
  aio_json_put_string(w, "separate_by", separate);
  aio_json_put_string(w, "message", message);
  aio_json_write_end_object(w);
  g_free(message);
  g_free(separate);
}

/* what the fit has beyond Coulomb and viscous friction: nobody needs to look for it any more */
static void put_terms(AioJsonWriter *w, const ArmJointFit *joint) {
  aio_json_write_key(w, "terms");
  aio_json_write_begin_array(w);
  for (int t = 0; t < ARM_TERMS; t++) {
    if (!joint->has_term[t])
      continue;
    aio_json_write_begin_flat_object(w);
    aio_json_put_string(w, "name", arm_term_key((ArmFrictionTerm)t));
    aio_json_put_number(w, "value", joint->term[t].value);
    aio_json_put_number(w, "sd", joint->term[t].sd);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
}

char *aio_diagnosis_format(const ArmModel *model, const ArmGravityFit *fit, const ArmDiagnosis *d,
                           gsize *length) {
  GString *text = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(text);
  size_t before = 0;
  aio_json_write_begin_object(w);
  aio_json_put_string(w, "format", "armature-diagnosis");
  aio_json_put_int(w, "version", 1);
  aio_json_put_string(w, "verdict", arm_verdict_key(fit->verdict.verdict));
  aio_json_write_key(w, "joints");
  aio_json_write_begin_array(w);
  for (size_t i = 0; i < fit->verdict.n; i++) {
    aio_json_write_begin_object(w);
    aio_json_put_int(w, "joint", (gint64)i + 1);
    aio_verdict_write_joint(w, &fit->verdict, i);
    put_terms(w, &fit->refined.joint[i]);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
  aio_json_write_key(w, "causes");
  aio_json_write_begin_array(w);
  for (size_t k = 0; k < fit->doubts.count; k++)
    if (aio_doubt_cause(fit->doubts.at[k].kind)) {
      put_doubt(w, fit, &fit->doubts.at[k]);
      before++;
    }
  for (size_t k = 0; k < d->count; k++)
    put_cause(w, model, d, k, before);
  aio_json_write_end_array(w);
  aio_json_write_end_object(w);
  aio_json_writer_free(w);
  *length = text->len;
  return g_string_free(text, FALSE);
}

/* ---- the arm file that a cause implies ---- */

static const char *change_joint(AioArm *arm, const ArmCause *c) {
  AioArmJoint *joint = &arm->joints[c->joint];
  ArmJoint *in_model = &arm->model.joints[c->joint];
  if (c->code == ARM_CAUSE_GEAR_RATIO) {
    bool has_ratio = in_model->n_motors > 0;
    for (size_t m = 0; m < in_model->n_motors; m++)
      has_ratio = has_ratio && !isnan(in_model->motors[m].gear_ratio);
    for (size_t m = 0; m < in_model->n_motors && has_ratio; m++)
      in_model->motors[m].gear_ratio /= c->value[0];
    return has_ratio ? NULL : "the arm file states no gear ratio of this joint";
  }
  if (joint->has_placement)
    return "the arm file gives this joint a placement, whose angles belong to whoever wrote it";
  if (c->code == ARM_CAUSE_DH_SIGN)
    joint->beta = -joint->beta;
  else if (in_model->type == ARM_JOINT_R)
    joint->theta += c->value[0];
  else
    joint->d += c->value[0];
  return NULL;
}

static const char *change(AioArm *arm, const ArmCause *c) {
  switch (c->code) {
  case ARM_CAUSE_BASE_TILT:
    memcpy(arm->model.gravity_m_s2, c->gravity, sizeof arm->model.gravity_m_s2);
    return NULL;
  case ARM_CAUSE_JOINT_ZERO:
  case ARM_CAUSE_GEAR_RATIO:
  case ARM_CAUSE_DH_SIGN:
    return change_joint(arm, c);
  case ARM_CAUSE_JOINT_DIRECTION:
    return "the recording counts this joint the other way round: turn its sign where positions and "
           "speeds come from";
  case ARM_CAUSE_SWAPPED_JOINTS:
    return "the columns of the recording are swapped, not the arm";
  case ARM_CAUSE_PAYLOAD_CHANGED:
  case ARM_CAUSE_ONE_SWEEP:
  case ARM_CAUSE_CURRENT_GAIN:
    return "it happened while recording: repeat those sweeps";
  case ARM_CAUSE_RIPPLE:
  case ARM_CAUSE_CURRENT_DELAY:
  case ARM_CAUSE_BACKLASH:
  case ARM_CAUSE_LOAD_FRICTION:
  case ARM_CAUSE_FRICTION_CURVE:
  case ARM_CAUSE_FRICTION_DRIFT:
  case ARM_CAUSES:
    break;
  }
  return "an arm file does not describe it";
}

bool aio_diagnosis_correct(AioArm *arm, const ArmCause *cause, char **reason) {
  const char *why = change(arm, cause);
  if (why)
    *reason = g_strdup(why);
  return !why;
}
