/* SPDX-License-Identifier: MIT */
/* Options that decide about a fit, of every verb that makes one: given alike, they give the same
 * numbers and the same verdict. */
#ifndef ARMATURE_CLI_FIT_OPTIONS_H
#define ARMATURE_CLI_FIT_OPTIONS_H

#include "cli/cli.h"
#include "cli/fit_report.h"
#include "cli/recordings.h"
#include "core/sweeps/ident.h"

typedef struct {
  const char *joints, *limits, *friction;
  double min_speed, min_speed_t, lowpass, rate;
  bool acceleration, plateau;
} CliFitArgs;

/* Args: the verb's struct, whose `fit` is its CliFitArgs */
#define CLI_FIT_OPTIONS(Args)                                                                      \
  {"min-speed", CLI_NUMBER, false, offsetof(Args, fit.min_speed), "X", cli_fit_min_speed_help},    \
      {"min-speed-t", CLI_NUMBER,                                                                  \
       false,         offsetof(Args, fit.min_speed_t),                                             \
       "X",           "The same for sliding joints alone, in m/s."},                               \
      {"acceleration",           CLI_FLAG, false, offsetof(Args, fit.acceleration), NULL,          \
       cli_fit_acceleration_help},                                                                 \
      {"plateau", CLI_FLAG, false, offsetof(Args, fit.plateau), NULL, cli_fit_plateau_help},       \
      {"lowpass", CLI_NUMBER, false, offsetof(Args, fit.lowpass), "HZ", cli_fit_lowpass_help},     \
      {"rate", CLI_NUMBER, false, offsetof(Args, fit.rate), "HZ", CLI_RATE_HELP},                  \
      {"friction",          CLI_TEXT,         false, offsetof(Args, fit.friction),                 \
       CLI_FRICTION_VALUES, cli_friction_help},                                                    \
      {"joints", CLI_TEXT, false, offsetof(Args, fit.joints), "1,2,..", cli_fit_joints_help}, {    \
    "limits", CLI_TEXT, false, offsetof(Args, fit.limits), "LIMITS.json", cli_fit_limits_help      \
  }
#define CLI_FRICTION_VALUES "base|auto|load,curve"
#define CLI_FRICTION_USAGE                                                                         \
  "--friction: expected base, auto, load, curve or load,curve, found \"%s\""
extern const char cli_fit_min_speed_help[], cli_fit_acceleration_help[], cli_fit_plateau_help[],
    cli_fit_lowpass_help[], cli_friction_help[], cli_fit_joints_help[], cli_fit_limits_help[];

/* CLI_OK, or CLI_USAGE, said. */
int cli_fit_check_args(const CliVerb *verb, const CliFitArgs *args);

/* The defaults with what was given; limits are not read here. */
void cli_fit_set_options(const CliFitArgs *args, ArmFitOptions *to);

/* --joints into the report. CLI_OK, or CLI_USAGE, said. */
int cli_fit_set_joints(const CliVerb *verb, const CliFitArgs *args, CliFitReport *report);

/* Some of them choose which rows are used, or how they are read. */
bool cli_fit_chooses_rows(const CliFitArgs *args);

/* Says why rows could not be fitted or reduced; returns CLI_BAD_INPUT. */
int cli_fit_fail(const CliFitArgs *args, const CliRows *rows, ArmStatus status);

/* The fit of these rows; of a recording without a usable row that of nothing. CLI_OK, or
 * CLI_BAD_INPUT, said. On success `fit` is cleared with arm_gravity_fit_clear. */
int cli_fit_rows(const CliFitArgs *args, const ArmFitOptions *options, const CliRows *rows,
                 const ArmStructure *structure, const ArmModel *model, ArmGravityFit *fit);

#endif
