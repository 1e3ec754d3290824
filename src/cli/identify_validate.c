/* SPDX-License-Identifier: MIT */
/* Recordings that were not fitted: how far the model is off, against what it promises and against
 * limits of size; friction that cannot be. */
#include <math.h>

#include "cli/identify.h"
#include "cli/text.h"
#include "core/sweeps/plausible.h"

static const double silent = 1e-9; /* of the largest rms of a joint */
/* Of the rms current: more than this, beyond chance and twice what is promised, is no fit. Half of
 * the limit that holds whatever was promised. Arms that drive well with such a model are off by
 * their gears' friction, promised or not: a UR10e by 1.2 to 4.4 %. */
static const double most_unpromised = 0.05;
static const double promised_times = 2; /* as of sweeps, core/sweeps/validate.h */
static const double noise_times = 1.5;  /* what is promised: more is missed, dynamics/promise.h */
static const double white_sds = 4;      /* of the correlation of rows beside each other */
/* Of the rms effort: friction below that is none, and what is left of it, for example where torques
 * of links alone were recorded, may have any sign. */
static const double least_friction = 0.005;
/* Of Coulomb friction: what both ways have in common, beyond so many sds. Drives differ by their
 * direction, too, by less as a rule. */
static const double most_common = 0.2, common_sds = 5;

void cli_identify_warn(CliIdentified *r, const char *code, size_t joint, char *message) {
  aio_dynamics_warn(r->out, code, joint, message);
  g_free(message);
}

void cli_identify_fault(CliIdentified *r, const char *code, size_t joint, char *message) {
  cli_identify_warn(r, code, joint, message);
  r->is_bad = true;
}

static const char *unit_of(const CliIdentified *r, size_t j) {
  return arm_param_set_effort_unit(&r->out->found, j);
}

bool cli_identify_is_silent(const CliIdentified *r, ArmInformation *of, double rms) {
  double most = 0;
  for (size_t j = 0; j < r->fit->n; j++) {
    ArmDynamicsResidual own;
    if (arm_dynamics_residual(r->fit, of, j, &own) == ARM_OK && own.rows > 0)
      most = fmax(most, own.rms);
  }
  return !(rms > silent * most);
}

/* ---- against what is promised ---- */

static ArmStatus white_in(const CliIdentified *r, const CliMoving *moving, ArmFirWhite *white) {
  const ArmDynStreamOptions options = cli_moving_options(r->setup, moving);
  return arm_dyn_stream_white(&options, white);
}

ArmDynamicsOptions cli_identify_how(const CliIdentified *r, ArmDynamicsWay way) {
  ArmDynamicsOptions how = arm_dynamics_defaults;
  ArmFirWhite white;
  how.way = way;
  if (white_in(r, g_ptr_array_index(r->recordings, 0), &white) == ARM_OK)
    how.white_growth = white.growth;
  return how;
}

bool cli_identify_is_noise(const CliIdentified *r, size_t j) {
  const ArmJointStatistics *rows = &r->fit->joint[j].statistics;
  ArmFirWhite white;
  return rows->rows_used > 0 &&
         white_in(r, g_ptr_array_index(r->recordings, 0), &white) == ARM_OK &&
         rows->lag1 < white.lag1 + white_sds / sqrt((double)rows->rows_used);
}

/* A model that is wrong, and fitted to as much, leaves errors that last: little of them is noise,
 * and little is promised. */
static char *noise_in(const CliIdentified *r, size_t j, const ArmDynHeldOut *found) {
  if (!r->fit->has_converged || !cli_identify_is_noise(r, j) ||
      !(found->of.rms_error <= noise_times * found->promised))
    return NULL;
  g_autofree char *promised = cli_format_number(found->promised, 3);
  return g_strdup_printf("noise promises %s %s: it hides whether the model fits. Measure with less "
                         "noise, or give motions that take more %s",
                         promised, unit_of(r, j),
                         r->out->found.is_torque[j] ? "torque" : "current");
}

static ArmStatus compare(CliIdentified *r, const ArmDynPromise *promise, guint k) {
  const CliMoving *moving = g_ptr_array_index(r->held_out, k);
  ArmFirWhite white;
  ArmStatus status = white_in(r, moving, &white);
  if (status == ARM_OK)
    status = arm_dyn_promise_compare(promise, r->fit, moving->information, &white,
                                     &r->promised[k * r->fit->n]);
  return status;
}

/* By the recording that is off by most. */
static void find_factors(CliIdentified *r) {
  for (size_t j = 0; j < r->fit->n; j++)
    r->widened[j] = 1;
  for (guint k = 0; k < r->held_out->len; k++)
    for (size_t j = 0; j < r->fit->n; j++) {
      const CliMoving *moving = g_ptr_array_index(r->held_out, k);
      const ArmDynHeldOut *found = &r->promised[k * r->fit->n + j];
      if (found->is_missed && !cli_identify_is_silent(r, moving->information, found->of.rms))
        r->widened[j] = fmax(r->widened[j], found->of.rms_error / found->promised);
    }
}

int cli_identify_promise(CliIdentified *r) {
  g_autoptr(ArmDynPromise) promise = NULL;
  ArmFirWhite white;
  ArmStatus status = white_in(r, g_ptr_array_index(r->recordings, 0), &white);
  if (status == ARM_OK)
    status = arm_dyn_promise_new(r->fit, r->information, &white, &promise);
  for (guint k = 0; k < r->held_out->len && status == ARM_OK; k++)
    status = compare(r, promise, k);
  if (status == ARM_OK) {
    find_factors(r);
    status = arm_dynamics_widen(r->fit, r->information, r->widened);
  }
  return status == ARM_OK ? CLI_OK : cli_fail_status(status, "validation");
}

/* ---- verdicts ---- */

static void tell_widened(CliIdentified *r, const char *name, size_t j, const ArmDynHeldOut *found) {
  if (!(found->of.rms_error / found->promised >= r->widened[j]) || r->widened[j] <= 1)
    return; /* kept, or by less than by another recording */
  g_autofree char *size = cli_format_number(found->of.rms_error, 3);
  g_autofree char *promised = cli_format_number(found->promised, 3);
  g_autofree char *times = cli_format_number(r->widened[j], 3);
  cli_identify_warn(r, "unpromised", j + 1,
                    g_strdup_printf("joint %zu: the model misses another motion, %s, by %s %s rms "
                                    "where noise and sds promise %s %s: sds are widened %s times; "
                                    "something is not in the model (base tilt, joint zero, spring, "
                                    "friction)",
                                    j + 1, name, size, unit_of(r, j), promised, unit_of(r, j),
                                    times));
}

static bool is_beyond(const ArmVerdictLimits *limits, const ArmDynHeldOut *found, double *limit) {
  const double error = found->of.rms_error, part = error / found->of.rms;
  *limit = limits->validation_relative;
  if (part > *limit || found->of.r2 < limits->r2)
    return true;
  *limit = fmin(*limit, most_unpromised);
  return found->is_missed && error > promised_times * found->promised && part > *limit;
}

static ArmVerdictKind judge_joint(CliIdentified *r, const CliMoving *moving, const char *name,
                                  size_t j, const ArmDynHeldOut *found) {
  double limit_part;
  if (found->of.rows == 0)
    return ARM_VERDICT_UNKNOWN;
  if (cli_identify_is_silent(r, moving->information, found->of.rms))
    return cli_identify_is_silent(r, moving->information, found->of.rms_error) ? ARM_VERDICT_FITS
                                                                               : ARM_VERDICT_MISFIT;
  tell_widened(r, name, j, found);
  if (!is_beyond(&r->setup->limits, found, &limit_part))
    return ARM_VERDICT_FITS;
  g_autofree char *size = cli_format_number(found->of.rms_error, 3);
  g_autofree char *share = cli_format_number(100 * found->of.rms_error / found->of.rms, 3);
  g_autofree char *limit = cli_format_number(100 * limit_part, 3);
  g_autofree char *r2 = cli_format_number(found->of.r2, 3);
  g_autofree char *noise = noise_in(r, j, found);
  g_autofree char *cause = noise ? g_steal_pointer(&noise) : cli_identify_cause(r, j);
  cli_identify_fault(
      r, "validation", j + 1,
      g_strdup_printf("joint %zu: %s is missed by %s %s rms, %s %% of what was measured (limit "
                      "%s %%), R2 %s: %s",
                      j + 1, name, size, unit_of(r, j), share, limit, r2,
                      cause ? cause
                            : "more friction than the model knows, a column or a direction "
                              "swapped, a payload, or another arm"));
  return ARM_VERDICT_MISFIT;
}

static void validate_one(CliIdentified *r, guint k) {
  const CliMoving *moving = g_ptr_array_index(r->held_out, k);
  g_autofree char *name = g_path_get_basename(moving->path);
  AioHeldOut *held_out = aio_dynamics_add_held_out(r->out, name);
  for (size_t j = 0; j < r->fit->n; j++) {
    const ArmDynHeldOut *found = &r->promised[k * r->fit->n + j];
    held_out->joint[j] = (AioJointHeldOut){.rows = found->of.rows,
                                           .rms_error = found->of.rms_error,
                                           .rms = found->of.rms,
                                           .r2 = found->of.r2,
                                           .promised = found->promised};
    r->out->p[j] = fmin(r->out->p[j], found->p); /* NAN: the other one */
    const ArmVerdictKind verdict = judge_joint(r, moving, name, j, found);
    ArmVerdictKind *own = &r->out->joint_verdict[j];
    *own = verdict == ARM_VERDICT_MISFIT || *own == ARM_VERDICT_UNKNOWN ? verdict : *own;
  }
}

static void warn_of_unknown(CliIdentified *r) {
  for (size_t j = 0; j < r->fit->n && r->held_out->len > 0; j++)
    if (r->out->joint_verdict[j] == ARM_VERDICT_UNKNOWN)
      cli_identify_warn(r, "verdict_unknown", j + 1,
                        g_strdup_printf("joint %zu: no recording of --validate moves it", j + 1));
  if (r->held_out->len == 0)
    cli_identify_warn(r, "verdict_unknown", 0,
                      g_strdup("whether the model fits is not known: give a recording of another "
                               "motion with --validate"));
}

void cli_identify_validate(CliIdentified *r) {
  for (guint k = 0; k < r->held_out->len; k++)
    validate_one(r, k);
  warn_of_unknown(r);
  aio_dynamics_judge(r->out, r->fit->n, r->fit->has_converged);
}

/* ---- friction ---- */

static void tell_helps(CliIdentified *r, size_t j, double forth, double back) {
  const bool is_forward = r->fit->joint[j].sign * forth < 0;
  g_autofree char *size = cli_format_number(is_forward ? forth : back, 3);
  cli_identify_fault(
      r, arm_doubt_key(ARM_DOUBT_UNSIGNED), j + 1,
      g_strdup_printf("joint %zu: friction helps the motion %s (%s %s): a spring, an unsigned "
                      "%s or an offset is not in the model",
                      j + 1, is_forward ? "forward" : "back", size, unit_of(r, j),
                      r->out->found.is_torque[j] ? "torque" : "current"));
  r->out->joint_verdict[j] = ARM_VERDICT_MISFIT;
}

/* Of a joint whose torque constant currents tell nothing of, friction alone may show it. */
static void tell_reversed(CliIdentified *r, size_t j, const ArmPlausibleFriction *friction) {
  const bool is_torque = r->fit->joint[j].known.is_torque;
  g_autofree char *size = cli_format_number(0.5 * fabs(friction->forth - friction->back), 3);
  cli_identify_fault(
      r, "friction_sign", j + 1,
      g_strdup_printf("joint %zu: friction (%s %s) helps the motion%s: is the joint's direction, "
                      "or the %s's, reversed?",
                      j + 1, size, unit_of(r, j),
                      is_torque ? "" : ", by motor_sign of the arm file",
                      is_torque ? "torque" : "current"));
  r->out->joint_verdict[j] = ARM_VERDICT_MISFIT;
}

/* +1, -1; 0: not stated. */
static int stated_sign(const ArmDynamicsJoint *known) {
  return known->is_torque ? 1 : isnan(known->eta) ? 0 : known->eta < 0 ? -1 : 1;
}

/* Data gainsay a sign beyond five sds however little they tell of the size; where friction sides
 * with the arm file, it may be the model that is wrong. */
static void warn_sign(CliIdentified *r, size_t j, bool is_confirmed) {
  const ArmDynamicsJointFit *joint = &r->fit->joint[j];
  if (!joint->is_sign_stated_otherwise || !r->fit->has_converged)
    return;
  if (joint->eta.identifiable || !is_confirmed)
    cli_identify_fault(
        r, "sign", j + 1,
        g_strdup_printf("joint %zu: its current has the other sign than motor_sign of the arm "
                        "file says: is the joint's direction, or the current's, reversed?",
                        j + 1));
  else
    cli_identify_warn(
        r, "sign", j + 1,
        g_strdup_printf("joint %zu: links are fitted best with the other sign of its torque "
                        "constant than motor_sign of the arm file and its friction have: something "
                        "is not in the model, and predictions of this joint are not to be trusted",
                        j + 1));
}

/* What both ways have in common, without what a rotor weighs in it. */
static double common_of(const ArmDynamicsFit *fit, size_t j, double *sd) {
  const size_t u = fit->unknowns, forth = arm_dynamics_place(fit, j, ARM_DYN_COULOMB_POS),
               back = arm_dynamics_place(fit, j, ARM_DYN_COULOMB_NEG);
  const ArmEstimate *local = fit->joint[j].local;
  const double *c = fit->covariance;
  double spread;
  const double weight = arm_dynamics_rotor_weight(fit, j, &spread);
  *sd = hypot(
      0.5 * sqrt(fmax(c[forth + forth * u] + c[back + back * u] + 2 * c[forth + back * u], 0)),
      spread);
  return 0.5 * (local[ARM_DYN_COULOMB_POS].used + local[ARM_DYN_COULOMB_NEG].used) - weight;
}

/* A base that leans is hardly seen otherwise at a joint whose axis stands. */
static void warn_common(CliIdentified *r, size_t j) {
  const ArmEstimate *local = r->fit->joint[j].local;
  const ArmEstimate *forth = &local[ARM_DYN_COULOMB_POS], *back = &local[ARM_DYN_COULOMB_NEG];
  double sd;
  const double common = common_of(r->fit, j, &sd), size = 0.5 * fabs(forth->used - back->used);
  if (!forth->identifiable || !back->identifiable || !(fabs(common) > common_sds * sd) ||
      !(fabs(common) > most_common * size))
    return;
  g_autofree char *value = cli_format_number(common, 3);
  g_autofree char *error = cli_format_number(sd, 2);
  g_autofree char *part = cli_format_number(100 * fabs(common) / size, 3);
  cli_identify_warn(
      r, "friction_offset", j + 1,
      g_strdup_printf(
          "joint %zu: Coulomb friction of both ways has %s %s %s in common, %s %% of it: "
          "it differs by direction, or holds what pulls one way: a base that leans, a "
          "spring, a cable, an offset of the %s",
          j + 1, value, cli_utf8("±", "+-"), error, part,
          r->out->found.is_torque[j] ? "torque" : "current"));
}

static void judge_friction(CliIdentified *r, size_t j, const ArmPlausibleFriction *friction) {
  const ArmDynamicsJointFit *joint = &r->fit->joint[j];
  const int sign = stated_sign(&joint->known);
  if (arm_plausible_is_one_sided(friction))
    tell_helps(r, j, friction->forth, friction->back);
  else if (!joint->is_sign_stated_otherwise && arm_plausible_is_reversed(friction, sign))
    tell_reversed(r, j, friction);
  warn_sign(r, j, arm_plausible_is_reversed(friction, -sign));
}

int cli_identify_warn_friction(CliIdentified *r) {
  for (size_t j = 0; j < r->fit->n; j++) {
    ArmDynamicsResidual own;
    ArmPlausibleFriction friction = {.is_torque = r->fit->joint[j].known.is_torque};
    bool is_known;
    ArmStatus status = arm_dynamics_friction(r->fit, r->information, j, &is_known, &friction.forth,
                                             &friction.forth_sd, &friction.back, &friction.back_sd);
    if (status == ARM_OK)
      status = arm_dynamics_residual(r->fit, r->information, j, &own);
    if (status != ARM_OK)
      return cli_fail_status(status, "friction");
    const double least = fmin(fabs(friction.forth), fabs(friction.back));
    if (fmax(fabs(friction.forth), fabs(friction.back)) > least_friction * own.rms)
      warn_common(r, j);
    if (is_known && least > least_friction * own.rms)
      judge_friction(r, j, &friction);
    else
      warn_sign(r, j, false);
  }
  return CLI_OK;
}
