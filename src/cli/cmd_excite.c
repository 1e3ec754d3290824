/* SPDX-License-Identifier: MIT */
/* `excite`: what a motion tells of the base parameters, before it is made. */
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/excite_report.h"
#include "io/arm/excitation_text.h"

typedef struct {
  const char *arm, *check, *params, *columns;
  bool json;
} Args;

static const CliOption options[] = {
    {"arm", CLI_TEXT, true, offsetof(Args, arm), "ARM.arm.json",
     "Arm file: geometry, gravity, and limits of position, speed and acceleration of every joint."},
    {"check", CLI_TEXT, true, offsetof(Args, check), "MOTION.csv",
     "The motion: t_s,q1_rad,..,qd1_rad_s,..,qdd1_rad_s2,.. (T: q3_m, qd3_m_s, qdd3_m_s2). What is "
     "missing of speeds and accelerations is differences of the positions as given."},
    {"params", CLI_TEXT, false, offsetof(Args, params), "P.json",
     "Parameters of an earlier fit: the noise is what it left over, times the torque constants of "
     "the arm file. Default: 1 N m (T joints 1 N) at every joint."},
    {"columns", CLI_TEXT, false, offsetof(Args, columns), "base|full",
     "base: the links. full: also friction and rotors of the motors. Default base."},
    {"json", CLI_FLAG, false, offsetof(Args, json), NULL, "JSON instead of a table."},
};

typedef struct {
  const Args *args;
  AioArm *arm;
  ArmMotionLimits limits;
  unsigned with;
  double noise[ARM_MAX_JOINTS];
  bool is_assumed[ARM_MAX_JOINTS];
} Excite;

/* ---- the arm ---- */

static int find_limits(Excite *e) {
  static const char *const keys[2][ARM_MOTION_QUANTITIES] = {
      {"q_rad", "speed_rad_s", "accel_rad_s2"}, {"q_m", "speed_m_s", "accel_m_s2"}};
  const ArmModel *model = &e->arm->model;
  ArmMotionQuantity quantity = ARM_MOTION_POSITION;
  size_t joint = 0;
  const ArmStatus status = arm_motion_limits(model, &e->limits, &joint, &quantity);
  if (status == ARM_OK)
    return CLI_OK;
  if (status != ARM_E_NO_DATA)
    return cli_fail_status(status, e->args->arm);
  const ArmJointType type = model->joints[joint].type;
  cli_error("%s: joint %d: limits.%s%s: expected a limit of the %s, found none; without it nobody "
            "can say whether the arm can make a motion",
            e->args->arm, (int)joint + 1, keys[type == ARM_JOINT_T][quantity],
            type == ARM_JOINT_T ? "" : " (or _deg)", aio_motion_quantity(quantity));
  return CLI_BAD_INPUT;
}

/* What a fit left over, in N m or N; a joint that it does not tell of, or without a drive in the
 * arm file, has 1. */
static int find_noise(Excite *e) {
  const ArmModel *model = &e->arm->model;
  for (size_t j = 0; j < model->n; j++) {
    e->noise[j] = 1;
    e->is_assumed[j] = true;
  }
  if (!e->args->params)
    return CLI_OK;
  AioParams *params = cli_load_params(e->args->params, e->args->arm, e->arm);
  if (!params)
    return CLI_BAD_INPUT;
  for (size_t j = 0; j < model->n; j++) {
    const double left = params->fit.refined.joint[j].residual_sd;
    double eta = params->is_torque[j] ? 1 : (double)NAN, rel_sd;
    if (!params->is_torque[j])
      (void)arm_model_nominal_eta(model, j, &eta, &rel_sd);
    if (!(isfinite(left / eta) && left > 0))
      continue;
    e->noise[j] = fabs(left / eta);
    e->is_assumed[j] = false;
  }
  aio_params_free(params);
  return CLI_OK;
}

/* ---- the verb ---- */

static int print(const Excite *e, const CliExcitation *report) {
  int code = CLI_OK;
  if (e->args->json) {
    gsize length;
    char *json = cli_excite_format(report, &length);
    code = cli_write(NULL, json, length, false);
    g_free(json);
  } else {
    cli_excite_print(report);
  }
  if (code != CLI_OK)
    return code;
  return report->n_violations > 0 || report->found->rank < report->found->count ? CLI_INFEASIBLE
                                                                                : CLI_OK;
}

static int judge(const Excite *e, const ArmBase *base, const AioMotion *motion) {
  ArmMotionViolation violations[ARM_MOTION_QUANTITIES * ARM_MAX_JOINTS];
  ArmExcitation *found = NULL;
  const ArmStatus status = arm_excitation_new(base, &e->arm->model, &e->limits, motion->rows,
                                              motion->q, motion->qd, motion->qdd, e->noise, &found);
  if (status != ARM_OK)
    return cli_fail_status(status, e->args->check);
  CliExcitation report = {.arm = e->arm,
                          .arm_path = e->args->arm,
                          .csv = e->args->check,
                          .base = base,
                          .limits = &e->limits,
                          .motion = motion,
                          .found = found,
                          .noise = e->noise,
                          .is_assumed = e->is_assumed,
                          .violations = violations};
  report.n_violations = arm_motion_violations(&e->limits, motion->rows, motion->q, motion->qd,
                                              motion->qdd, violations);
  const int code = print(e, &report);
  arm_excitation_free(found);
  return code;
}

static int check(const Excite *e) {
  GError *error = NULL;
  ArmBase *base = NULL;
  AioMotion *motion = aio_motion_load(e->args->check, &e->arm->model, &error);
  if (!motion)
    return cli_fail(error);
  const ArmStatus status = arm_base_new(&e->arm->model, e->with, ARM_BASE_CLOSED_FORM, &base);
  const int code =
      status == ARM_OK ? judge(e, base, motion) : cli_fail_status(status, e->args->arm);
  arm_base_free(base);
  aio_motion_free(motion);
  return code;
}

static int run(const void *arguments) {
  Excite e = {.args = arguments};
  ArmStructure structure;
  const char *columns = e.args->columns ? e.args->columns : "base";
  if (strcmp(columns, "full") == 0)
    e.with = ARM_BASE_WITH_FRICTION | ARM_BASE_WITH_ROTOR;
  else if (strcmp(columns, "base") != 0)
    return cli_usage(&cli_excite, "--columns: expected base or full, found \"%s\"", columns);
  e.arm = cli_load_arm(e.args->arm, &structure);
  if (!e.arm)
    return CLI_BAD_INPUT;
  int code = find_limits(&e);
  if (code == CLI_OK)
    code = find_noise(&e);
  if (code == CLI_OK)
    code = check(&e);
  aio_arm_free(e.arm);
  return code;
}

const CliVerb cli_excite = {
    .name = "excite",
    .summary = "what a motion would tell of an arm's inertia, before it is made",
    .purpose =
        "Takes a motion of all joints, planned or recorded, and says whether it stays within the "
        "limits of position, speed and acceleration at every sample, and how well the torques "
        "along it would tell the base parameters (`base`): the condition of the regressor, the "
        "standard deviation that each parameter would have, and what the motion shows least, with "
        "what would show it. Between the samples nothing is checked: give 1 kHz.",
    .example = "armature-cli excite --arm data/robots/puma560.arm.json --check motion.csv\n"
               "judges a motion that another program made.",
    .exits = "0 within all limits and every parameter identifiable, 2 usage, 3 a file cannot be "
             "read or is wrong, or the arm file lacks a limit, 4 a limit is broken or something "
             "is not identifiable (the result is still printed).",
    .options = options,
    .n_options = G_N_ELEMENTS(options),
    .args_size = sizeof(Args),
    .run = run,
};
