/* SPDX-License-Identifier: MIT */
/* The design of a motion, in a thread, so that Ctrl-C is heard and the line to the controller
 * served. A Fourier series that begins and ends at rest, D-optimal for links, friction and rotors
 * (minimum-condition designs predict torques worse: line 18.5 of docs/acceptance.md). */
#include <math.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/excite_report.h"
#include "cli/full.h"
#include "cli/motion_limits.h"
#include "session/base/job.h"
#include "session/base/text.h"
#include "session/method/gravity.h"

enum { HARMONICS = 5, EVALUATIONS = 6000 }; /* 3 s of CPU for six joints */
#define PERIOD_S     10.0
#define RATE_HZ      1000.0
/* Parts of the limits that a design may use: a servo errs about its set-points, and torque
 * constants about their data sheets, by 20 % (the default rel_sd of arm files). */
#define PART         0.95
#define CURRENT_PART 0.8

typedef struct {
  ArmModel model; /* with the limits of the design */
  ArmMotionLimits limits;
  ArmBase *base;
  CliExciteKnown known;
  CliExciteScene scene;
  ArmTrajectoryOptions options;
  /* found */
  ArmTrajectory trajectory;
  AioMotionTable *motion;
  ArmExcitation *shown;
  ArmStatus status;
  GError *error;
  bool is_over;
  AseJob *job; /* that searches */
  CliLive *live;
  guint number;
} Design;

static void design_free(Design *d) {
  arm_trajectory_clear(&d->trajectory);
  aio_motion_free(d->motion);
  arm_excitation_free(d->shown);
  arm_base_free(d->base);
  cli_excite_scene_clear(&d->scene);
  g_clear_error(&d->error);
  g_free(d);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Design, design_free)

/* ---- limits ---- */

static void take_less(double most, double *limit) {
  if (most > 0.0)
    *limit = fmin(*limit, most);
}

/* NULL: it says nothing of this joint. */
static const AioJointInfo *info_of(AseSession *session, gsize j) {
  const AioDescription *d = ase_device_description(ase_session_device(session));
  return d && j < d->joints ? &d->joint[j] : NULL;
}

static int refuse_ranges(AseSession *session, const char *name, gsize j) {
  const ArmJoint *joint = &ase_session_arm(session)->model.joints[j];
  const AseEdits *edits = ase_session_edits(session);
  const AioJointInfo *info = info_of(session, j);
  g_autofree char *stated = ase_range_text(joint->type, joint->limits.q_min, joint->limits.q_max),
                  *free = ase_range_text(joint->type, edits->low[j], edits->high[j]),
                  *allowed = info && info->q_max > info->q_min
                                 ? ase_range_text(joint->type, info->q_min, info->q_max)
                                 : g_strdup("any");
  cli_error("%s: joint %d: no position is in all of its ranges: arm file %s, declared free %s, "
            "controller %s; correct the one that is wrong",
            name, (int)j + 1, stated, free, allowed);
  return CLI_INFEASIBLE;
}

/* Of the arm file, of what is declared free, and of the controller, each as far as it says one. */
static int take_limits(AseSession *session, const char *name, ArmModel *model) {
  const AseEdits *edits = ase_session_edits(session);
  for (gsize j = 0; j < model->n; j++) {
    ArmLimits *limits = &model->joints[j].limits;
    const AioJointInfo *info = info_of(session, j);
    limits->q_min = fmax(limits->q_min, edits->low[j]);
    limits->q_max = fmin(limits->q_max, edits->high[j]);
    if (info && info->q_max > info->q_min) {
      limits->q_min = fmax(limits->q_min, info->q_min);
      limits->q_max = fmin(limits->q_max, info->q_max);
    }
    if (info) {
      take_less(info->speed_max, &limits->speed_max);
      take_less(info->accel_max, &limits->accel_max);
    }
    if (limits->q_min >= limits->q_max)
      return refuse_ranges(session, name, j);
    const double middle = 0.5 * (limits->q_min + limits->q_max),
                 half = 0.5 * PART * (limits->q_max - limits->q_min);
    limits->q_min = middle - half;
    limits->q_max = middle + half;
    limits->speed_max *= PART;
    limits->accel_max *= PART;
  }
  return CLI_OK;
}

static int prepare(const AioArm *arm, const char *name, Design *d) {
  const unsigned with = ARM_BASE_WITH_FRICTION | ARM_BASE_WITH_ROTOR;
  int code = cli_motion_limits(name, &d->model, &d->limits);
  if (code == CLI_OK)
    code = cli_excite_scene_init(arm, name, &d->known, &d->limits, &d->scene);
  if (code != CLI_OK)
    return code;
  for (gsize j = 0; j < d->model.n; j++) {
    const AioJointInfo *info = info_of(d->live->session, j);
    if (info)
      take_less(info->current_max, &d->scene.currents.limit[j]);
    d->scene.currents.limit[j] *= CURRENT_PART;
  }
  const ArmStatus status = arm_base_new(&d->model, with, ARM_BASE_CLOSED_FORM, &d->base);
  return status == ARM_OK ? CLI_OK : cli_fail_status(status, name);
}

/* ---- the search ---- */

static bool watch(size_t evaluations, void *user) {
  Design *d = user;
  return ase_job_report((double)evaluations / EVALUATIONS, d->job);
}

static void search(AseJob *job, void *data) {
  Design *d = data;
  g_autofree char *name = g_strdup_printf("motion %u", d->number);
  d->job = job;
  d->status = arm_trajectory_design(&d->model, d->base, &d->options, &d->trajectory, NULL);
  if (d->status != ARM_OK || ase_job_is_cancelled(job))
    return;
  d->motion = aio_motion_sample(name, &d->trajectory.basis, d->trajectory.n, d->trajectory.c,
                                RATE_HZ, &d->error);
  if (d->motion)
    d->status = arm_excitation_new(d->base, &d->model, &d->limits, d->motion->rows, d->motion->q,
                                   d->motion->qd, d->motion->qdd, d->known.noise, &d->shown);
}

static void on_progress(double part, void *ctx) {
  cli_live_progress(((Design *)ctx)->live, "design", "Design", part, (double)NAN, "");
}

static void on_done(void *data, bool is_cancelled, void *ctx) {
  (void)data, (void)is_cancelled;
  ((Design *)ctx)->is_over = true;
}

static void keep(gpointer data) {
  (void)data;
}

static bool is_over(void *data) {
  return ((Design *)data)->is_over;
}

static int wait_for_search(const char *name, Design *d) {
  const AseJobTask task = {search, d, keep, on_progress, on_done, d};
  g_autoptr(AseJob) job = ase_job_start(&task);
  (void)job; /* freed, and with it ended, in any case */
  if (!cli_live_wait(d->live, is_over, d, (double)INFINITY))
    return CLI_INTERRUPTED;
  if (d->status == ARM_E_INFEASIBLE) {
    cli_error("%s: found no motion that tells all parameters apart and keeps the limits of "
              "positions, speeds, accelerations, currents and distances",
              name);
    return CLI_INFEASIBLE;
  }
  if (d->status != ARM_OK)
    return cli_fail_status(d->status, name);
  return d->motion ? CLI_OK : cli_fail(g_steal_pointer(&d->error));
}

/* ---- what it would show ---- */

static void tell(const CliFull *full, const AioArm *arm, const Design *d) {
  CliExcitation report = {.arm = arm,
                          .csv = d->motion->name,
                          .method = "fourier",
                          .criterion = "d",
                          .is_design = true,
                          .trajectory = &d->trajectory,
                          .is_at_rest = true,
                          .seed = (gint64)d->options.seed,
                          .evaluations = (gint64)d->trajectory.evaluations,
                          .base = d->base,
                          .limits = &d->limits,
                          .motion = d->motion,
                          .found = d->shown,
                          .noise = d->known.noise,
                          .is_assumed = d->known.is_assumed,
                          .scene = &d->scene};
  report.n_violations = arm_motion_violations(&d->limits, d->motion->rows, d->motion->q,
                                              d->motion->qd, d->motion->qdd, report.violations);
  cli_excite_scene_judge(&d->scene, d->motion, &report.broken);
  cli_live_say(full->live, "motion %u of %d is designed: %g s, after a dry run of ten times that",
               d->number, CLI_FULL_MOTIONS, PERIOD_S);
  if (full->json) {
    gsize length;
    g_autofree char *json = cli_excite_format(&report, &length);
    cli_live_value(full->live, "design", (int)d->number, "excitation", json);
  } else {
    cli_excite_print(&report);
    putchar('\n');
    cli_flush();
  }
}

int cli_full_design(const CliFull *full, guint k, AioMotionTable **motion) {
  AseSession *session = full->live->session;
  const AioArm *arm = ase_session_arm(session);
  const char *name = full->at->resume ? full->at->session : full->at->arm;
  ArmModel model = arm->model;
  int code = take_limits(session, name, &model);
  if (code != CLI_OK)
    return code;
  g_autoptr(Design) d = g_new0(Design, 1);
  d->model = model;
  d->live = full->live;
  d->number = k + 1;
  cli_excite_know_fit(ase_gravity_of(ase_session_fit(session)), &arm->model, &d->known);
  code = prepare(arm, name, d);
  if (code != CLI_OK)
    return code;
  const ArmScene scene = {&d->scene.currents, d->scene.clearance};
  d->options = (ArmTrajectoryOptions){.basis = {.kind = ARM_BASIS_FOURIER,
                                                .order = HARMONICS,
                                                .period_s = PERIOD_S,
                                                .is_at_rest = true},
                                      .criterion = {.kind = ARM_CRITERION_D},
                                      .scene = &scene,
                                      .noise = d->known.noise,
                                      .seed = k + 1,
                                      .evaluations = EVALUATIONS,
                                      .watch = watch,
                                      .user = d};
  code = wait_for_search(name, d);
  if (code != CLI_OK)
    return code;
  tell(full, arm, d);
  *motion = g_steal_pointer(&d->motion);
  return CLI_OK;
}
