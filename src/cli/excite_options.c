/* SPDX-License-Identifier: MIT */
/* What the options of `excite --method` ask for. */
#include <math.h>
#include <string.h>

#include "cli/excite_design.h"

/* Of log S beside log cond: theory notes, 4.5. */
#define LAMBDA 0.1

/* A whole number from `least` to `most`; `otherwise` where it is not given. */
static bool read_count(const char *name, double given, double least, double most, double otherwise,
                       double *out) {
  *out = isnan(given) ? otherwise : given;
  if (*out >= least && *out <= most && *out == floor(*out))
    return true;
  (void)cli_usage(&cli_excite, "--%s: expected a whole number from %.0f to %.0f", name, least,
                  most);
  return false;
}

static int read_method(const CliExciteArgs *args, CliExciteWanted *wanted) {
  static const char *const names[] = {"fourier", "spline", "points"};
  for (unsigned k = 0; k < G_N_ELEMENTS(names); k++)
    if (strcmp(args->method, names[k]) == 0) {
      wanted->method = (CliExciteMethod)k;
      return CLI_OK;
    }
  return cli_usage(&cli_excite, "--method: expected fourier, spline or points, found \"%s\"",
                   args->method);
}

static int read_criterion(const CliExciteArgs *args, CliExciteWanted *wanted) {
  static const struct {
    const char *name;
    ArmCriterionKind kind;
    double lambda;
  } known[] = {{"d", ARM_CRITERION_D, 0},
               {"a", ARM_CRITERION_A, 0},
               {"cond", ARM_CRITERION_COND_P, 0},
               {"cond+s", ARM_CRITERION_COND_P, LAMBDA}};
  wanted->criterion = args->criterion ? args->criterion : known[0].name;
  for (size_t k = 0; k < G_N_ELEMENTS(known); k++) {
    if (strcmp(wanted->criterion, known[k].name) != 0)
      continue;
    if (known[k].lambda > 0 && wanted->method != CLI_EXCITE_POINTS)
      return cli_usage(&cli_excite,
                       "--criterion cond+s belongs to --method points: rows of torques have zeros "
                       "(no joint feels the links before it), so that S is infinite");
    wanted->trajectory.criterion.kind = wanted->points.criterion.kind = known[k].kind;
    wanted->points.lambda = known[k].lambda;
    return CLI_OK;
  }
  return cli_usage(&cli_excite, "--criterion: expected d, a, cond or cond+s, found \"%s\"",
                   wanted->criterion);
}

static int read_weights(const CliExciteArgs *args, CliExciteWanted *wanted) {
  const char *weights = args->weights ? args->weights : "torque";
  if (args->weights && strcmp(wanted->criterion, "a") != 0)
    return cli_usage(&cli_excite, "--weights belongs to --criterion a");
  wanted->is_prior = strcmp(weights, "prior") == 0;
  if (wanted->is_prior || strcmp(weights, "torque") == 0)
    return CLI_OK;
  return cli_usage(&cli_excite, "--weights: expected torque or prior, found \"%s\"", weights);
}

/* Where the search ends. */
static int read_end(const CliExciteArgs *args, CliExciteWanted *wanted) {
  const double most = 1e9, otherwise = wanted->method == CLI_EXCITE_POINTS ? 20000 : 6000;
  double evals, seed;
  wanted->seconds = args->seconds;
  if (!isnan(args->seconds) && !isnan(args->evals))
    return cli_usage(&cli_excite, "expected either --evals or --seconds");
  if (!isnan(args->seconds) && !(args->seconds > 0 && args->seconds <= 1e6))
    return cli_usage(&cli_excite, "--seconds: expected a time above 0 and up to 1000000 s");
  if (!read_count("evals", args->evals, 1, most, isnan(args->seconds) ? otherwise : most, &evals) ||
      !read_count("seed", args->seed, 0, 1e15, 1, &seed))
    return CLI_USAGE;
  wanted->trajectory.evaluations = wanted->points.evaluations = (size_t)evals;
  wanted->trajectory.seed = wanted->points.seed = (uint64_t)seed;
  return CLI_OK;
}

static int read_trajectory(const CliExciteArgs *args, CliExciteWanted *wanted) {
  const bool is_spline = wanted->method == CLI_EXCITE_SPLINE;
  ArmBasis *basis = &wanted->trajectory.basis;
  double order;
  if (!isnan(args->points))
    return cli_usage(&cli_excite, "--points belongs to --method points");
  if (!read_count("harmonics", args->harmonics, is_spline ? 8 : 1, 100, is_spline ? 25 : 5, &order))
    return CLI_USAGE;
  *basis = (ArmBasis){.kind = is_spline ? ARM_BASIS_SPLINE : ARM_BASIS_FOURIER,
                      .order = (size_t)order,
                      .period_s = isnan(args->time) ? (is_spline ? 20 : 10) : args->time,
                      .is_at_rest = args->rest};
  if (basis->period_s > 0 && basis->period_s <= 3600)
    return CLI_OK;
  return cli_usage(&cli_excite, "--time: expected a period above 0 and up to 3600 s");
}

static int read_points(const CliExciteArgs *args, CliExciteWanted *wanted) {
  double rows = 0;
  if (!isnan(args->harmonics) || !isnan(args->time))
    return cli_usage(&cli_excite, "--harmonics and --time belong to --method fourier and spline: "
                                  "a motion through points is as fast as the limits allow");
  if (!isnan(args->points) && !read_count("points", args->points, 1, 1000, 0, &rows))
    return CLI_USAGE;
  wanted->points.r = (size_t)rows;
  wanted->points.has_margin = true;
  return CLI_OK;
}

int cli_excite_wanted(const CliExciteArgs *args, CliExciteWanted *wanted) {
  *wanted = (CliExciteWanted){.is_at_rest = args->rest};
  int code = read_method(args, wanted);
  if (code == CLI_OK)
    code = read_criterion(args, wanted);
  if (code == CLI_OK)
    code = read_weights(args, wanted);
  if (code == CLI_OK)
    code = read_end(args, wanted);
  if (code != CLI_OK)
    return code;
  return wanted->method == CLI_EXCITE_POINTS ? read_points(args, wanted)
                                             : read_trajectory(args, wanted);
}

bool cli_excite_is_check(const CliExciteArgs *args) {
  const double numbers[] = {args->harmonics, args->points,  args->time,
                            args->evals,     args->seconds, args->seed};
  bool is_design = args->criterion || args->weights || args->out || args->rest || args->force;
  for (size_t k = 0; k < G_N_ELEMENTS(numbers); k++)
    is_design = is_design || !isnan(numbers[k]);
  if (is_design)
    (void)cli_usage(&cli_excite,
                    "--criterion, --weights, --harmonics, --points, --time, --rest, --evals, "
                    "--seconds, --seed, --out and --force belong to --method");
  return !is_design;
}
