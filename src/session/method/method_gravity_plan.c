/* SPDX-License-Identifier: MIT */
/* The plan of sweeps: proposed from what is known of the arm, or only evaluated; made again for the
 * joints to come with what the first one showed; and what is said of it. */
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "io/base/said.h"
#include "session/base/text.h"
#include "session/measure/full_sweeps.h"
#include "session/measure/planned.h"
#include "session/method/method_gravity.h"

#define EVALUATION_PART 0.05 /* of the time that a plan takes; only a progress bar depends on it */

/* ---- in a job ---- */

static bool on_proposing(double part, void *job) {
  return ase_job_report((1.0 - EVALUATION_PART) * part, job);
}

static ArmPlanOptions options_of(const AsePlanning *planning) {
  ArmPlanOptions options;
  arm_plan_options_default(&options);
  options.n_speeds = planning->n_speeds;
  memcpy(options.speeds_R, planning->speeds_R, sizeof options.speeds_R);
  memcpy(options.speeds_T, planning->speeds_T, sizeof options.speeds_T);
  return options;
}

static bool has_found_all(const AsePlanning *planning) {
  const ArmGravityFit *found = ase_gravity_of(planning->found);
  for (gsize j = 0; found && j < planning->model.n; j++)
    if (found->refined.joint[j].rows_used == 0)
      return false;
  return found != NULL;
}

/* The numbers alone: what they rest on is of no use to a plan. */
static void take_numbers(ArmGravityParameters *known, const ArmGravityFit *found) {
  arm_gravity_parameters_clear(known);
  *known = found->refined;
  known->ids = NULL;
  known->covariance = NULL;
  known->n_ids = 0;
}

static ArmStatus foresee(const ArmModel *model, const ArmGravityParameters *known,
                         const ArmPlanOptions *options, AseProposal *made) {
  ArmPlanReport *report = g_atomic_rc_box_new0(ArmPlanReport);
  const ArmStatus status = arm_plan_evaluate(model, known, options, &made->plan, report);
  if (status != ARM_OK) {
    g_atomic_rc_box_release(report);
    return status;
  }
  made->forecast = report;
  made->noise_sd = options->noise_sd;
  made->basis = options->is_made_up    ? ASE_BASIS_NO_MASSES
                : options->is_unscaled ? ASE_BASIS_NO_DRIVES
                                       : ASE_BASIS_FILE;
  return ARM_OK;
}

static bool is_planned(ArmStatus status, GError **error) {
  if (status != ARM_OK)
    aio_error_set_kept(error, AIO_ERROR_MEANING, ase_status_said(status));
  return status == ARM_OK;
}

bool ase_gravity_plan(AseJob *job, const AsePlanning *planning, AseProposal *made, GError **error) {
  ArmGravityParameters known = {0};
  ArmPlanOptions options = options_of(planning);
  bool is_found = false;
  options.progress = on_proposing;
  options.user = job;
  ArmStatus status = arm_plan_nominal(&planning->model, &known, &options);
  if (status == ARM_OK && has_found_all(planning) && (options.is_made_up || options.is_unscaled)) {
    take_numbers(&known, ase_gravity_of(planning->found));
    options.is_made_up = options.is_unscaled = false;
    is_found = true;
  }
  if (planning->is_given)
    memcpy(&made->plan, &planning->plan, sizeof made->plan);
  else if (status == ARM_OK)
    status = arm_plan_propose(&planning->model, &known, &options, &made->plan);
  if (status == ARM_OK && !ase_job_report(1.0 - EVALUATION_PART, job))
    status = ARM_E_NO_DATA; /* cancelled, as the core says it */
  if (status == ARM_OK)
    status = foresee(&planning->model, &known, &options, made);
  if (status == ARM_OK && is_found)
    made->basis = ASE_BASIS_FIT;
  arm_gravity_parameters_clear(&known);
  return is_planned(status, error);
}

/* ---- the joints to come ---- */

bool ase_gravity_plans_again(const ArmModel *model) {
  ArmGravityParameters nominal = {0};
  ArmPlanOptions options = {0};
  if (arm_plan_nominal(model, &nominal, &options) != ARM_OK)
    return false;
  arm_gravity_parameters_clear(&nominal);
  return options.is_made_up;
}

static ArmStatus plan_others(AseJob *job, const AsePlanning *planning,
                             const ArmGravityParameters *found, guint joint, AseProposal *made) {
  ArmPlanOptions options = options_of(planning);
  ArmPlan *proposed = g_new0(ArmPlan, 1); /* the plan is compared as bytes */
  ArmGravityParameters *known = g_new0(ArmGravityParameters, 1);
  options.progress = ase_job_report;
  options.user = job;
  ArmStatus status = arm_plan_nominal(&planning->model, known, &options);
  if (status == ARM_OK) {
    arm_plan_take_found(found, known, &options);
    status = arm_plan_propose(&planning->model, known, &options, proposed);
  }
  memcpy(&made->plan, &planning->plan, sizeof made->plan);
  for (gsize j = 0; j < planning->plan.n && status == ARM_OK; j++)
    if (j + 1 != joint)
      memcpy(&made->plan.joint[j], &proposed->joint[j], sizeof proposed->joint[j]);
  if (status == ARM_OK)
    status = foresee(&planning->model, known, &options, made);
  arm_gravity_parameters_clear(known);
  g_free(known);
  g_free(proposed);
  return status;
}

bool ase_gravity_plan_again(AseJob *job, const AsePlanning *planning, const AseSweepRows *rows,
                            const ArmRowOptions *how, guint joint, AseProposal *made,
                            GError **error) {
  ArmFitOptions options;
  arm_fit_options_default(&options);
  options.rows = *how;
  options.shelf = ase_sweep_rows_shelf(rows);
  ArmGravityFit *fit = g_new0(ArmGravityFit, 1);
  ArmStatus status =
      arm_gravity_fit_rows(&planning->model, ase_sweep_rows_source(rows), &options, fit);
  if (status == ARM_OK) {
    status = plan_others(job, planning, &fit->refined, joint, made);
    arm_gravity_fit_clear(fit);
  }
  g_free(fit);
  if (status == ARM_E_SOURCE && error)
    *error = g_error_copy(ase_sweep_rows_error(rows));
  return status != ARM_E_SOURCE && is_planned(status, error);
}

/* ---- what is said of it ---- */

/* "5 holds, 25 sweeps, 12 min" and what will be known then: nothing of loads that are made up. */
static char *join_said(const char *holds, const char *sweeps, double minutes, double worst,
                       const AseProposal *made) {
  switch (made->basis) {
  case ASE_BASIS_NO_MASSES:
    /* TRANSLATORS: "5 holds", "25 sweeps", minutes */
    return aio_said(N_("%s, %s, %.0f min with dry run and validation; the arm file does not "
                       "state all masses, so "
                       "that no accuracy is promised: plan again after the first fit"),
                    holds, sweeps, minutes);
  case ASE_BASIS_NO_DRIVES:
    /* TRANSLATORS: "5 holds", "25 sweeps", minutes */
    return aio_said(N_("%s, %s, %.0f min with dry run and validation; the arm file does not "
                       "state all gear ratios and torque constants, so "
                       "that no accuracy is promised: plan again after the first fit"),
                    holds, sweeps, minutes);
  case ASE_BASIS_FILE:
    /* TRANSLATORS: "5 holds", "25 sweeps", minutes, two currents */
    return aio_said(N_("%s, %s, %.0f min with dry run and validation; gravity currents will "
                       "be known within %.2g mA (1 sd), if their noise is %.2g mA"),
                    holds, sweeps, minutes, 1000.0 * worst, 1000.0 * made->noise_sd);
  case ASE_BASIS_FIT:
    break;
  }
  /* TRANSLATORS: "5 holds", "25 sweeps", minutes, a current */
  return aio_said(N_("%s, %s, %.0f min with dry run and validation; gravity currents "
                     "will be known within %.2g mA (1 sd)"),
                  holds, sweeps, minutes, 1000.0 * worst);
}

char *ase_gravity_plan_said(const AseProposal *made, double minutes) {
  guint holds = 0, sweeps = 0;
  double worst = 0.0;
  for (gsize j = 0; j < made->plan.n; j++) {
    const ArmJointPlan *p = &made->plan.joint[j];
    if (!p->is_swept)
      continue;
    holds += (guint)p->n_holds;
    sweeps += (guint)(p->n_holds * p->n_speeds);
    worst = fmax(worst, made->forecast->score[j]);
  }
  char *of_holds = aio_said_many("%u hold", "%u holds", holds);
  char *of_sweeps = aio_said_many("%u sweep", "%u sweeps", sweeps);
  char *text = join_said(of_holds, of_sweeps, minutes, worst, made);
  g_free(of_holds);
  g_free(of_sweeps);
  return text;
}

static void add_fast(const ArmModel *model, guint joint, double speed, GPtrArray *list) {
  const bool turns = model->joints[joint - 1].type == ARM_JOINT_R;
  aio_said_list_add(list, "%u (%.4g %s)", joint, turns ? speed * 180.0 / G_PI : speed,
                    turns ? aio_said_word(N_("deg/s")) : "m/s");
}

/* Before they are swept: afterwards the verdict says no more than that it cannot be told. */
AsePlanRemarks ase_gravity_remarks(const ArmModel *model, const ArmPlan *plan,
                                   const AseItinerary *itinerary) {
  GPtrArray *untold = aio_said_list_new(), *idle = aio_said_list_new();
  for (guint j = 0; j < plan->n; j++) {
    AseFullSweeps full;
    if (!plan->joint[j].is_swept)
      continue;
    ase_full_sweeps(itinerary, model, j + 1, &full);
    if (isfinite(full.too_fast))
      add_fast(model, j + 1, full.too_fast, full.speeds < 2 ? untold : idle);
  }
  char *of_idle = aio_said_list_join(idle, ", "), *of_untold = aio_said_list_join(untold, ", ");
  AsePlanRemarks remarks = {0};
  if (*of_idle)
    remarks.note =
        aio_said(N_("joint %s: from the speeds in brackets on less than 70 %% of the range is "
                    "swept at constant speed: the fit uses these sweeps, the verdict on it does "
                    "not"),
                 of_idle);
  if (*of_untold)
    remarks.warning =
        aio_said(N_("choose slower sweeps for joint %s, or whether the model fits will not be "
                    "told: from the speeds in brackets on less than 70 %% of the range is swept "
                    "at constant speed, and the verdict on the fit needs two slower ones"),
                 of_untold);
  g_free(of_untold);
  g_free(of_idle);
  return remarks;
}
