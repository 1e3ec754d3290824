/* SPDX-License-Identifier: MIT */
/* A plan on loads that nobody stated is made again when the first joint has been swept, with what
 * its sweeps showed, for the joints that are still to come. SWEEP ends with that joint; what is new
 * is an edit that can be undone, its dry run comes first, and nothing moves by itself. */
#include "session/session_replan.h"

#include <glib/gi18n-lib.h>

#include "io/base/said.h"
#include "session/base/text.h"
#include "session/measure/sweep_rows.h"
#include "session/session_job.h"
#include "session/session_plan.h"
#include "session/session_record.h"
#include "session/session_select.h"
#include "session/session_standing.h"

/* ---- is it to be made again? ---- */

static const AseLeg *leg_at(const AseItinerary *itinerary, guint k) {
  return &g_array_index(itinerary->legs, AseLeg, k);
}

/* A plan that somebody has worked at is left as it is. */
static bool is_made_up(const AseSession *self) {
  const AseEdits *edits = self->edits;
  return edits->has_plan && edits->is_proposed && !edits->is_outdated && edits->n_holds == 0 &&
         ase_session_measuring(self)->plans_again(&self->arm->model);
}

guint ase_session_replan_end(const AseSession *self, const AseItinerary *doing, guint *joint) {
  const GArray *legs = doing->legs;
  guint first = 0, end = 0, others = 0;
  *joint = 0;
  for (guint k = 0; k < legs->len; k++) {
    const AseLeg *leg = leg_at(doing, k);
    if (!leg->sweeps || leg->purpose != ASE_PURPOSE_MEASURE)
      continue;
    first = first ? first : leg->joint;
    end = leg->joint == first ? k + 1 : end;
    others += leg->joint != first;
  }
  for (guint j = 1; j <= self->procedure->joints; j++)
    if (j != first && ase_record_has_complete_of(self->record, ASE_PURPOSE_MEASURE, j))
      return legs->len;
  if (!others || !is_made_up(self))
    return legs->len;
  *joint = first;
  return end;
}

/* ---- in a thread ---- */

typedef struct {
  const AseMeasuring *measuring;
  AsePlanning planning; /* the plan as it is */
  ArmRowOptions rows;
  GPtrArray *runs;    /* of AseRun that have ended */
  GArray *exclusions; /* of AseExclusion */
  guint joint;        /* that was swept */
  const char *before; /* what PLAN said */
  AseProposal made;   /* forecast NULL: none, see error */
  GError *error;      /* NULL: cancelled */
} ReplanWork;

static void replan_work_free(gpointer data) {
  ReplanWork *work = data;
  ase_planning_clear(&work->planning);
  ase_proposal_clear(&work->made);
  g_ptr_array_unref(work->runs);
  g_array_unref(work->exclusions);
  g_clear_error(&work->error);
  g_free(work);
}

static void compute(AseJob *job, void *data) {
  ReplanWork *work = data;
  AseSweepRows *rows = ase_sweep_rows_new_within(
      job, &work->planning.model, work->runs, ASE_PURPOSE_MEASURE, work->exclusions, &work->error);
  if (!rows)
    return;
  work->measuring->plan_again(job, &work->planning, rows, &work->rows, work->joint, &work->made,
                              &work->error);
  ase_sweep_rows_free(rows);
}

/* ---- what becomes of it ---- */

/* "14 holds, 70 sweeps" of all joints but one. g_free. */
static char *size_said(const ArmPlan *plan, guint joint) {
  guint holds = 0, sweeps = 0;
  for (gsize j = 0; j < plan->n; j++) {
    const ArmJointPlan *p = &plan->joint[j];
    if (j + 1 == joint || !p->is_swept)
      continue;
    holds += (guint)p->n_holds;
    sweeps += (guint)(p->n_holds * p->n_speeds);
  }
  char *of_holds = aio_said_many("%u hold", "%u holds", holds);
  char *of_sweeps = aio_said_many("%u sweep", "%u sweeps", sweeps);
  /* TRANSLATORS: "5 holds", "25 sweeps" */
  char *text = aio_said(N_("%s, %s"), of_holds, of_sweeps);
  g_free(of_holds);
  g_free(of_sweeps);
  return text;
}

static char *notice_said(const AseSession *self, const ReplanWork *work) {
  char *now = size_said(&work->made.plan, work->joint);
  char *before = size_said(&self->edits->plan, work->joint);
  /* TRANSLATORS: a joint's number; "5 holds, 25 sweeps" twice */
  char *text = aio_said(N_("the other joints were planned again with what the sweeps of "
                           "joint %u showed: %s instead of %s; do their dry run, then go on "
                           "sweeping, or undo it"),
                        work->joint, now, before);
  g_free(now);
  g_free(before);
  return text;
}

/* The same way back as before. NULL: it cannot be done. */
static AseItinerary *make_itinerary(const AseSession *self, const ArmPlan *plan, GError **error) {
  AseFreedom freedom;
  ase_edits_freedom(self->edits, &freedom);
  return ase_session_measuring(self)->legs(&self->arm->model, plan, &freedom,
                                           &self->edits->itinerary,
                                           ase_planned_itinerary(self->planned)->start, error);
}

/* What was swept stays swept; the other joints' dry run was another one. */
static void take(AseSession *self, ReplanWork *work, AseItinerary *itinerary) {
  char *text = notice_said(self, work);
  ase_session_remember_standing(self);
  ase_editor_remember(self->editor, _("plan the other joints again"), self->edits);
  memcpy(&self->edits->plan, &work->made.plan, sizeof work->made.plan);
  ase_planned_forget(self->planned);
  ase_planned_take_itinerary(self->planned, itinerary);
  ase_planned_take_forecast(self->planned, g_steal_pointer(&work->made.forecast));
  ase_session_write_edits(self, false);
  ase_procedure_pass(self->procedure, ASE_STEP_PLAN, 0, text);
  for (guint j = 1; j <= self->procedure->joints; j++)
    if (j != work->joint)
      ase_procedure_outdate_joint(self->procedure, ASE_STEP_DRY_RUN, j, text);
  ase_session_say(self, 1, "%s", text);
  g_free(text);
}

static void judge(AseSession *self, ReplanWork *work, bool is_cancelled) {
  GError *error = NULL;
  AseItinerary *itinerary = NULL;
  if (!is_cancelled && work->made.forecast)
    itinerary = make_itinerary(self, &work->made.plan, &error);
  if (itinerary && ase_plan_differs(&work->made.plan, &self->edits->plan)) {
    take(self, work, itinerary);
  } else {
    const GError *why = work->error ? work->error : error;
    ase_session_say(self, 1, N_("the plan of the other joints stays as it is: %s"),
                    why            ? aio_error_said(why)
                    : is_cancelled ? aio_said_word(N_("cancelled"))
                                   : aio_said_word(N_("nothing changes")));
    ase_itinerary_free(itinerary);
  }
  g_clear_error(&error);
}

static void on_replanned(void *data, bool is_cancelled, void *ctx) {
  ReplanWork *work = data;
  AseSession *self = g_object_ref(ctx);
  ase_work_be_over(self->work); /* edits may be remembered */
  if (!ase_planned_itinerary(self->planned)) {
    /* ranges, speeds or the plan were edited meanwhile */
    ase_procedure_fail(self->procedure, ASE_STEP_PLAN, 0, aio_said_word(N_("cancelled")));
  } else {
    ase_procedure_pass(self->procedure, ASE_STEP_PLAN, 0, work->before);
    judge(self, work, is_cancelled);
  }
  ase_session_end_job(self);
  g_object_unref(self);
}

void ase_session_start_replan(AseSession *self, guint joint) {
  ReplanWork *work = g_new0(ReplanWork, 1);
  work->measuring = ase_session_measuring(self);
  ase_session_planning(self, &work->planning);
  work->planning.is_given = true;
  work->rows = self->edits->rows;
  work->runs = ase_record_ref_runs(self->record);
  work->exclusions = ase_session_exclusions(self);
  work->joint = joint;
  work->before = self->procedure->steps[ASE_STEP_PLAN].reason;
  const AseJobTask task = {
      .work = compute, .data = work, .free_data = replan_work_free, .done = on_replanned};
  ase_session_start_job(self, ASE_STEP_PLAN, &task);
}
