/* SPDX-License-Identifier: MIT */
/* The names and defaults of fitting, in one place for fit, diagnose, calibrate and the others, so
 * that two verbs cannot give two verdicts on one recording. */
#include "cli/fit_options.h"

#include <math.h>

const char cli_fit_min_speed_help[] =
    "Use rows in which the moving joint is faster than X rad/s; sliding joints: X/10 m/s. "
    "Default 0.005 rad/s and 0.0005 m/s. Below, stiction hides the current.";
const char cli_fit_acceleration_help[] =
    "Also fit the moving joint's inertia: for motions that are not at constant speed. Uses "
    "qdd columns where there are any, else differentiates the speeds.";
const char cli_fit_plateau_help[] =
    "Keep only the constant-speed middle of each sweep: without 10 % (at most 25 deg) at both "
    "ends and within 5 % of the sweep's median speed.";
const char cli_fit_lowpass_help[] =
    "Low-pass speeds, currents and computed accelerations without delay before anything else, "
    "cut-off in Hz (below half the sampling rate): for currents whose noise hides the friction. "
    "Default: none.";
const char cli_friction_help[] =
    "Friction beyond Coulomb and viscous. Default auto: each joint gets a part that grows with "
    "its load (load), or bends off the straight line of speed (curve), where its strokes prove "
    "it: significant, and strokes left out of the fit predicted at least 2 % better.\nbase: "
    "neither.\nload, curve or load,curve: only these are tried, by the same rule.";
const char cli_fit_joints_help[] =
    "The joints this recording is about. Only these decide between exit status 0 and 4; every "
    "joint with rows is fitted all the same. Default: all.";
const char cli_fit_limits_help[] =
    "From which size on a misfit of the model counts, in the lab's view: {\"format\": "
    "\"armature-limits\", \"version\": 1, \"gravity_relative\": 0.001, ..}. Default: 0.1 % of "
    "the current for gravity, 2 % of friction for what turns with the direction.";

int cli_fit_check_args(const CliVerb *verb, const CliFitArgs *args) {
  bool offers[ARM_TERMS];
  if (args->min_speed < 0.0 || args->min_speed_t < 0.0)
    return cli_usage(verb, "a minimum speed is not negative");
  if (args->lowpass <= 0.0)
    return cli_usage(verb, "--lowpass: expected a frequency above 0 Hz");
  if (args->rate <= 0.0)
    return cli_usage(verb, CLI_RATE_USAGE);
  if (!cli_parse_friction(args->friction, offers))
    return cli_usage(verb, CLI_FRICTION_USAGE, args->friction);
  return CLI_OK;
}

void cli_fit_set_options(const CliFitArgs *args, ArmFitOptions *to) {
  arm_fit_options_default(to);
  if (!isnan(args->min_speed)) {
    to->rows.min_speed_R = args->min_speed;
    to->rows.min_speed_T = 0.1 * args->min_speed;
  }
  if (!isnan(args->min_speed_t))
    to->rows.min_speed_T = args->min_speed_t;
  to->rows.wants_acceleration = args->acceleration;
  to->rows.wants_plateau = args->plateau;
  if (!isnan(args->lowpass))
    to->lowpass_Hz = args->lowpass;
  cli_parse_friction(args->friction, to->offers_term);
}

static bool parse_joints(const char *text, size_t n, bool *is_listed) {
  g_auto(GStrv) words = g_strsplit(text, ",", -1);
  bool is_good = words[0] != NULL;
  for (gsize k = 0; words[k] && is_good; k++) {
    guint64 joint;
    is_good = g_ascii_string_to_unsigned(words[k], 10, 1, n, &joint, NULL);
    if (is_good)
      is_listed[joint - 1] = true;
  }
  return is_good;
}

int cli_fit_set_joints(const CliVerb *verb, const CliFitArgs *args, CliFitReport *report) {
  const size_t n = report->arm->model.n;
  report->has_listed = args->joints != NULL;
  if (!args->joints || parse_joints(args->joints, n, report->is_listed))
    return CLI_OK;
  return cli_usage(verb, "--joints: expected joints from 1 to %d such as 2,3, found \"%s\"", (int)n,
                   args->joints);
}

bool cli_fit_chooses_rows(const CliFitArgs *args) {
  return args->plateau || args->acceleration || !isnan(args->lowpass) || !isnan(args->min_speed) ||
         !isnan(args->min_speed_t) || !isnan(args->rate);
}

/* Which option was out of range: only the low-pass depends on the recording. */
int cli_fit_fail(const CliFitArgs *args, const CliRows *rows, ArmStatus status) {
  const AioRecording *recording = rows->about;
  const double step = aio_row_store_step(rows->store);
  if (status == ARM_E_SOURCE)
    return cli_fail(g_error_copy(aio_row_store_error(rows->store)));
  if (status != ARM_E_ARGUMENT || !(args->lowpass * step >= 0.5))
    return cli_fail_status(status, recording->name);
  cli_error("--lowpass %g: expected a cut-off below %.4g Hz, half the sampling rate of %s",
            args->lowpass, 0.5 / step, recording->name);
  return CLI_BAD_INPUT;
}

static ArmStatus fit_rows(const ArmModel *model, const CliRows *rows, const ArmFitOptions *options,
                          ArmGravityFit *fit) {
  const ArmRowSource source = aio_row_store_source(rows->store);
  ArmFitOptions asked = *options;
  /* a diagnosis goes over all strokes a thousand times: out of files it takes 2.6 times as long */
  asked.shelf = options->diagnosis ? NULL : aio_row_store_shelf(rows->store);
  return arm_gravity_fit_rows(model, &source, &asked, fit);
}

int cli_fit_rows(const CliFitArgs *args, const ArmFitOptions *options, const CliRows *rows,
                 const ArmStructure *structure, const ArmModel *model, ArmGravityFit *fit) {
  ArmStatus status = fit_rows(model, rows, options, fit);
  if (status == ARM_E_NO_DATA)
    status = cli_fit_empty(model, structure, rows, &options->rows, fit);
  return status == ARM_OK ? CLI_OK : cli_fit_fail(args, rows, status);
}
