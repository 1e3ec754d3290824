/* SPDX-License-Identifier: MIT */
/* PLAN in a thread: proposed, or as it was made by hand, with what a fit found where it found all.
 * The forecast alone is made the same way, when it is asked for. */
#include "session/session_plan.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "io/base/said.h"
#include "session/session_job.h"
#include "session/session_moving.h"
#include "session/session_record.h"

/* ---- PLAN ---- */

typedef struct {
  const AseMeasuring *measuring;
  AsePlanning planning;
  AseProposal made; /* forecast NULL: none, see error */
  GError *error;
} PlanWork;

static void plan_work_free(gpointer data) {
  PlanWork *work = data;
  ase_planning_clear(&work->planning);
  ase_proposal_clear(&work->made);
  g_clear_error(&work->error);
  g_free(work);
}

static void compute_plan(AseJob *job, void *data) {
  PlanWork *work = data;
  work->measuring->plan(job, &work->planning, &work->made, &work->error);
}

static char *plan_said(const AseSession *self, const PlanWork *work) {
  const double arm_s = ase_planned_itinerary(self->planned)->duration_s;
  return work->measuring->plan_said(&work->made,
                                    ceil(ase_motion_wall_s(self->motion, arm_s) / 60.0));
}

static void tell_remarks(AseSession *self, const AseMeasuring *measuring) {
  const AseItinerary *itinerary = ase_planned_itinerary(self->planned);
  AsePlanRemarks remarks = {0};
  if (itinerary)
    remarks = measuring->remarks(&self->arm->model, &self->edits->plan, itinerary);
  if (remarks.note)
    ase_session_say_kept(self, 0, remarks.note);
  if (remarks.warning)
    ase_session_say_kept(self, 1, remarks.warning);
  g_free(remarks.note);
  g_free(remarks.warning);
}

static void take_plan(AseSession *self, PlanWork *work) {
  GError *error = NULL;
  const bool is_new =
      !self->edits->has_plan || ase_plan_differs(&self->edits->plan, &work->made.plan);
  ase_planned_forget(self->planned);
  if (is_new) {
    memcpy(&self->edits->plan, &work->made.plan, sizeof work->made.plan);
    self->edits->has_plan = self->edits->is_proposed = true;
    ase_session_write_edits(self, false);
    ase_procedure_changed(self->procedure, ASE_INPUT_PLAN, NULL);
  }
  self->edits->is_outdated = false;
  AseItinerary *itinerary = ase_session_plan_itinerary(self, &error);
  ase_planned_take_itinerary(self->planned, itinerary);
  char *text = itinerary ? plan_said(self, work) : g_strdup(aio_error_said(error));
  ase_planned_take_forecast(self->planned, g_steal_pointer(&work->made.forecast));
  if (itinerary)
    ase_procedure_pass(self->procedure, ASE_STEP_PLAN, 0, text);
  else
    ase_procedure_fail(self->procedure, ASE_STEP_PLAN, 0, text);
  g_free(text);
  g_clear_error(&error);
  tell_remarks(self, work->measuring);
}

static void on_planned(void *data, bool is_cancelled, void *ctx) {
  PlanWork *work = data;
  AseSession *self = ctx;
  if (is_cancelled) {
    if (self->procedure->steps[ASE_STEP_PLAN].state == ASE_STATE_RUNNING) /* not undone */
      ase_procedure_fail(self->procedure, ASE_STEP_PLAN, 0, aio_said_word(N_("cancelled")));
  } else if (!work->made.forecast) {
    ase_procedure_fail(self->procedure, ASE_STEP_PLAN, 0, aio_error_said(work->error));
  } else {
    take_plan(self, work);
  }
  ase_session_end_job(self);
}

void ase_session_planning(const AseSession *self, AsePlanning *planning) {
  const AseEdits *edits = self->edits;
  planning->model = self->arm->model;
  for (gsize j = 0; j < planning->model.n; j++) {
    planning->model.joints[j].limits.q_min = edits->low[j];
    planning->model.joints[j].limits.q_max = edits->high[j];
  }
  planning->n_speeds = edits->n_speeds;
  memcpy(planning->speeds_R, edits->speeds_R, sizeof planning->speeds_R);
  memcpy(planning->speeds_T, edits->speeds_T, sizeof planning->speeds_T);
  memcpy(&planning->plan, &edits->plan, sizeof planning->plan);
}

/* is_given: the plan is kept. */
static PlanWork *plan_work_new(const AseSession *self, bool is_given) {
  PlanWork *work = g_new0(PlanWork, 1);
  work->measuring = ase_session_measuring(self);
  ase_session_planning(self, &work->planning);
  work->planning.is_given = is_given;
  work->planning.found = ase_results_ref_fit(self->results);
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
  if (!is_cancelled && !work->made.forecast)
    ase_session_say(self, 1, N_("No forecast: %s"), aio_error_said(work->error));
  const bool is_news = !is_cancelled && work->made.forecast;
  if (is_news)
    ase_planned_take_forecast(self->planned, g_steal_pointer(&work->made.forecast));
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
