/* SPDX-License-Identifier: MIT */
/* What the options of `excite --method` ask for, and the search for it: as many evaluations as are
 * wanted, or until a clock or a signal ends it. */
#include "cli/excite_design.h"

#include <math.h>
#include <string.h>

#include "io/arm/base_json.h"

#define RATE_HZ 1000.0 /* of motion.csv: the contract of files */

/* Of log S beside log cond: theory notes, 4.5. */
#define LAMBDA 0.1

/* ---- options ---- */

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
    code = read_end(args, wanted);
  if (code != CLI_OK)
    return code;
  return wanted->method == CLI_EXCITE_POINTS ? read_points(args, wanted)
                                             : read_trajectory(args, wanted);
}

bool cli_excite_is_check(const CliExciteArgs *args) {
  const double numbers[] = {args->harmonics, args->points,  args->time,
                            args->evals,     args->seconds, args->seed};
  bool is_design = args->criterion || args->out || args->rest || args->force;
  for (size_t k = 0; k < G_N_ELEMENTS(numbers); k++)
    is_design = is_design || !isnan(numbers[k]);
  if (is_design)
    (void)cli_usage(&cli_excite, "--criterion, --harmonics, --points, --time, --rest, --evals, "
                                 "--seconds, --seed, --out and --force belong to --method");
  return !is_design;
}

/* ---- the end of a search ---- */

typedef struct {
  gint64 end; /* monotonic, in microseconds */
} Clock;

static Clock clock_of(const CliExciteWanted *wanted) {
  const gint64 now = g_get_monotonic_time();
  return (Clock){isnan(wanted->seconds) ? G_MAXINT64 : now + (gint64)(1e6 * wanted->seconds)};
}

static bool may_go_on(const Clock *clock) {
  return !cli_deferred_signal() && g_get_monotonic_time() < clock->end;
}

static bool watch_trajectory(size_t evaluations, void *user) {
  (void)evaluations;
  return may_go_on(user);
}

static bool watch_points(size_t evaluations, const double *m, void *user) {
  (void)evaluations;
  (void)m;
  return may_go_on(user);
}

/* ---- the search ---- */

static int design_trajectory(const ArmModel *model, const ArmBase *base, const double *noise,
                             const CliExciteWanted *wanted, CliExciteDesign *design,
                             CliExcitation *report) {
  Clock clock = clock_of(wanted);
  ArmTrajectoryOptions options = wanted->trajectory;
  ArmTrajectory *trajectory = &design->trajectory;
  GError *error = NULL;
  options.noise = noise;
  options.watch = watch_trajectory;
  options.user = &clock;
  const ArmStatus status = arm_trajectory_design(model, base, &options, trajectory, NULL);
  if (status != ARM_OK)
    return cli_fail_status(status, "design");
  report->trajectory = trajectory;
  report->evaluations = (gint64)trajectory->evaluations;
  design->motion = aio_motion_sample("motion.csv", &trajectory->basis, trajectory->n, trajectory->c,
                                     RATE_HZ, &error);
  return design->motion ? CLI_OK : cli_fail(error);
}

/* Rows, twice the parameters where nobody said how many (Gautier and Khalil 1992, section 6). */
static int choose_rows(const char *arm_name, const ArmModel *model, ArmPointsOptions *options) {
  g_autoptr(ArmBase) links = NULL;
  const ArmStatus status = arm_base_new(model, 0, ARM_BASE_CLOSED_FORM, &links);
  if (status != ARM_OK)
    return cli_fail_status(status, arm_name);
  const size_t count = links->count;
  options->r = options->r ? options->r : 2 * count;
  if (options->r >= count)
    return CLI_OK;
  return cli_usage(&cli_excite,
                   "--points: expected at least %d, the base parameters of %s, found %d",
                   (int)count, arm_name, (int)options->r);
}

static int design_points(const char *arm_name, const ArmModel *model, const CliExciteWanted *wanted,
                         CliExciteDesign *design, CliExcitation *report) {
  Clock clock = clock_of(wanted);
  ArmPointsOptions options = wanted->points;
  GError *error = NULL;
  options.watch = watch_points;
  options.user = &clock;
  const int code = choose_rows(arm_name, model, &options);
  if (code != CLI_OK)
    return code;
  ArmStatus status = arm_points_design(model, &options, &design->points, NULL);
  if (status == ARM_OK)
    status = arm_sequence_new(model, &design->points, wanted->is_at_rest, &design->sequence);
  if (status != ARM_OK)
    return cli_fail_status(status, arm_name);
  report->points = &design->points;
  report->sequence = design->sequence;
  report->evaluations = (gint64)design->points.evaluations;
  design->motion = aio_motion_sample_sequence("motion.csv", design->sequence, RATE_HZ, &error);
  return design->motion ? CLI_OK : cli_fail(error);
}

int cli_excite_design(const char *arm_name, const ArmModel *model, const ArmBase *base,
                      const double *noise, const CliExciteWanted *wanted, CliExciteDesign *design,
                      CliExcitation *report) {
  static const char *const methods[] = {"fourier", "spline", "points"};
  report->csv = "motion.csv";
  report->method = methods[wanted->method];
  report->criterion = wanted->criterion;
  report->is_design = true;
  report->is_at_rest = wanted->is_at_rest;
  report->seed = (gint64)wanted->trajectory.seed;
  const int code = wanted->method == CLI_EXCITE_POINTS
                       ? design_points(arm_name, model, wanted, design, report)
                       : design_trajectory(model, base, noise, wanted, design, report);
  report->motion = design->motion;
  return code;
}

void cli_excite_design_clear(CliExciteDesign *design) {
  arm_trajectory_clear(&design->trajectory);
  arm_points_clear(&design->points);
  arm_sequence_free(design->sequence);
  aio_motion_free(design->motion);
  *design = (CliExciteDesign){0};
}
