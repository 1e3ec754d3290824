/* SPDX-License-Identifier: MIT */
/* The search for a motion: as many evaluations as are wanted, or until a clock or a signal ends it.
 */
#include "cli/excite_design.h"

#include <math.h>

#include "core/arm/inertia.h"
#include "core/excite/weights.h"
#include "io/arm/base_json.h"
#include "io/recording/motion_follow.h"

#define RATE_HZ 1000.0 /* of motion.csv: the contract of files */
#define SLOWER  1.0005 /* than was asked for: ends of segments then lie elsewhere in the motion */
enum { TRIES = 12 };

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

/* ---- what errors cost ---- */

/* The weights of criterion a, which stay in `g`: count x count, count. */
static ArmStatus weigh(const CliExciteTask *task, const ArmBase *base,
                       const CliExciteWanted *wanted, double *g, double *diagonal,
                       ArmCriterion *criterion) {
  const ArmStatus status = arm_weights_torque(base, task->model, task->limits, task->noise, g);
  if (status != ARM_OK || !wanted->is_prior) {
    criterion->full = g;
    return status;
  }
  g_autofree double *pi = g_new0(double, base->columns);
  g_autofree double *beta = g_new0(double, base->count);
  (void)arm_inertia_nominal(task->model, pi);
  arm_base_values(base, pi, beta);
  criterion->diagonal = diagonal;
  return arm_weights_prior(base, beta, g, diagonal);
}

/* Completes the criterion; *weights must outlive it. */
static int complete(const CliExciteTask *task, const ArmBase *base, const CliExciteWanted *wanted,
                    double **weights, ArmCriterion *criterion) {
  const gsize count = base->count;
  if (criterion->kind != ARM_CRITERION_A)
    return CLI_OK;
  *weights = g_new0(double, count *(count + 1));
  const ArmStatus status = weigh(task, base, wanted, *weights, *weights + count * count, criterion);
  if (status == ARM_OK)
    return CLI_OK;
  if (status != ARM_E_NO_DATA)
    return cli_fail_status(status, task->arm_name);
  cli_error("%s: --weights prior: expected links with masses, found none; --weights torque needs "
            "none",
            task->arm_name);
  return CLI_BAD_INPUT;
}

/* ---- the search ---- */

static int design_trajectory(const CliExciteTask *task, const CliExciteWanted *wanted,
                             CliExciteDesign *design, CliExcitation *report) {
  Clock clock = clock_of(wanted);
  ArmTrajectoryOptions options = wanted->trajectory;
  ArmTrajectory *trajectory = &design->trajectory;
  GError *error = NULL;
  g_autofree double *weights = NULL;
  const int code = complete(task, task->base, wanted, &weights, &options.criterion);
  if (code != CLI_OK)
    return code;
  options.noise = task->noise;
  options.scene = task->scene;
  options.watch = watch_trajectory;
  options.user = &clock;
  const ArmStatus status =
      arm_trajectory_design(task->model, task->base, &options, trajectory, NULL);
  if (status == ARM_E_INFEASIBLE) {
    cli_error("%s: found no motion that tells all parameters apart and keeps the limits; nor any, "
              "where the arm cannot hold itself within limits.current_A, or its capsules are never "
              "off each other and the table",
              task->arm_name);
    return CLI_INFEASIBLE;
  }
  if (status != ARM_OK)
    return cli_fail_status(status, task->arm_name);
  report->trajectory = trajectory;
  report->evaluations = (gint64)trajectory->evaluations;
  design->motion = aio_motion_sample("motion.csv", &trajectory->basis, trajectory->n, trajectory->c,
                                     RATE_HZ, &error);
  return design->motion ? CLI_OK : cli_fail(error);
}

/* Rows, twice the parameters where nobody said how many (Gautier and Khalil 1992, section 6). */
static int choose_rows(const char *arm_name, gsize count, ArmPointsOptions *options) {
  options->r = options->r ? options->r : 2 * count;
  if (options->r >= count)
    return CLI_OK;
  return cli_usage(&cli_excite,
                   "--points: expected at least %d, the base parameters of %s, found %d",
                   (int)count, arm_name, (int)options->r);
}

/* Between points accelerations leap, and the cubics that a controller follows go beyond a leap. One
 * that is to be followed is slower by what that is: 1 or more, 0 with the reason said. */
static double followable(const CliExciteTask *task, const ArmSequence *sequence) {
  double slowness = 1.0, part = 1.0;
  for (int tried = 0; tried < TRIES && (tried == 0 || part > 1.0); tried++) {
    GError *error = NULL;
    g_autoptr(ArmCubics) cubics = NULL;
    slowness *= tried ? part * SLOWER : 1.0;
    g_autoptr(AioMotionTable) motion =
        aio_motion_sample_sequence("motion.csv", sequence, RATE_HZ, slowness, &error);
    if (!motion) {
      cli_fail(error);
      return 0.0;
    }
    const ArmStatus status = arm_cubics_new(motion->n, motion->rows, motion->t, motion->q,
                                            motion->qd, AIO_FOLLOW_SEGMENT_S, 1.0, &cubics);
    if (status != ARM_OK) {
      cli_fail_status(status, task->arm_name);
      return 0.0;
    }
    part = arm_cubics_slowness(task->limits, cubics);
  }
  return slowness;
}

/* Energies tell the parameters of links alone. */
static int design_points(const CliExciteTask *task, const CliExciteWanted *wanted,
                         CliExciteDesign *design, CliExcitation *report) {
  Clock clock = clock_of(wanted);
  ArmPointsOptions options = wanted->points;
  GError *error = NULL;
  g_autofree double *weights = NULL;
  g_autoptr(ArmBase) links = NULL;
  ArmStatus status = arm_base_new(task->model, 0, ARM_BASE_CLOSED_FORM, &links);
  if (status != ARM_OK)
    return cli_fail_status(status, task->arm_name);
  int code = choose_rows(task->arm_name, links->count, &options);
  if (code == CLI_OK)
    code = complete(task, links, wanted, &weights, &options.criterion);
  if (code != CLI_OK)
    return code;
  options.watch = watch_points;
  options.user = &clock;
  status = arm_points_design(task->model, &options, &design->points, NULL);
  if (status == ARM_OK)
    status = arm_sequence_new(task->model, &design->points, wanted->is_at_rest, &design->sequence);
  if (status != ARM_OK)
    return cli_fail_status(status, task->arm_name);
  report->points = &design->points;
  report->sequence = design->sequence;
  report->evaluations = (gint64)design->points.evaluations;
  report->slowness = wanted->is_at_rest ? followable(task, design->sequence) : 1.0;
  if (!(report->slowness > 0.0))
    return CLI_INFEASIBLE;
  design->motion =
      aio_motion_sample_sequence("motion.csv", design->sequence, RATE_HZ, report->slowness, &error);
  return design->motion ? CLI_OK : cli_fail(error);
}

int cli_excite_design(const CliExciteTask *task, const CliExciteWanted *wanted,
                      CliExciteDesign *design, CliExcitation *report) {
  static const char *const methods[] = {"fourier", "spline", "points"};
  report->csv = "motion.csv";
  report->method = methods[wanted->method];
  report->criterion = wanted->criterion;
  if (wanted->trajectory.criterion.kind == ARM_CRITERION_A)
    report->weights = wanted->is_prior ? "prior" : "torque";
  report->is_design = true;
  report->is_at_rest = wanted->is_at_rest;
  report->seed = (gint64)wanted->trajectory.seed;
  const int code = wanted->method == CLI_EXCITE_POINTS
                       ? design_points(task, wanted, design, report)
                       : design_trajectory(task, wanted, design, report);
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
