/* SPDX-License-Identifier: MIT */
/* What follows from an identification: bodies for its links, what the recordings do not show, and
 * all of that in sentences; how well others are predicted: identify_validate.c. What the structure
 * of the arm forbids is no fault of a recording; what noise hides is a warning. */
#include <math.h>
#include <string.h>

#include "cli/identify.h"
#include "cli/text.h"
#include "core/dynamics/outcome.h"
#include "io/arm/excitation_text.h"

static const double differs = 3;      /* times a recording's own best: it is of something else */
static const double least_part = 0.1; /* of its current */
static const double least_rows = 4;   /* times the parameters that are its own */
static const double poor_condition =
    30; /* of columns of unit length: a judgement. UR10e 6, KUKA 65 */

static void warn(CliIdentified *r, const char *code, size_t joint, char *message) {
  cli_identify_warn(r, code, joint, message);
}

static void fault(CliIdentified *r, const char *code, size_t joint, char *message) {
  cli_identify_fault(r, code, joint, message);
}

/* ---- links ---- */

static bool has_scale(const ArmDynamicsFit *fit) {
  for (size_t g = 0; g < fit->n_groups; g++)
    if (fit->scale[g] == ARM_SCALE_NONE)
      return false;
  return true;
}

void cli_identify_complete(CliIdentified *r) {
  r->completed = ARM_E_NO_DATA;
  if (!r->fit->has_converged || !has_scale(r->fit))
    return;
  r->links = g_new0(ArmConsistent, 1);
  r->completed = arm_dynamics_complete(r->fit, r->information, &r->setup->arm->model,
                                       r->setup->base, NULL, r->links, r->rotors);
  if (r->completed == ARM_OK)
    arm_dynamics_take_rotors(r->fit, r->rotors);
  else
    g_clear_pointer(&r->links, g_free);
}

static void take_links(CliIdentified *r) {
  enum { P = ARM_INERTIA_PARAMETERS };
  const ArmConsistent *found = r->links;
  r->out->has_links = true;
  r->out->completion = found->method;
  r->out->completion_reason = found->reason;
  for (size_t i = 0; i < r->fit->n; i++) {
    AioDynamicsLink *link = &r->out->link[i];
    if (arm_inertia_to_link(found->pi + P * i, &link->link) != ARM_OK)
      r->out->has_links = false; /* no mass: no body, which a completion never gives */
    link->is_consistent = arm_inertia_check(found->pi + P * i).flaw == ARM_INERTIA_CONSISTENT;
    link->fate = found->links[i].fate;
    memcpy(link->sd, found->sd + P * i, sizeof link->sd);
    memcpy(link->prior_sd, found->prior_sd + P * i, sizeof link->prior_sd);
    link->rotor = r->rotors[i];
  }
}

static void tell_links(CliIdentified *r) {
  if (!has_scale(r->fit)) {
    warn(r, "links_without_scale", 0,
         g_strdup("no torque constant is stated of joints that masses would follow from: links "
                  "have no masses; state one in the arm file, or measure a torque"));
    return;
  }
  if (r->completed == ARM_OK)
    take_links(r);
  else
    warn(r, "links_not_completed", 0,
         g_strdup_printf("no bodies were found for the links (%s): predictions use the base "
                         "parameters",
                         arm_status_text(r->completed)));
}

/* ---- what is weakest ---- */

/* What the arm file does not state: nothing wild. */
static void fill_limits(ArmModel *model) {
  for (size_t j = 0; j < model->n; j++) {
    ArmLimits *limits = &model->joints[j].limits;
    const bool is_R = model->joints[j].type == ARM_JOINT_R;
    if (!isfinite(limits->q_min))
      limits->q_min = is_R ? -G_PI : -0.5;
    if (!isfinite(limits->q_max))
      limits->q_max = is_R ? G_PI : 0.5;
    if (!isfinite(limits->speed_max))
      limits->speed_max = is_R ? 1.5 : 0.5;
    if (!isfinite(limits->accel_max))
      limits->accel_max = is_R ? 5 : 2;
  }
}

static void find_noise(const CliIdentified *r, double *noise) {
  double known = 1;
  for (size_t j = 0; j < r->fit->n; j++) {
    const ArmDynamicsJointFit *joint = &r->fit->joint[j];
    noise[j] = joint->statistics.residual_sd / fabs(joint->eta.used);
    known = noise[j] > 0 && isfinite(noise[j]) ? noise[j] : known;
  }
  for (size_t j = 0; j < r->fit->n; j++)
    if (!(noise[j] > 0 && isfinite(noise[j])))
      noise[j] = known;
}

static ArmStatus excitation_of(const CliIdentified *r, ArmMotionLimits *limits,
                               ArmExcitation **found) {
  const size_t ld = r->fit->n * r->fit->count;
  g_autofree ArmModel *model = g_new(ArmModel, 1);
  g_autofree double *shown = g_new(double, ld * r->fit->count);
  double noise[ARM_MAX_JOINTS];
  size_t rows;
  *model = r->setup->arm->model;
  fill_limits(model);
  find_noise(r, noise);
  ArmStatus status = arm_motion_limits(model, limits, NULL, NULL);
  if (status == ARM_OK)
    status = arm_dynamics_shown(r->fit, r->information, shown, ld, &rows);
  if (status == ARM_OK)
    status = arm_excitation_of_rows(r->setup->base, model, limits, MAX(rows, 1), ld, shown, noise,
                                    found);
  /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): it does not know g_autofree */
  return status;
}

/* Of the parameter that a direction is mostly about. */
static char *words_of(const ArmBase *base, const ArmWeakDirection *direction) {
  static const char *const texts[ARM_INERTIA_PARAMETERS] = {
      "the mass of link %d",
      "the centre of mass of link %d along x",
      "the centre of mass of link %d along y",
      "the centre of mass of link %d along z",
      "the inertia of link %d about x",
      "the product of inertia of link %d of x and y",
      "the inertia of link %d about y",
      "the product of inertia of link %d of x and z",
      "the product of inertia of link %d of y and z",
      "the inertia of link %d about z"};
  gsize lead = 0;
  for (gsize b = 0; b < base->count; b++)
    if (fabs(direction->step[b]) > fabs(direction->step[lead]))
      lead = b;
  const ArmBaseColumn *column = &base->column[base->kept[lead]];
  GString *text = g_string_new(texts[column->parameter]);
  g_autofree char *link = g_strdup_printf("%d", (int)column->joint + 1);
  g_string_replace(text, "%d", link, 1);
  return g_string_free(text, FALSE);
}

static void find_weakest(CliIdentified *r) {
  g_autoptr(ArmExcitation) found = NULL;
  ArmMotionLimits limits;
  if (excitation_of(r, &limits, &found) != ARM_OK)
    return; /* nothing to say: numbers do not hang on it */
  for (gsize d = 0; d < found->n_weakest; d++) {
    const ArmWeakDirection *weak = &found->weakest[d];
    g_autofree char *words = words_of(r->setup->base, weak);
    g_autofree char *sum = aio_excitation_direction(r->setup->base, found, d);
    g_autofree char *direction =
        g_strdup_printf("%s (%s)%s", words, sum, isinf(weak->sd) ? ": not at all" : "");
    g_autofree char *motion = aio_excitation_motion(&r->setup->arm->model, &limits, weak);
    aio_dynamics_add_weakest(r->out, direction, motion);
  }
  if (found->cond_scaled > poor_condition && isfinite(found->cond_scaled)) {
    g_autofree char *condition = cli_format_number(found->cond_scaled, 3);
    warn(r, "excitation", 0,
         g_strdup_printf("the motion tells parameters apart badly (condition %s with columns of "
                         "unit length, %g and less is good): other motions will not be predicted "
                         "as well as this one; `excite` designs better ones",
                         condition, poor_condition));
  }
}

/* ---- what the recordings lack ---- */

static bool is_of_data(ArmReason reason) {
  return reason == ARM_REASON_ONE_DIRECTION || reason == ARM_REASON_ONE_SPEED ||
         reason == ARM_REASON_NO_ACCELERATION || reason == ARM_REASON_MOTION_TOO_SIMPLE ||
         reason == ARM_REASON_TOO_FEW_ROWS || reason == ARM_REASON_NOT_CONVERGED;
}

static bool is_scale(ArmParamKind kind) {
  return kind == ARM_PARAM_ETA || kind == ARM_PARAM_ETA_TO_FIRST;
}

/* "coulomb_pos_A_3, mXR2"; NULL: none. Joints without rows are told apart. g_free it. */
static char *list_refused(const CliIdentified *r, ArmReason reason, bool wants_scales) {
  const ArmParamSet *set = &r->out->found;
  g_autoptr(GString) list = g_string_new(NULL);
  for (size_t k = 0; k < set->n; k++) {
    const ArmParam *param = &set->param[k];
    const bool is_own = param->id.kind != ARM_PARAM_BASE;
    if (set->estimate[k].identifiable || set->estimate[k].reason != reason ||
        is_scale(param->id.kind) != wants_scales ||
        (is_own && set->joint[param->id.i].rows_used == 0))
      continue;
    g_autofree char *name = aio_param_name(set, k);
    g_string_append_printf(list, "%s%s", list->len ? ", " : "", name);
  }
  return list->len > 0 ? g_strdup(list->str) : NULL;
}

static void warn_refused(CliIdentified *r) {
  for (int reason = 1; reason < ARM_REASONS; reason++) {
    if (reason == ARM_REASON_REGROUPED)
      continue; /* the arm's structure */
    g_autofree char *own = list_refused(r, (ArmReason)reason, false);
    g_autofree char *scales = list_refused(r, (ArmReason)reason, true);
    const char *text = arm_reason_text((ArmReason)reason);
    if (own && is_of_data((ArmReason)reason))
      fault(r, "not_identifiable", 0, g_strdup_printf("%s not identifiable: %s", own, text));
    else if (own)
      warn(r, "not_identifiable", 0, g_strdup_printf("%s not identifiable: %s", own, text));
    if (scales)
      warn(r, "scale", 0, g_strdup_printf("%s not identifiable: %s", scales, text));
  }
}

/* One joint at a time: inertial coupling is never seen. */
static void warn_sweeps(CliIdentified *r) {
  bool is_together = false;
  for (guint k = 0; k < r->recordings->len; k++) {
    const CliMoving *moving = g_ptr_array_index(r->recordings, k);
    is_together = is_together || cli_moving_is_together(&moving->survey);
  }
  if (is_together || r->fit->n == 1 || r->setup->stream.is_sequential)
    return;
  warn(r, "sweeps_only", 0,
       g_strdup("in all rows one joint moves alone: currents of joints that move together tell "
                "ratios of torque constants by their inertia, and inertias of links that turn "
                "about several axes; what stays unknown is listed as not identifiable. Record all "
                "joints at once (joint = 0)"));
}

static void warn_fit(CliIdentified *r) {
  for (size_t j = 0; j < r->fit->n; j++) {
    const ArmJointStatistics *statistics = &r->fit->joint[j].statistics;
    ArmDynamicsResidual own;
    if (statistics->rows_used == 0 || !(statistics->r2 < r->setup->limits.r2) ||
        arm_dynamics_residual(r->fit, r->information, j, &own) != ARM_OK ||
        cli_identify_is_silent(r, r->information, own.rms))
      continue;
    g_autofree char *share = cli_format_number(100 * fmax(statistics->r2, 0), 3);
    const bool is_noise = cli_identify_is_noise(r, j);
    g_autofree char *cause = is_noise ? g_strdup("the rest is noise, which hides whether it fits. "
                                                 "Measure with less noise, or move more")
                                      : cli_identify_cause(r, j);
    warn(r, "fit_r2", j + 1,
         g_strdup_printf("joint %zu: the model explains %s %% of the variance of its %s in the "
                         "recordings it was fitted to: %s",
                         j + 1, share, r->out->found.is_torque[j] ? "torque" : "current",
                         cause ? cause
                               : "is its column that of another joint, or a direction reversed?"));
  }
}

/* What hangs on numbers of which there are none is not computed. */
static void warn_not_converged(CliIdentified *r) {
  fault(r, "not_converged", 0,
        g_strdup_printf("the search did not converge in %zu steps: nothing of this arm is known. "
                        "Look for columns of other joints, other units and encoders that are "
                        "stuck, or record a richer motion",
                        r->fit->iterations));
}

/* Of several recordings one that the common parameters miss, and its own would not. */
static int find_strangers(CliIdentified *r) {
  for (guint k = 0; k < r->recordings->len && r->recordings->len > 1; k++) {
    const CliMoving *moving = g_ptr_array_index(r->recordings, k);
    for (size_t j = 0; j < r->fit->n; j++) {
      ArmDynamicsResidual own;
      const ArmStatus status = arm_dynamics_residual(r->fit, moving->information, j, &own);
      if (status != ARM_OK)
        return cli_fail_status(status, moving->path);
      const double width = (double)arm_information_width(moving->information, j);
      if (!((double)own.rows > least_rows * width && own.rms_error > differs * own.best &&
            own.rms_error > least_part * own.rms))
        continue;
      g_autofree char *name = g_path_get_basename(moving->path);
      g_autofree char *size = cli_format_number(own.rms_error, 3);
      g_autofree char *best = cli_format_number(own.best, 3);
      fault(r, "recordings_differ", j + 1,
            g_strdup_printf("joint %zu: %s is missed by %s %s rms with what was found in all "
                            "recordings, by %s with parameters of its own: is it of another arm, "
                            "with another payload, or has columns in another order?",
                            j + 1, name, size, arm_param_set_effort_unit(&r->out->found, j), best));
    }
  }
  return CLI_OK;
}

/* ---- all ---- */

static void find_gauge(CliIdentified *r) {
  const ArmDynamicsFit *fit = r->fit;
  bool has[ARM_SCALE_NONE + 1] = {false};
  for (size_t g = 0; g < fit->n_groups; g++)
    has[fit->scale[g]] = true;
  const bool is_reference = has[ARM_SCALE_NONE] || has[ARM_SCALE_REFERENCE];
  r->out->gauge = is_reference               ? AIO_GAUGE_REFERENCE
                  : has[ARM_SCALE_DATASHEET] ? AIO_GAUGE_DATASHEET
                                             : AIO_GAUGE_TORQUE;
  for (size_t j = fit->n; j-- > 0 && is_reference;)
    if (fit->scale[fit->group[j]] >= ARM_SCALE_REFERENCE)
      r->out->gauge_joint = (int)j;
}

static void take_samples(CliIdentified *r) {
  for (guint k = 0; k < r->recordings->len; k++) {
    const CliMoving *moving = g_ptr_array_index(r->recordings, k);
    for (size_t j = 0; j < r->fit->n; j++)
      for (int use = 0; use < ARM_DYN_USES; use++)
        r->out->samples[j][use] += moving->counts.samples[j][use];
  }
}

/* Of torques whose rotors base parameters would hold. */
static void warn_place(CliIdentified *r) {
  bool is_open[ARM_MAX_JOINTS] = {false};
  for (size_t j = 0; j < r->fit->n; j++)
    is_open[j] = r->fit->joint[j].known.is_torque && !r->fit->joint[j].known.has[ARM_DYN_ROTOR];
  g_autofree char *joints = cli_list_joints(is_open, r->fit->n);
  if (joints && r->place == ARM_PLACE_NOT_TOLD && r->fit->has_converged)
    warn(r, "torque_place", 0,
         g_strdup_printf("joint %s: nothing tells whether torques were measured at the motors or "
                         "beyond gear and rotor, for which they are taken: if they hold rotors, "
                         "inertias and masses of links hold them, too",
                         joints));
}

int cli_identify_judge(CliIdentified *r) {
  find_gauge(r);
  take_samples(r);
  cli_identify_warn_recorded(r);
  warn_refused(r);
  warn_sweeps(r);
  cli_identify_warn_coarse(r);
  cli_identify_warn_steps(r);
  warn_place(r);
  if (r->fit->has_converged) {
    warn_fit(r);
    tell_links(r);
    find_weakest(r);
  } else {
    warn_not_converged(r);
  }
  int code = cli_moving_sample_sds(r->recordings, r->fit, r->out->sample_sd);
  if (code == CLI_OK)
    code = find_strangers(r);
  if (code == CLI_OK)
    code = cli_identify_warn_friction(r);
  if (code == CLI_OK)
    cli_identify_validate(r);
  return code;
}
