/* SPDX-License-Identifier: MIT */
/* PLAN in a thread: proposed, or as it was made by hand, with what a fit found where it found all.
 * The forecast alone is made the same way, when it is asked for. */
#include "session/session_plan.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "io/base/said.h"
#include "session/base/text.h"
#include "session/measure/full_sweeps.h"
#include "session/session_job.h"
#include "session/session_moving.h"
#include "session/session_record.h"

#define EVALUATION_PART 0.05 /* of the time that a plan takes; only a progress bar depends on it */

/* ---- PLAN ---- */

typedef struct {
  ArmModel model; /* its limits are what is free */
  ArmPlanOptions options;
  bool is_given;
  bool is_found;  /* planned with `found`, its noise included */
  bool has_found; /* what a fit found of all joints: planned with, where masses or drives are not
                     known */
  ArmGravityParameters found;
  ArmPlan plan;
  ArmPlanReport *report; /* counted; NULL: not evaluated */
  ArmStatus status;
  AseJob *job;
} PlanWork;

static void plan_work_free(gpointer data) {
  PlanWork *work = data;
  ase_forecast_unref(work->report);
  g_free(work);
}

static bool on_proposing(double part, void *data) {
  const PlanWork *work = data;
  return ase_job_report((1.0 - EVALUATION_PART) * part, work->job);
}

static void compute_plan(AseJob *job, void *data) {
  PlanWork *work = data;
  ArmGravityParameters nominal = {0};
  ArmPlanReport *report = g_atomic_rc_box_new0(ArmPlanReport);
  work->job = job;
  work->options.progress = on_proposing;
  work->options.user = work;
  work->status = arm_plan_nominal(&work->model, &nominal, &work->options);
  if (work->status == ARM_OK && work->has_found &&
      (work->options.is_made_up || work->options.is_unscaled)) {
    arm_gravity_parameters_clear(&nominal);
    nominal = work->found;
    work->options.is_made_up = work->options.is_unscaled = false;
    work->is_found = true;
  }
  if (work->status == ARM_OK && !work->is_given)
    work->status = arm_plan_propose(&work->model, &nominal, &work->options, &work->plan);
  if (work->status == ARM_OK && ase_job_report(1.0 - EVALUATION_PART, job))
    work->status = arm_plan_evaluate(&work->model, &nominal, &work->options, &work->plan, report);
  if (work->status == ARM_OK)
    work->report = g_steal_pointer(&report);
  else
    g_atomic_rc_box_release(report);
  arm_gravity_parameters_clear(&nominal);
}

/* "5 holds, 25 sweeps, 12 min" and what will be known then: nothing of loads that are made up. */
static char *join_plan_said(const AseSession *self, const char *holds, const char *sweeps,
                            double worst, const PlanWork *work) {
  const double arm_s = ase_planned_itinerary(self->planned)->duration_s;
  const double minutes = ceil(ase_motion_wall_s(self->motion, arm_s) / 60.0);
  if (work->options.is_made_up)
    /* TRANSLATORS: "5 holds", "25 sweeps", minutes */
    return aio_said(N_("%s, %s, %.0f min with dry run and validation; the arm file does not "
                       "state all masses, so "
                       "that no accuracy is promised: plan again after the first fit"),
                    holds, sweeps, minutes);
  if (work->options.is_unscaled)
    /* TRANSLATORS: "5 holds", "25 sweeps", minutes */
    return aio_said(N_("%s, %s, %.0f min with dry run and validation; the arm file does not "
                       "state all gear ratios and torque constants, so "
                       "that no accuracy is promised: plan again after the first fit"),
                    holds, sweeps, minutes);
  if (!work->is_found)
    /* TRANSLATORS: "5 holds", "25 sweeps", minutes, two currents */
    return aio_said(N_("%s, %s, %.0f min with dry run and validation; gravity currents will "
                       "be known within %.2g mA (1 sd), if their noise is %.2g mA"),
                    holds, sweeps, minutes, 1000.0 * worst, 1000.0 * work->options.noise_sd);
  /* TRANSLATORS: "5 holds", "25 sweeps", minutes, a current */
  return aio_said(N_("%s, %s, %.0f min with dry run and validation; gravity currents "
                     "will be known within %.2g mA (1 sd)"),
                  holds, sweeps, minutes, 1000.0 * worst);
}

static char *plan_said(const AseSession *self, const PlanWork *work) {
  guint holds = 0, sweeps = 0;
  double worst = 0.0;
  const ArmPlan *plan = &self->edits->plan;
  for (gsize j = 0; j < plan->n; j++) {
    const ArmJointPlan *p = &plan->joint[j];
    if (!p->is_swept)
      continue;
    holds += (guint)p->n_holds;
    sweeps += (guint)(p->n_holds * p->n_speeds);
    worst = fmax(worst, ase_planned_forecast(self->planned)->score[j]);
  }
  char *of_holds = aio_said_many("%u hold", "%u holds", holds);
  char *of_sweeps = aio_said_many("%u sweep", "%u sweeps", sweeps);
  char *text = join_plan_said(self, of_holds, of_sweeps, worst, work);
  g_free(of_holds);
  g_free(of_sweeps);
  return text;
}

static void add_fast(const AseSession *self, guint joint, double speed, GPtrArray *list) {
  const bool turns = self->arm->model.joints[joint - 1].type == ARM_JOINT_R;
  aio_said_list_add(list, "%u (%.4g %s)", joint, turns ? speed * 180.0 / G_PI : speed,
                    turns ? aio_said_word(N_("deg/s")) : "m/s");
}

/* Before they are swept: afterwards the verdict says no more than that it cannot be told. */
static void tell_too_fast(AseSession *self) {
  const AseItinerary *itinerary = ase_planned_itinerary(self->planned);
  GPtrArray *untold = aio_said_list_new(), *idle = aio_said_list_new();
  for (guint j = 0; itinerary && j < self->edits->plan.n; j++) {
    AseFullSweeps full;
    if (!self->edits->plan.joint[j].is_swept)
      continue;
    ase_full_sweeps(itinerary, &self->arm->model, j + 1, &full);
    if (isfinite(full.too_fast))
      add_fast(self, j + 1, full.too_fast, full.speeds < 2 ? untold : idle);
  }
  char *of_idle = aio_said_list_join(idle, ", "), *of_untold = aio_said_list_join(untold, ", ");
  if (*of_idle)
    ase_session_say(self, 0,
                    N_("joint %s: from the speeds in brackets on less than 70 %% of the range is "
                       "swept at constant speed: the fit uses these sweeps, the verdict on it does "
                       "not"),
                    of_idle);
  if (*of_untold)
    ase_session_say(self, 1,
                    N_("choose slower sweeps for joint %s, or whether the model fits will not be "
                       "told: from the speeds in brackets on less than 70 %% of the range is swept "
                       "at constant speed, and the verdict on the fit needs two slower ones"),
                    of_untold);
  g_free(of_untold);
  g_free(of_idle);
}

static void take_plan(AseSession *self, PlanWork *work) {
  GError *error = NULL;
  const bool is_new = !self->edits->has_plan || ase_plan_differs(&self->edits->plan, &work->plan);
  ase_planned_forget(self->planned);
  ase_planned_take_forecast(self->planned, g_steal_pointer(&work->report));
  if (is_new) {
    memcpy(&self->edits->plan, &work->plan, sizeof work->plan);
    self->edits->has_plan = self->edits->is_proposed = true;
    ase_session_write_edits(self);
    ase_procedure_changed(self->procedure, ASE_INPUT_PLAN, NULL);
  }
  self->edits->is_outdated = false;
  AseItinerary *itinerary = ase_session_plan_itinerary(self, &error);
  ase_planned_take_itinerary(self->planned, itinerary);
  char *text = itinerary ? plan_said(self, work) : g_strdup(aio_error_said(error));
  if (itinerary)
    ase_procedure_pass(self->procedure, ASE_STEP_PLAN, 0, text);
  else
    ase_procedure_fail(self->procedure, ASE_STEP_PLAN, 0, text);
  g_free(text);
  g_clear_error(&error);
  tell_too_fast(self);
}

static void on_planned(void *data, bool is_cancelled, void *ctx) {
  PlanWork *work = data;
  AseSession *self = ctx;
  if (is_cancelled) {
    if (self->procedure->steps[ASE_STEP_PLAN].state == ASE_STATE_RUNNING) /* not undone */
      ase_procedure_fail(self->procedure, ASE_STEP_PLAN, 0, aio_said_word(N_("cancelled")));
  } else if (!work->report) {
    ase_procedure_fail(self->procedure, ASE_STEP_PLAN, 0, ase_status_said(work->status));
  } else {
    take_plan(self, work);
  }
  ase_session_end_job(self);
}

/* The numbers alone: what they rest on is of no use to a plan. */
static void copy_found(const AseSession *self, PlanWork *work) {
  const ArmGravityFit *fit = ase_results_fit(self->results);
  work->has_found = fit != NULL;
  for (gsize j = 0; work->has_found && j < work->model.n; j++)
    work->has_found = fit->refined.joint[j].rows_used > 0;
  if (!work->has_found)
    return;
  work->found = fit->refined;
  work->found.ids = NULL;
  work->found.covariance = NULL;
  work->found.n_ids = 0;
}

void ase_session_plan_options(const AseSession *self, ArmModel *model, ArmPlanOptions *options) {
  const AseEdits *edits = self->edits;
  *model = self->arm->model;
  arm_plan_options_default(options);
  for (gsize j = 0; j < model->n; j++) {
    model->joints[j].limits.q_min = edits->low[j];
    model->joints[j].limits.q_max = edits->high[j];
  }
  options->n_speeds = edits->n_speeds;
  memcpy(options->speeds_R, edits->speeds_R, sizeof options->speeds_R);
  memcpy(options->speeds_T, edits->speeds_T, sizeof options->speeds_T);
}

/* is_given: the plan is kept. */
static PlanWork *plan_work_new(const AseSession *self, bool is_given) {
  const AseEdits *edits = self->edits;
  PlanWork *work = g_new0(PlanWork, 1);
  ase_session_plan_options(self, &work->model, &work->options);
  work->is_given = is_given;
  copy_found(self, work);
  if (is_given)
    memcpy(&work->plan, &edits->plan, sizeof work->plan);
  return work;
}

void ase_session_start_plan(AseSession *self) {
  const AseEdits *edits = self->edits;
  PlanWork *work = plan_work_new(self, edits->has_plan && !edits->is_outdated);
  const AseJobTask task = {
      .work = compute_plan, .data = work, .free_data = plan_work_free, .done = on_planned};
  ase_session_start_job(self, ASE_STEP_PLAN, &task);
}

/* ---- the forecast of a plan that has passed ---- */

static void on_forecast_progress(double part, void *ctx) {
  (void)part, (void)ctx;
}

/* Cancelled: it is of another plan. */
static void on_forecast(void *data, bool is_cancelled, void *ctx) {
  PlanWork *work = data;
  AseSession *self = ctx;
  g_object_ref(self);
  if (!is_cancelled && !work->report)
    ase_session_say(self, 1, N_("No forecast: %s"), ase_status_said(work->status));
  const bool is_news = !is_cancelled && work->report;
  if (is_news)
    ase_planned_take_forecast(self->planned, g_steal_pointer(&work->report));
  ase_planned_end_forecast(self->planned);
  if (is_news || ase_planned_wants_forecast(self->planned))
    ase_session_emit_changed(self);
  g_object_unref(self);
}

/* In a job beside the step's: no state of a step changes. */
static void compute_forecast(AseSession *self) {
  const AseJobTask task = {.work = compute_plan,
                           .data = plan_work_new(self, true),
                           .free_data = plan_work_free,
                           .progress = on_forecast_progress,
                           .done = on_forecast,
                           .ctx = self};
  ase_planned_begin_forecast(self->planned, ase_job_start(&task));
}

const ArmPlanReport *ase_session_forecast(AseSession *self) {
  if (ase_planned_wants_forecast(self->planned) && !ase_planned_is_forecasting(self->planned))
    compute_forecast(self);
  return ase_planned_forecast(self->planned);
}

bool ase_session_foreseen(AseSession *self, ArmParamSet *found) {
  const ArmPlanReport *report = ase_session_forecast(self);
  return report && ase_session_measuring(self)->foreseen(report, found) == ARM_OK;
}
